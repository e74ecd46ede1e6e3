extension HTMLStyle {
    /// The system's colours and type sizes.
    static let colors = """
        .screen {
          --font: -apple-system, "SF Pro Text", Inter, "Helvetica Neue", Arial, sans-serif;
          --font-default: var(--font);
          --font-serif: "New York", Georgia, "DejaVu Serif", serif;
          --font-rounded: ui-rounded, "SF Pro Rounded", Nunito, var(--font);
          --font-monospaced: ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace;
          --type-scale: 1;
          --font-largeTitle: calc(34px * var(--type-scale));
          --font-title: calc(28px * var(--type-scale));
          --font-title2: calc(22px * var(--type-scale));
          --font-title3: calc(20px * var(--type-scale));
          --font-headline: calc(17px * var(--type-scale));
          --font-body: calc(17px * var(--type-scale));
          --font-callout: calc(16px * var(--type-scale));
          --font-subheadline: calc(15px * var(--type-scale));
          --font-footnote: calc(13px * var(--type-scale));
          --font-caption: calc(12px * var(--type-scale));
          --font-caption2: calc(11px * var(--type-scale));
          --red: #ff3b30; --orange: #ff9500; --yellow: #ffcc00; --green: #34c759;
          --mint: #00c7be; --teal: #30b0c7; --cyan: #32ade6; --blue: #007aff;
          --indigo: #5856d6; --purple: #af52de; --pink: #ff2d55; --brown: #a2845e;
          --gray: #8e8e93; --white: #fff; --black: #000; --clear: transparent;
          --accentColor: var(--blue); --tint: var(--accentColor); --link: var(--blue);
          --label: #000; --primary: var(--label);
          --secondaryLabel: rgba(60, 60, 67, .6); --secondary: var(--secondaryLabel);
          --tertiaryLabel: rgba(60, 60, 67, .3); --quaternaryLabel: rgba(60, 60, 67, .18);
          --placeholderText: rgba(60, 60, 67, .3);
          --systemBackground: #fff; --secondarySystemBackground: #f2f2f7;
          --tertiarySystemBackground: #fff; --systemGroupedBackground: #f2f2f7;
          --secondarySystemGroupedBackground: #fff; --tertiarySystemGroupedBackground: #f2f2f7;
          --systemFill: rgba(120, 120, 128, .2); --secondarySystemFill: rgba(120, 120, 128, .16);
          --tertiarySystemFill: rgba(118, 118, 128, .12);
          --separator: rgba(60, 60, 67, .29); --opaqueSeparator: #c6c6c8;
          --systemGray2: #aeaeb2; --systemGray3: #c7c7cc; --systemGray4: #d1d1d6;
          --systemGray5: #e5e5ea; --systemGray6: #f2f2f7;
          --material-ultraThin: rgba(255, 255, 255, .44); --material-thin: rgba(255, 255, 255, .6);
          --material-regular: rgba(250, 250, 250, .75); --material-thick: rgba(250, 250, 250, .85);
          --material-ultraThick: rgba(250, 250, 250, .92); --material-bar: rgba(249, 249, 249, .94);
          --key: #fff; --knob: #fff; --segment: #fff;
        }
        .screen.dark {
          --red: #ff453a; --orange: #ff9f0a; --yellow: #ffd60a; --green: #30d158;
          --mint: #63e6e2; --teal: #40c8e0; --cyan: #64d2ff; --blue: #0a84ff;
          --indigo: #5e5ce6; --purple: #bf5af2; --pink: #ff375f; --brown: #ac8e68;
          --label: #fff;
          --secondaryLabel: rgba(235, 235, 245, .6); --tertiaryLabel: rgba(235, 235, 245, .3);
          --quaternaryLabel: rgba(235, 235, 245, .16); --placeholderText: rgba(235, 235, 245, .3);
          --systemBackground: #000; --secondarySystemBackground: #1c1c1e;
          --tertiarySystemBackground: #2c2c2e; --systemGroupedBackground: #000;
          --secondarySystemGroupedBackground: #1c1c1e; --tertiarySystemGroupedBackground: #2c2c2e;
          --systemFill: rgba(120, 120, 128, .36); --secondarySystemFill: rgba(120, 120, 128, .32);
          --tertiarySystemFill: rgba(118, 118, 128, .24);
          --separator: rgba(84, 84, 88, .6); --opaqueSeparator: #38383a;
          --systemGray2: #636366; --systemGray3: #48484a; --systemGray4: #3a3a3c;
          --systemGray5: #2c2c2e; --systemGray6: #1c1c1e;
          --material-ultraThin: rgba(37, 37, 37, .55); --material-thin: rgba(37, 37, 37, .7);
          --material-regular: rgba(37, 37, 37, .82); --material-thick: rgba(37, 37, 37, .9);
          --material-ultraThick: rgba(37, 37, 37, .95); --material-bar: rgba(29, 29, 29, .94);
          --key: #2c2c2e; --segment: #636366;
        }

        """
}
