extension HTMLStyle {
    /// Bars, pages, tabs and what lies over a screen.
    static let navigation = """
        .navigation { min-height: 0; display: flex; position: relative; }
        .page { flex: 1; min-width: 0; display: flex; flex-direction: column;
          background: var(--systemBackground); padding-top: 54px; }
        .page:has(> .page-content > .list:not(.list-plain)),
        .page:has(> .page-content > .m > .list:not(.list-plain)) {
          background: var(--systemGroupedBackground); }
        .page:has(~ .page) { display: none; }
        .page.pushed { animation: push .3s cubic-bezier(.2, .8, .2, 1); }
        @keyframes push { from { transform: translateX(30%); opacity: .4; } }
        .page-content { flex: 1; min-height: 0; display: flex; flex-direction: column;
          align-items: center; justify-content: center; position: relative; }
        .bar { display: grid; grid-template-columns: 1fr auto 1fr; align-items: center;
          min-height: 44px; padding: 0 16px; gap: 8px; flex: none; }
        .bar > div { display: flex; align-items: center; gap: 16px; min-width: 0; }
        .bar > .middle { font-weight: 600; justify-content: center; white-space: nowrap;
          overflow: hidden; text-overflow: ellipsis; }
        .bar > .trailing { justify-content: flex-end; }
        .bar .sf { width: 22px; height: 22px; }
        .screen .bar .back { gap: 2px; margin-inline-start: -8px; white-space: nowrap; }
        .screen .bar .back .sf { stroke-width: 2.4; }
        .screen .large-title { font-size: var(--font-largeTitle); font-weight: 700; margin: 0;
          padding: 3px 16px 8px; line-height: 1.2; letter-spacing: -.01em; }
        .search { display: flex; align-items: center; gap: 6px; margin: 0 16px 8px;
          padding: 7px 8px; border-radius: 10px; background: var(--tertiarySystemFill);
          color: var(--secondaryLabel); flex: none; }
        .search .sf { width: 18px; height: 18px; flex: none; }
        .search .field { color: var(--label); }
        .bottom-bar { display: flex; justify-content: space-between; align-items: center;
          min-height: 49px; padding: 0 16px 34px; background: var(--material-bar);
          border-top: .5px solid var(--separator); }
        .tabs { min-height: 0; display: flex; flex-direction: column; }
        .tab-content { flex: 1; min-height: 0; display: flex; flex-direction: column;
          align-items: center; justify-content: center; }
        .tab-content:not(:has(> .navigation)) { padding-top: 54px; }
        .tab-bar { display: flex; background: var(--material-bar); border-top: .5px solid
          var(--separator); padding: 6px 0 28px; flex: none; }
        .screen .tab { flex: 1; color: var(--gray); font-size: 10px; font-weight: 500;
          position: relative; }
        .tab .label { flex-direction: column; gap: 2px; }
        .tab .sf { width: 25px; height: 25px; }
        .screen .tab.selected { color: var(--tint); }
        .tab .badge { position: absolute; top: -2px; inset-inline-start: calc(50% + 8px);
          background: var(--red); color: #fff; border-radius: 9px; font-size: 12px; min-width:
          18px; padding: 1px 5px; }
        .shade { position: absolute; inset: 0; background: rgba(0, 0, 0, .3); z-index: 20;
          animation: fade .25s; }
        @keyframes fade { from { opacity: 0; } }
        .sheet { position: absolute; inset: 60px 0 0; z-index: 21; border-radius: 12px 12px 0 0;
          background: var(--systemBackground); display: flex; flex-direction: column;
          align-items: center; justify-content: center; overflow: hidden;
          animation: rise .35s cubic-bezier(.2, .8, .2, 1); }
        .sheet:has(> .list) { background: var(--systemGroupedBackground); }
        .sheet .page { padding-top: 12px; }
        .cover { position: absolute; inset: 0; z-index: 21; display: flex; }
        @keyframes rise { from { transform: translateY(60%); } }
        .grabber { position: absolute; top: 6px; width: 36px; height: 5px; border-radius: 3px;
          background: var(--tertiaryLabel); z-index: 2; }
        .alert { position: absolute; z-index: 31; top: 50%; left: 50%; width: 270px;
          transform: translate(-50%, -50%); border-radius: 14px; text-align: center;
          background: var(--material-ultraThick); backdrop-filter: blur(24px);
          padding-top: 19px; animation: pop .2s; }
        .shade:has(+ .alert) { z-index: 30; }
        @keyframes pop { from { transform: translate(-50%, -50%) scale(1.15); opacity: 0; } }
        .screen .alert h2 { font-size: 17px; font-weight: 600; margin: 0 16px 2px; }
        .alert .message { font-size: 13px; margin: 0 16px 19px; }
        .alert > .choices { display: flex; flex-direction: row; flex-wrap: wrap;
          border-top: .5px solid var(--separator); }
        .screen .alert .button { flex: 1 1 50%; min-height: 44px; font-size: 17px; }
        .alert .button + .button { box-shadow: -.5px 0 0 var(--separator); }
        .screen .alert .button.cancel, .screen .dialog > .cancel { font-weight: 600; }
        .dialog { position: absolute; z-index: 31; inset: auto 8px 34px; display: flex;
          flex-direction: column; gap: 8px; animation: rise .3s; }
        .shade:has(+ .dialog) { z-index: 30; }
        .dialog > * { background: var(--material-ultraThick); backdrop-filter: blur(24px);
          border-radius: 14px; overflow: hidden; }
        .dialog .head { font-size: 13px; color: var(--secondaryLabel); text-align: center;
          padding: 14px 16px; display: flex; flex-direction: column; gap: 4px; }
        .screen .dialog .button { min-height: 57px; font-size: 20px; width: 100%;
          border-top: .5px solid var(--separator); }
        .screen .dialog > .cancel { border-top: 0; background: var(--key); }

        """
}
