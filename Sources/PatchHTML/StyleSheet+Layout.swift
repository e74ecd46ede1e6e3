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
        .screen .root:has(> .navigation), .screen .root:has(> .tabs) { padding-top: 0; }
        .screen .root:has(> .list) { background: var(--systemGroupedBackground); }
        .v { display: flex; flex-direction: column; align-items: center; gap: 8px;
          min-width: 0; min-height: 0; }
        .h { display: flex; flex-direction: row; align-items: center; gap: 8px; min-width: 0; }
        .z { display: grid; justify-items: center; align-items: center; }
        .z > * { grid-area: 1 / 1; }
        .m { display: flex; flex-direction: column; align-items: center; justify-content: center;
          min-width: 0; }
        .spacer { flex: 1 1 8px; align-self: stretch; min-width: 0; }
        .h > .spacer { min-width: 8px; }
        /* fx and fy: takes all the width or height that it is offered (Element.fillsWidth). */
        .v > .fx, .m > .fx, .root > .fx, .page-content > .fx, .tab-content > .fx, .sheet > .fx,
        .row > .fx { align-self: stretch; width: auto; max-width: 100%; min-width: 0; }
        .h > .fx { flex: 1 1 0; min-width: 0; }
        .v > .fy, .m > .fy, .root > .fy, .page-content > .fy, .tab-content > .fy,
        .sheet > .fy { flex: 1 1 0; min-height: 0; }
        .h > .fy { align-self: stretch; }
        .z > .fx, .layers > .fx, .layer > .fx { justify-self: stretch; min-width: 0; }
        .z > .fy, .layers > .fy, .layer > .fy { align-self: stretch; min-height: 0; }
        .frame { position: relative; }
        .divider { background: var(--separator); min-height: .5px; height: .5px; }
        .h > .divider { flex: none; align-self: stretch; width: .5px; height: auto;
          min-width: .5px; }
        .greedy { min-width: 10px; min-height: 10px; }
        .circle.greedy { max-width: 100%; max-height: 100%; margin: auto; align-self: center; }
        .frame > .circle.greedy { height: 100%; width: auto; flex: none; }
        .z > .circle.greedy, .layer > .circle.greedy { justify-self: center; width: 100%; }
        .layers { display: grid; }
        .layers > * { grid-area: 1 / 1; min-width: 0; }
        .layer { display: grid; justify-items: center; align-items: center; overflow: visible;
          min-width: 0; min-height: 0; }
        .layer > * { grid-area: 1 / 1; }
        .layer.front { pointer-events: none; }
        .layer.front button, .layer.front input { pointer-events: auto; }
        .scroll { overflow: auto; min-height: 0; min-width: 0; }
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
