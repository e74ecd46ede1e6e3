/// The look of ``HTMLScreen``.
public enum HTMLStyle {
    /// A style sheet for elements inside of one with the class `screen`; `dark` and `rtl` beside it
    /// and `--type-scale` in its style change scheme, direction and type size.
    public static let sheet = colors + layout + lists + controls + navigation
}
