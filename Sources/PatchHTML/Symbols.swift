/// Drawings that stand in for system symbols, which are Apple's and not to be had elsewhere. They
/// are simple on purpose: a preview must show where a symbol is and roughly which.
enum Symbols {
    /// A symbol as inline SVG; a box with dots for one that has no drawing.
    static func svg(_ name: String) -> String {
        var base = name
        var isFilled = false
        var frame = ""
        for (ending, shape) in [(".circle", circle), (".square", square)] {
            if base.hasSuffix(ending + ".fill") {
                base.removeLast(ending.count + 5)
                isFilled = true
                frame = shape
            } else if base.hasSuffix(ending) {
                base.removeLast(ending.count)
                frame = shape
            }
        }
        if base.hasSuffix(".fill"), drawings[base] == nil {
            base.removeLast(5)
            isFilled = true
        }
        if let whole = drawings[name] { return wrap(whole, isFilled: isFilled) }
        guard let drawing = drawings[base] else {
            if base == "circle" || base == "square" {
                return wrap(base == "circle" ? circle : square, isFilled: isFilled)
            }
            return wrap(unknown, isFilled: false)
        }
        if frame.isEmpty { return wrap(drawing, isFilled: isFilled) }
        let inner =
            "<g transform=\"translate(12 12) scale(.58) translate(-12 -12)\">"
            + drawing + "</g>"
        if isFilled {
            return wrap(
                "<g fill=\"currentColor\">\(frame)</g><g stroke=\"var(--on-symbol, #fff)\">"
                    + "\(inner)</g>", isFilled: false)
        }
        return wrap(frame + inner, isFilled: false)
    }

    private static func wrap(_ drawing: String, isFilled: Bool) -> String {
        "<svg class=\"sf\" viewBox=\"0 0 24 24\" fill=\"\(isFilled ? "currentColor" : "none")\" "
            + "stroke=\"currentColor\" stroke-width=\"1.8\" stroke-linecap=\"round\" "
            + "stroke-linejoin=\"round\" aria-hidden=\"true\">\(drawing)</svg>"
    }

    private static let circle = "<circle cx=\"12\" cy=\"12\" r=\"9.5\"/>"
    private static let square =
        "<rect x=\"3\" y=\"3\" width=\"18\" height=\"18\" rx=\"4\"/>"
    private static let unknown =
        square + "<path d=\"M8 12h.01M12 12h.01M16 12h.01\" stroke-width=\"2.4\"/>"

    private static func path(_ d: String) -> String { "<path d=\"\(d)\"/>" }

    private static let drawings: [String: String] = [
        "plus": path("M12 5v14M5 12h14"),
        "minus": path("M5 12h14"),
        "xmark": path("M6 6l12 12M18 6L6 18"),
        "checkmark": path("M5 13l4.5 4.5L19 7"),
        "chevron.right": path("M9 5l7 7-7 7"),
        "chevron.left": path("M15 5l-7 7 7 7"),
        "chevron.up": path("M5 15l7-7 7 7"),
        "chevron.down": path("M5 9l7 7 7-7"),
        "chevron.forward": path("M9 5l7 7-7 7"),
        "chevron.backward": path("M15 5l-7 7 7 7"),
        "chevron.up.chevron.down": path("M8 9.5l4-4 4 4M8 14.5l4 4 4-4"),
        "arrow.right": path("M4 12h16M13 5l7 7-7 7"),
        "arrow.left": path("M20 12H4M11 5l-7 7 7 7"),
        "arrow.up": path("M12 20V4M5 11l7-7 7 7"),
        "arrow.down": path("M12 4v16M5 13l7 7 7-7"),
        "arrow.clockwise": path("M19 12a7 7 0 1 1-2.2-5.1M19 3v4.5h-4.5"),
        "arrow.counterclockwise": path("M5 12a7 7 0 1 0 2.2-5.1M5 3v4.5h4.5"),
        "star": path(
            "M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1.1 5.9L12 16.9l-5.3 2.8 1.1-5.9"
                + "L3.5 9.7l5.9-.8z"),
        "heart": path(
            "M12 20s-8-4.6-8-10.4C4 6.9 6 5 8.2 5c1.6 0 3 .9 3.8 2.3"
                + "C12.8 5.9 14.2 5 15.8 5 18 5 20 6.9 20 9.6 20 15.4 12 20 12 20z"),
        "trash": path("M4 6.5h16M9.5 6V4h5v2M6 6.5l1 13.5h10l1-13.5M10 10v6.5M14 10v6.5"),
        "pencil": path("M4 20l1-4L16.5 4.5l3 3L8 19z"),
        "gear": "<circle cx=\"12\" cy=\"12\" r=\"3\"/>"
            + path(
                "M12 2.5v3M12 18.5v3M2.5 12h3M18.5 12h3M5.3 5.3l2.1 2.1"
                    + "M16.6 16.6l2.1 2.1M5.3 18.7l2.1-2.1M16.6 7.4l2.1-2.1"),
        "gearshape": "<circle cx=\"12\" cy=\"12\" r=\"3\"/><circle cx=\"12\" cy=\"12\" r=\"7.5\"/>",
        "magnifyingglass": "<circle cx=\"10.5\" cy=\"10.5\" r=\"6\"/>"
            + path("M15 15l5.5 5.5"),
        "person": "<circle cx=\"12\" cy=\"8\" r=\"4\"/>"
            + path("M4.5 20c.8-4 3.6-6 7.5-6s6.7 2 7.5 6z"),
        "person.2":
            "<circle cx=\"9\" cy=\"8.5\" r=\"3.5\"/><circle cx=\"17\" cy=\"9.5\" r=\"2.5\"/>"
            + path("M2.5 19c.600-3.5 3-5.5 6.5-5.5s5.9 2 6.5 5.5zM17 14.5c2.5 0 4 1.5 4.5 4.5"),
        "house": path("M4 11l8-7 8 7v9h-5.5v-6h-5v6H4z"),
        "cart":
            "<circle cx=\"9.5\" cy=\"19.5\" r=\"1.3\"/><circle cx=\"16.5\" cy=\"19.5\" r=\"1.3\"/>"
            + path("M3 4.5h2.5l2.5 11h9.5l2-8H6.5"),
        "bag": path("M5 8h14l1 12H4zM8.5 8a3.5 3.5 0 0 1 7 0"),
        "tag": path("M3.5 11V4.5H10l10.5 9-6.5 7zM7.3 8h.01"),
        "bell": path("M6 17v-6a6 6 0 0 1 12 0v6l1.5 1.5h-15zM10 21h4"),
        "envelope": "<rect x=\"3\" y=\"5.5\" width=\"18\" height=\"13\" rx=\"2\"/>"
            + path("M3.5 7l8.5 6.5L20.5 7"),
        "phone": path(
            "M5 4h4l1.5 4.5-2.3 1.5a11 11 0 0 0 5.8 5.8l1.5-2.3L20 15v4"
                + "c-8 1.5-16.5-7-15-15z"),
        "calendar": "<rect x=\"3.5\" y=\"5\" width=\"17\" height=\"15.5\" rx=\"2.5\"/>"
            + path("M3.5 10h17M8 3v4M16 3v4"),
        "clock": circle + path("M12 6.5V12l3.5 2"),
        "photo": "<rect x=\"3\" y=\"5\" width=\"18\" height=\"14\" rx=\"2.5\"/>"
            + path("M3.5 16.5l5-5 4.5 4.5 3-2.5 4.5 4M15.5 9h.01"),
        "camera": "<rect x=\"3\" y=\"7\" width=\"18\" height=\"12.5\" rx=\"2.5\"/>"
            + "<circle cx=\"12\" cy=\"13\" r=\"3.5\"/>" + path("M8.5 7l1.2-2.5h4.6L15.5 7"),
        "info": path("M12 11v6M12 7.2h.01"),
        "questionmark": path("M8.5 9a3.5 3.5 0 1 1 5 3.2c-1 .5-1.5 1.2-1.5 2.3M12 18h.01"),
        "exclamationmark": path("M12 5v9M12 18.5h.01"),
        "exclamationmark.triangle": path("M12 4l9.5 16h-19zM12 10v4.5M12 17.3h.01"),
        "ellipsis": path("M6 12h.01M12 12h.01M18 12h.01"),
        "list.bullet": path("M8.5 6H20M8.5 12H20M8.5 18H20M4.5 6h.01M4.5 12h.01M4.5 18h.01"),
        "line.3.horizontal": path("M4 7h16M4 12h16M4 17h16"),
        "square.and.arrow.up": path("M12 14.5V3.5M8 7l4-3.5L16 7M6.5 10.5H5v10h14v-10h-1.5"),
        "square.and.pencil": path("M12 4.5H4.5v15h15V12M9.5 14.5l1-3.5 8-8 2.5 2.5-8 8z"),
        "doc": path("M6 3.5h8l4.5 4.5v12.5H6zM13.5 3.5V8.5h5"),
        "folder": path("M3 6.5h6l2 2.5h10v10.5H3z"),
        "lock": "<rect x=\"5\" y=\"10.5\" width=\"14\" height=\"10\" rx=\"2\"/>"
            + path("M8 10.5V8a4 4 0 0 1 8 0v2.5"),
        "eye": path(
            "M2.5 12C5 7.5 8.2 5.5 12 5.5s7 2 9.5 6.5c-2.5 4.5-5.7 6.5-9.5 6.5"
                + "S5 16.5 2.5 12z") + "<circle cx=\"12\" cy=\"12\" r=\"2.8\"/>",
        "moon": path("M19.5 14.5A8 8 0 1 1 9.5 4.5a6.5 6.5 0 0 0 10 10z"),
        "sun.max": "<circle cx=\"12\" cy=\"12\" r=\"4\"/>"
            + path(
                "M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4"
                    + "M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4"),
        "bolt": path("M13.5 2.5L5 13.5h6l-1.5 8 9-11.5h-6z"),
        "flame": path(
            "M12 2.5c1 4 5.5 6 5.5 11a5.5 5.5 0 0 1-11 0c0-2.5 1.5-3.5 2-6"
                + " 1.5.5 2 1.5 2.5 2.5 1-1.5 1.5-4 1-7.5z"),
        "leaf": path("M5 19C4 10 9 4.5 20 4.5c.5 11-5 15.5-12 13.5M5 19c2-5 5-7.5 9-9"),
        "map": path("M3.5 6l5.5-2 6 2 5.5-2v14l-5.5 2-6-2-5.5 2zM9 4v14M15 6v14"),
        "location": path("M20.5 3.5L3.5 11l7.5 2 2 7.5z"),
        "globe": circle
            + path(
                "M2.5 12h19M12 2.5c3.5 3.5 3.5 15.5 0 19M12 2.5c-3.5 3.5-3.5"
                    + " 15.5 0 19"),
        "play": path("M7 4.5l12 7.5-12 7.5z"),
        "pause": path("M8 5v14M16 5v14"),
        "creditcard": "<rect x=\"2.5\" y=\"5.5\" width=\"19\" height=\"13.5\" rx=\"2.5\"/>"
            + path("M2.5 10h19M6 15h4"),
        "gift": path(
            "M4 12h16v8.5H4zM3 8h18v4H3zM12 8v12.5M12 8C8 8 6.5 3.5 9 3.5S12 8 12 8"
                + "s.5-4.5 3-4.5S16 8 12 8"),
        "hand.thumbsup": path(
            "M7 10.5l4-7c2 0 2.5 1.5 2 3l-.8 3H19l-1.5 9.5H7zM3.5 10.5H7V19"
                + "H3.5z"),
        "square.grid.2x2": "<rect x=\"3.5\" y=\"3.5\" width=\"7\" height=\"7\" rx=\"1.5\"/>"
            + "<rect x=\"13.5\" y=\"3.5\" width=\"7\" height=\"7\" rx=\"1.5\"/>"
            + "<rect x=\"3.5\" y=\"13.5\" width=\"7\" height=\"7\" rx=\"1.5\"/>"
            + "<rect x=\"13.5\" y=\"13.5\" width=\"7\" height=\"7\" rx=\"1.5\"/>",
    ]
}
