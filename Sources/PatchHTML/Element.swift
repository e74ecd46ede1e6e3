/// An element of HTML that modifiers still change.
struct Element {
    var tag = "div"
    var classes: [String] = []
    var attributes: [(String, String)] = []
    var style: [(String, String)] = []
    /// What is inside, as HTML.
    var inner = ""
    /// Whether it takes all the width that it is offered.
    var fillsWidth = false
    /// Whether it takes all the height that it is offered.
    var fillsHeight = false
    /// What the row around it is to look like, when it is a row of a list.
    var row = RowLook()

    /// What a row's content says of the row.
    struct RowLook {
        var background: String?
        var insets: String?
        var hidesSeparator = false
        var swipe: String = ""
    }

    init(_ tag: String = "div", _ classes: String..., inner: String = "") {
        self.tag = tag
        self.classes = classes
        self.inner = inner
    }

    /// The element as HTML.
    var html: String {
        var text = "<\(tag)"
        let fills = (fillsWidth ? ["fx"] : []) + (fillsHeight ? ["fy"] : [])
        let all = (classes + fills).joined(separator: " ")
        if !all.isEmpty { text += " class=\"\(all)\"" }
        if !style.isEmpty {
            let list = style.map { "\($0.0): \($0.1)" }.joined(separator: "; ")
            text += " style=\"\(list.escaped)\""
        }
        for (name, value) in attributes { text += " \(name)=\"\(value.escaped)\"" }
        text += ">"
        if tag == "input" || tag == "img" { return text }
        return text + inner + "</\(tag)>"
    }

    /// The same element, taking all the space that it is offered by an axis.
    func filling(width: Bool = false, height: Bool = false) -> Element {
        var copy = self
        copy.fillsWidth = fillsWidth || width
        copy.fillsHeight = fillsHeight || height
        return copy
    }

    /// An element with others inside, as greedy as the greediest of them.
    func holding(_ elements: [Element]) -> Element {
        var copy = self
        copy.inner = elements.map(\.html).joined()
        return copy.filling(
            width: elements.contains(where: \.fillsWidth),
            height: elements.contains(where: \.fillsHeight))
    }

    /// Whether it is a spacer, whose axis its stack decides.
    var isSpacer: Bool { classes.contains("spacer") }

    /// The same element with an attribute more.
    func with(_ name: String, _ value: String) -> Element {
        var copy = self
        copy.attributes.append((name, value))
        return copy
    }

    /// The same element with a class more.
    func with(class name: String) -> Element {
        var copy = self
        copy.classes.append(name)
        return copy
    }

    /// The element with declarations that what is inside inherits. The innermost modifier wins, so a
    /// property that is set already stays, and the new one goes around.
    func styled(_ declarations: [(String, String)]) -> Element {
        let names = Set(style.map(\.0))
        if declarations.contains(where: { names.contains($0.0) }) { return wrapped(declarations) }
        var copy = self
        copy.style += declarations
        return copy
    }

    /// An element around this one, with declarations of its own.
    func wrapped(_ declarations: [(String, String)] = [], _ classes: String...) -> Element {
        var outer = Element("div")
        outer.classes = ["m"] + classes
        outer.style = declarations
        outer.inner = html
        outer.row = row
        outer.fillsWidth = fillsWidth
        outer.fillsHeight = fillsHeight
        return outer
    }
}

extension String {
    /// The text with what means something in HTML replaced, for contents and attributes.
    var escaped: String {
        var result = ""
        result.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
