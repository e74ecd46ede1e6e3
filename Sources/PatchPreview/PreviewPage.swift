/// The page around the previewed screen.
enum PreviewPage {
    static let html = """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>Preview</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <link rel="stylesheet" href="/preview.css"></head>
        <body>
        <nav id="views" aria-label="Views"></nav>
        <main>
          <div id="tools">
            <button id="dark" aria-pressed="false">Dark</button>
            <button id="rtl" aria-pressed="false">Right to left</button>
            <label>Type size <input id="size" type="range" min="0" max="11" value="3"></label>
            <label>Language <select id="locale"></select></label>
            <button id="native" aria-pressed="false">Side by side</button>
            <button id="restart">Restart</button>
            <button id="inspect" aria-pressed="false">Tree</button>
          </div>
          <div id="devices">
            <figure><div class="device"><div class="screen" id="screen" tabindex="-1"></div>
              <div class="status-bar" id="status-bar"><span>9:41</span><span
                class="island"></span><span>100 %</span></div></div>
              <figcaption>Patch</figcaption></figure>
            <figure id="native-side" hidden><div class="device"><div class="screen"
              id="native-screen" tabindex="-1"></div>
              <div class="status-bar" id="native-bar"><span>9:41</span><span
                class="island"></span><span>100 %</span></div></div>
              <figcaption>Native <span id="same"></span></figcaption></figure>
          </div>
          <div id="figures" role="status"></div>
        </main>
        <aside id="tree" hidden></aside>
        <pre id="failure" hidden></pre>
        <script src="/preview.js"></script>
        </body></html>
        """

    static let style = """
        * { box-sizing: border-box; }
        body { margin: 0; display: flex; height: 100vh; font: 14px/1.4 -apple-system, Inter,
          "Helvetica Neue", Arial, sans-serif; background: #ececf1; color: #1c1c1e; }
        #views { width: 232px; padding: 20px 12px; overflow: auto; flex: none;
          border-right: 1px solid #d5d5db; background: #f6f6f9; }
        #views h2 { font-size: 11px; text-transform: uppercase; color: #8a8a92;
          margin: 14px 8px 6px; letter-spacing: .04em; }
        #views button { display: block; width: 100%; text-align: left; border: 0; background: none;
          font: inherit; padding: 6px 8px; border-radius: 7px; cursor: pointer; }
        #views button[aria-current] { background: #007aff; color: #fff; }
        main { flex: 1; display: flex; flex-direction: column; align-items: center; gap: 14px;
          padding: 16px; overflow: auto; }
        #tools { display: flex; gap: 8px; align-items: center; flex-wrap: wrap; }
        #tools button { border: 1px solid #cfcfd6; background: #fff; border-radius: 8px;
          font: inherit; padding: 5px 12px; cursor: pointer; }
        #tools button[aria-pressed=true] { background: #1c1c1e; color: #fff; }
        #tools select { font: inherit; padding: 4px 6px; border-radius: 8px;
          border: 1px solid #cfcfd6; background: #fff; }
        #tools label { display: flex; gap: 6px; align-items: center; color: #55555c; }
        #devices { display: flex; gap: 36px; }
        #devices:has(#native-side[hidden]) figcaption { display: none; }
        figure { margin: 0; flex: none; }
        figcaption { text-align: center; margin-top: 12px; color: #55555c; font-weight: 600; }
        #same { font-weight: 500; padding: 2px 8px; border-radius: 9px; margin-left: 4px; }
        #same.yes { background: #d7f5de; color: #14692a; }
        #same.no { background: #ffe1e0; color: #8e1b16; }
        .device { position: relative; width: 414px; height: 868px; padding: 12px; flex: none;
          border-radius: 62px; background: #0b0b0d; box-shadow: 0 20px 60px rgba(0, 0, 0, .28),
          0 0 0 2px #3a3a3f; }
        .device > .screen { width: 390px; height: 844px; border-radius: 50px; }
        .status-bar { position: absolute; inset: 12px 12px auto; height: 54px; display: grid;
          grid-template-columns: 1fr auto 1fr; align-items: center; justify-items: center;
          font-size: 16px; font-weight: 600; pointer-events: none; z-index: 60; }
        .status-bar.light { color: #fff; }
        .status-bar > :last-child { font-size: 13px; }
        .island { width: 122px; height: 36px; border-radius: 20px; background: #000; }
        #figures { color: #6c6c74; font-variant-numeric: tabular-nums; min-height: 20px; }
        #tree { width: 380px; flex: none; overflow: auto; background: #fff; padding: 14px;
          border-left: 1px solid #d5d5db; font: 12px/1.5 ui-monospace, Menlo, "DejaVu Sans Mono",
          monospace; }
        #tree details { margin-left: 12px; }
        #tree summary { cursor: pointer; white-space: nowrap; }
        #tree .mod { color: #7a4fb5; margin-left: 24px; white-space: nowrap; }
        #tree .arg { color: #8a8a92; }
        #failure { position: fixed; left: 250px; right: 18px; bottom: 18px; max-height: 45vh;
          overflow: auto; margin: 0; background: #2b0f12; color: #ffd9dc; border-radius: 10px;
          padding: 14px 16px; white-space: pre-wrap; font: 12.5px/1.5 ui-monospace, Menlo,
          monospace; box-shadow: 0 10px 40px rgba(0, 0, 0, .3); }
        @media (max-width: 760px) { #views { display: none; } main { padding: 0; } }

        """
}
