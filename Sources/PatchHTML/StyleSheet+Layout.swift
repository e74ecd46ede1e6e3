extension HTMLStyle {
    /// Stacks, wrappers, text and shapes.
    static let layout = """
        .screen { position: relative; overflow: hidden; font: var(--font-body)/1.29 var(--font);
          color: var(--label); background: var(--systemBackground); text-align: start;
          letter-spacing: -.01em; -webkit-font-smoothing: antialiased; user-select: none;
          display: flex; flex-direction: column; }
        .screen.rtl { direction: rtl; }
        .screen * { box-sizing: border-box; }
        .screen button { font: inherit; color: inherit; background: none; border: 0; padding: 0;
          letter-spacing: inherit; cursor: pointer; }
        .screen .root { flex: 1; min-height: 0; display: flex; flex-direction: column;
          align-items: center; justify-content: center; padding-top: 54px; }
        .screen .root:has(> .navigation), .screen .root:has(> .tabs),
        .screen .root:has(> .list), .screen .root:has(> .scroll) { align-items: stretch;
          justify-content: flex-start; padding-top: 0; }
        .screen .root:has(> .list), .screen .root:has(> .scroll) { padding-top: 54px; }
        .screen .root:has(> .list) { background: var(--systemGroupedBackground); }
        .v { display: flex; flex-direction: column; align-items: center; gap: 8px;
          min-width: 0; min-height: 0; }
        .h { display: flex; flex-direction: row; align-items: center; gap: 8px; min-width: 0; }
        .z { display: grid; justify-items: center; align-items: center; }
        .z > * { grid-area: 1 / 1; }
        .m { display: flex; flex-direction: column; align-items: center; justify-content: center;
          min-width: 0; }
        .m > .v, .m > .h, .m > .m, .m > .list, .m > .scroll { max-width: 100%; }
        .spacer { flex: 1 1 8px; align-self: stretch; min-width: 0; }
        .h > .spacer { min-width: 8px; }
        /* What holds a spacer takes all the room in its direction, and so does what holds that. */
        .h:has(> .spacer), .m:has(> .h > .spacer), .m:has(> .m > .h > .spacer),
        .v:has(> .h > .spacer), .v:has(> .m > .h > .spacer),
        .m:has(> .v > .h > .spacer), .m:has(> .fill-x), .v:has(> .fill-x), .v:has(> .m > .fill-x),
        .fill-x, .h:has(> .fill-x) { width: 100%; }
        .h > .fill-x { flex: 1; width: auto; min-width: 0; }
        .v:has(> .spacer), .m:has(> .v > .spacer), .m:has(> .m > .v > .spacer),
        .fill-y, .v:has(> .fill-y), .m:has(> .fill-y) { flex: 1; align-self: stretch; }
        .fill-x > *, .fill-y > * { max-width: 100%; }
        .fill-x > .layers, .fill-x > .z { width: 100%; }
        .frame > .greedy, .frame > .layers > .greedy { flex: 1; align-self: stretch; }
        .frame { position: relative; }
        .divider { align-self: stretch; background: var(--separator); min-height: .5px;
          height: .5px; width: 100%; }
        .h > .divider { width: .5px; height: auto; min-width: .5px; }
        .greedy { min-width: 10px; min-height: 10px; }
        .v > .greedy, .root > .greedy { flex: 1; align-self: stretch; }
        .h > .greedy { flex: 1; align-self: stretch; }
        .z > .greedy { width: 100%; height: 100%; }
        .circle.greedy { max-width: 100%; max-height: 100%; margin: auto; align-self: center; }
        .frame > .circle.greedy { height: 100%; width: auto; flex: none; }
        .layers { display: grid; }
        .layers > * { grid-area: 1 / 1; min-width: 0; }
        .layers > :not(.layer) { justify-self: stretch; align-self: stretch; }
        .layer { display: grid; justify-items: center; align-items: center; overflow: visible;
          min-width: 0; min-height: 0; }
        .layer > * { grid-area: 1 / 1; }
        .layer > .greedy { width: 100%; height: 100%; align-self: stretch;
          justify-self: stretch; }
        .layer.front { pointer-events: none; }
        .layer.front button, .layer.front input { pointer-events: auto; }
        .scroll { overflow: auto; align-self: stretch; flex: 1; min-height: 0; min-width: 0; }
        .scroll.down > .v { min-width: 100%; flex-shrink: 0; gap: 8px; }
        .scroll.across { overflow-y: hidden; flex: none; }
        .scroll.across > .h { width: max-content; }
        .scroll.bare { scrollbar-width: none; }
        .grid { display: grid; gap: 8px; width: 100%; align-items: center; }
        .t { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 0; }
        .one-line, .one-line .t { white-space: nowrap; overflow: hidden;
          text-overflow: ellipsis; max-width: 100%; }
        .lines { display: -webkit-box; -webkit-box-orient: vertical; overflow: hidden; }
        .symbol { display: inline-flex; line-height: 1; vertical-align: -.12em; }
        .sf { width: calc(1.2em * var(--scale, 1)); height: calc(1.2em * var(--scale, 1)); }
        .symbol.resizable, .symbol.resizable .sf, .symbol.resizable svg { width: 100%;
          height: 100%; min-width: 0; min-height: 0; }
        .asset { display: inline-grid; place-items: center; border-radius: 6px; min-width: 40px;
          min-height: 40px; font-size: 11px; overflow: hidden; }
        .asset.missing { background: repeating-linear-gradient(45deg, var(--systemGray5) 0 8px,
          var(--systemGray6) 8px 16px); color: var(--secondaryLabel); padding: 4px; }
        .asset.resizable { width: 100%; height: 100%; }
        .label { display: inline-flex; align-items: center; gap: 8px; }
        .labels-iconOnly .label > .title, .label.labels-iconOnly > .title,
        .labels-titleOnly .label > .icon, .label.labels-titleOnly > .icon { display: none; }
        .bar .label > .title { display: none; }
        .link { color: var(--tint); text-decoration: none; }
        .tappable { cursor: pointer; }
        .disabled { opacity: .4; pointer-events: none; }
        .redacted .t, .t.redacted { color: transparent !important; border-radius: 4px;
          background: var(--systemFill); }
        .animated, .animated * { transition: opacity var(--move, .35s),
          transform var(--move, .35s), background var(--move, .35s), color var(--move, .35s),
          width var(--move, .35s), height var(--move, .35s); }

        """
}
