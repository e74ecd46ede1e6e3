/// Rows with aligned columns; numbers go right.
public struct Table: Sendable {
    /// How a column is aligned.
    public enum Alignment: Sendable {
        /// Words.
        case left
        /// Numbers.
        case right
    }

    /// A column's heading and alignment.
    public struct Column: Sendable {
        let title: String
        let alignment: Alignment

        /// Makes a column.
        public init(_ title: String, _ alignment: Alignment = .left) {
            self.title = title
            self.alignment = alignment
        }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    /// A table without rows.
    public init(_ columns: [Column]) { self.columns = columns }

    /// A table of left-aligned columns without rows.
    public init(_ titles: String...) { columns = titles.map { Column($0) } }

    /// Whether it has rows.
    public var isEmpty: Bool { rows.isEmpty }

    /// Adds a row; missing cells are empty, surplus ones are dropped.
    public mutating func add(_ cells: [String]) {
        let padding = Array(repeating: "", count: max(0, columns.count - cells.count))
        rows.append(Array((cells + padding).prefix(columns.count)))
    }

    /// The table as text lines under dimmed headings.
    public func lines(style: Style, indent: String = "") -> [String] {
        let all = [columns.map(\.title)] + rows
        let widths = columns.indices.map { index in
            all.map { Style.width(of: $0[index]) }.max() ?? 0
        }
        func line(_ cells: [String], heading: Bool) -> String {
            var text = indent
            for (index, cell) in cells.enumerated() {
                let blanks = String(repeating: " ", count: widths[index] - Style.width(of: cell))
                let shown = heading ? style.dim(cell) : cell
                let isLast = index == cells.count - 1
                switch columns[index].alignment {
                case .right: text += blanks + shown
                case .left: text += shown + (isLast ? "" : blanks)
                }
                if !isLast { text += "  " }
            }
            return text
        }
        let heading = columns.contains { !$0.title.isEmpty } ? [line(all[0], heading: true)] : []
        return heading + rows.map { line($0, heading: false) }
    }
}

extension Console {
    /// Prints a table as part of the result.
    public func print(_ table: Table, indent: String = "") {
        for line in table.lines(style: style, indent: indent) { print(line) }
    }

    /// Prints names and values in two columns as part of the result.
    public func print(fields: [(name: String, value: String)], indent: String = "  ") {
        let width = fields.map { Style.width(of: $0.name) }.max() ?? 0
        for (name, value) in fields {
            let blanks = String(repeating: " ", count: width - Style.width(of: name))
            print(indent + style.dim(name) + blanks + "  " + value)
        }
    }
}
