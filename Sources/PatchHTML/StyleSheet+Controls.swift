extension HTMLStyle {
    /// Controls.
    static let controls = """
        .screen .button { color: var(--tint); display: inline-flex; flex-direction: row;
          align-items: center; justify-content: center; gap: 6px; text-align: center; }
        .screen .button > .fx { flex: 1; }
        .screen .button:active, .screen .navigation-link:active { opacity: .4; }
        .screen .button.destructive { color: var(--red); }
        .screen .button.plain, .screen .buttons-plain .button,
        .screen .button.buttons-plain { color: inherit; }
        .screen .navigation-link { color: var(--tint); }
        .screen .row .navigation-link { color: inherit; }
        .screen .row > .button { justify-content: flex-start; align-self: stretch; }
        .buttons-bordered .button, .button.buttons-bordered {
          background: color-mix(in srgb, var(--tint) 15%, transparent); border-radius: 8px;
          padding: 7px 12px; }
        .screen .buttons-borderedProminent .button, .screen .button.buttons-borderedProminent {
          background: var(--tint); color: #fff; border-radius: 8px; padding: 7px 12px; }
        .screen .button.destructive.buttons-bordered { --tint: var(--red); }
        .screen .button.destructive.buttons-borderedProminent { background: var(--red); }
        .screen .size-large .button, .screen .button.size-large { padding: 14px 20px;
          border-radius: 12px; font-weight: 500; }
        .screen .size-small .button, .screen .button.size-small { padding: 4px 10px;
          font-size: var(--font-subheadline); border-radius: 14px; }
        .screen .size-mini .button, .screen .button.size-mini { padding: 2px 8px;
          font-size: var(--font-footnote); border-radius: 12px; }
        .toggle { display: flex; align-items: center; gap: 8px; cursor: pointer; }
        .toggle > .title { flex: 1; }
        .toggle > input { position: absolute; opacity: 0; width: 51px; height: 31px; }
        .toggle > .switch { flex: none; width: 51px; height: 31px; border-radius: 16px;
          background: var(--systemGray5); position: relative; transition: background .25s; }
        .toggle > .switch::after { content: ""; position: absolute; top: 2px;
          inset-inline-start: 2px; width: 27px; height: 27px; border-radius: 50%;
          background: var(--knob); box-shadow: 0 3px 8px rgba(0, 0, 0, .15),
          0 1px 1px rgba(0, 0, 0, .16); transition: inset-inline-start .25s; }
        .toggle > input:checked ~ .switch { background: var(--switch, var(--green)); }
        .toggle > input:checked ~ .switch::after { inset-inline-start: 22px; }
        .toggle > input:focus-visible ~ .switch { outline: 3px solid
          color-mix(in srgb, var(--blue) 50%, transparent); }
        .labels-hidden .title, .labels-hidden.toggle > .title { display: none; }
        .field { font: inherit; color: inherit; background: none; border: 0; outline: 0;
          width: 100%; padding: 0; letter-spacing: inherit; user-select: text;
          text-align: inherit; resize: none; }
        .field::placeholder { color: var(--placeholderText); opacity: 1; }
        .field { min-height: 22px; }
        .fields-roundedBorder .field, .field.fields-roundedBorder { border: .5px solid
          var(--opaqueSeparator); border-radius: 5px; padding: 6px 7px;
          background: var(--systemBackground); }
        .slider { width: 100%; appearance: none; height: 28px; background: none; margin: 0; }
        .slider::-webkit-slider-runnable-track { height: 4px; border-radius: 2px;
          background: linear-gradient(to right, var(--tint) var(--share),
          var(--systemFill) var(--share)); }
        .slider::-webkit-slider-thumb { appearance: none; width: 27px; height: 27px;
          margin-top: -12px; border-radius: 50%; background: var(--knob);
          box-shadow: 0 .5px 4px rgba(0, 0, 0, .12), 0 6px 13px rgba(0, 0, 0, .12); }
        .stepper { display: flex; align-items: center; gap: 8px; }
        .stepper > .title { flex: 1; }
        .stepper > .halves { display: flex; background: var(--tertiarySystemFill);
          border-radius: 8px; overflow: hidden; }
        .screen .stepper button { width: 47px; height: 32px; font-size: 20px; line-height: 1; }
        .screen .stepper button:active { background: var(--systemFill); }
        .screen .stepper button[disabled] { color: var(--tertiaryLabel); }
        .stepper button + button { border-inline-start: .5px solid var(--separator) !important; }
        .progress { display: flex; flex-direction: column; align-items: center; gap: 6px; }
        .progress.linear { align-items: stretch; }
        .progress .title { color: var(--secondaryLabel); }
        .progress.linear .title { color: inherit; }
        .progress .track { height: 4px; border-radius: 2px; background: var(--systemFill);
          overflow: hidden; display: block; }
        .progress .track > span { display: block; height: 100%; background: var(--tint);
          border-radius: 2px; }
        .spinner { width: 20px; height: 20px; border-radius: 50%; border: 2.5px solid
          var(--systemFill); border-top-color: var(--gray); animation: turn 1s linear infinite; }
        @keyframes turn { to { transform: rotate(1turn); } }
        .segments { display: flex; background: var(--tertiarySystemFill);
          border-radius: 9px; padding: 2px; }
        .screen .segment { flex: 1; font-size: 13px; padding: 5px 4px; border-radius: 7px;
          font-weight: 500; min-height: 28px; }
        .screen .segment.selected { background: var(--segment); font-weight: 600;
          box-shadow: 0 3px 8px rgba(0, 0, 0, .12), 0 3px 1px rgba(0, 0, 0, .04); }
        .choices { display: flex; flex-direction: column; }
        .screen .choice { text-align: start; padding: 8px 0; display: flex; }
        .screen .choice.selected::after { content: "✓"; color: var(--tint); margin-inline-start:
          auto; }
        .picker { display: flex; align-items: center; gap: 8px; position: relative; }
        .picker > .title { flex: 1; }
        .picker > .value { color: var(--secondaryLabel); display: inline-flex; gap: 4px;
          align-items: center; }
        .root .v > .picker > .value, .root .h > .picker > .value { color: var(--tint); }
        .picker > .value .sf { width: 14px; height: 14px; }
        .picker > select { position: absolute; inset: 0; opacity: 0; width: 100%;
          cursor: pointer; }
        .menu, .context { position: relative; }
        .menu-items { display: none; position: absolute; z-index: 50; top: 100%;
          inset-inline-end: 0; margin-top: 6px; min-width: 220px; border-radius: 13px;
          background: var(--material-ultraThick); backdrop-filter: blur(20px);
          box-shadow: 0 12px 40px rgba(0, 0, 0, .25); overflow: hidden; font-weight: 400; }
        .open > .menu-items { display: flex; flex-direction: column; }
        .screen .menu-items > .button { width: 100%; justify-content: space-between;
          padding: 11px 16px; color: var(--label); flex-direction: row-reverse;
          border-bottom: .5px solid var(--separator); min-height: 44px; }
        .screen .menu-items > .button.destructive { color: var(--red); }
        .menu-items > .button > .label { flex: 1; justify-content: space-between;
          flex-direction: row-reverse; }
        .bar .menu-items .label > .title { display: inline; }

        """
}
