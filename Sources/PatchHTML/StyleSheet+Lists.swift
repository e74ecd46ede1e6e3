extension HTMLStyle {
    /// Lists and forms.
    static let lists = """
        .list { min-height: 0; overflow: auto;
          background: var(--systemGroupedBackground); padding: 8px 16px 40px; }
        .list.no-background { background: none; }
        .list section { margin-bottom: 26px; }
        .list section > header { font-size: var(--font-footnote); color: var(--secondaryLabel);
          padding: 8px 16px 7px; text-transform: uppercase; }
        .list section > footer { font-size: var(--font-footnote); color: var(--secondaryLabel);
          padding: 7px 16px 0; }
        .rows { background: var(--secondarySystemGroupedBackground); border-radius: 10px;
          overflow: hidden; }
        .row { position: relative; display: flex; flex-direction: column; align-items: stretch;
          justify-content: center; min-height: 44px; padding: 10px 16px; }
        .row + .row:not(.no-separator)::before { content: ""; position: absolute; top: 0;
          inset-inline: 16px 0; height: .5px; background: var(--separator); }
        .row > * { align-self: flex-start; }
        .row > .row-back, .row > .swipes { align-self: auto; }
        .row-back { position: absolute; inset: 0; display: grid; }
        .row-back ~ * { position: relative; }
        .row.selectable { cursor: pointer; }
        .rest { height: calc(44px * var(--rows, 20)); }
        .list-plain, .list-inset { background: var(--systemBackground); padding-inline: 0; }
        .list-plain .rows, .list-inset .rows { border-radius: 0; background: none; }
        .list-plain section > header { font-weight: 600; text-transform: none;
          background: var(--secondarySystemBackground); color: var(--label); padding-block: 5px; }
        .list-grouped { padding-inline: 0; }
        .list-grouped .rows { border-radius: 0; }
        .row > .button { text-align: start; }
        .row .navigation-link { display: flex; width: 100%; align-items: center; gap: 8px;
          text-align: start; }
        .row .navigation-link > :first-child { flex: 1; min-width: 0; }
        .row .navigation-link > .t:first-child { flex: 1; }
        .row .navigation-link > .sf { color: var(--tertiaryLabel); width: 14px; height: 14px;
          flex: none; stroke-width: 2.6; }
        .rtl .navigation-link > .sf, .rtl .back > .sf { transform: scaleX(-1); }
        .swipes { position: absolute; inset-block: 0; inset-inline-end: 0; display: flex;
          transform: translateX(100%); transition: transform .2s; }
        .rtl .swipes { transform: translateX(-100%); }
        .swipeable:hover .swipes, .swipeable:focus-within .swipes { transform: none; }
        .screen .swipe { background: var(--blue); color: #fff !important; padding: 0 18px;
          border-radius: 0; }
        .screen .swipe.destructive { background: var(--red); }
        .labeled { display: flex; width: 100%; align-items: center; gap: 12px; }
        .labeled > .title { flex: 1; }
        .labeled > .value { color: var(--secondaryLabel); text-align: end; }

        """
}
