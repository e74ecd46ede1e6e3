// What the library has for texts in more code than a module needs. Declarations here hide the
// library's, with the same results.

extension Sequence where Element: StringProtocol {
    /// The texts one after the other, with one between them.
    public func joined(separator: String = "") -> String {
        var result = ""
        var isFirst = true
        for element in self {
            if !isFirst { result += separator }
            result += String(element)
            isFirst = false
        }
        return result
    }
}

extension BidirectionalCollection where Element == String {
    /// The texts one after the other, with one between them.
    public func joined(separator: String = "") -> String {
        var result = ""
        var isFirst = true
        for element in self {
            if !isFirst { result += separator }
            result += element
            isFirst = false
        }
        return result
    }
}

extension Sequence where Element == String {
    /// The texts in order; equal ones keep theirs.
    public func sorted() -> [String] {
        let texts = Array(self)
        return Order(of: texts).numbers.map { texts[$0] }
    }
}

extension Array where Element == String {
    /// Puts the texts in order; equal ones keep theirs.
    public mutating func sort() { self = sorted() }
}

/// The order of texts, found by merging ever longer runs.
private struct Order {
    private(set) var numbers: [Int]

    init(of texts: [String]) {
        numbers = Array(texts.indices)
        var merged = numbers
        var width = 1
        while width < numbers.count {
            var start = 0
            while start < numbers.count {
                let middle = Swift.min(start + width, numbers.count)
                let end = Swift.min(middle + width, numbers.count)
                var left = start
                var right = middle
                for next in start..<end {
                    let takesRight =
                        left == middle
                        || right < end && texts[numbers[right]] < texts[numbers[left]]
                    merged[next] = numbers[takesRight ? right : left]
                    if takesRight { right += 1 } else { left += 1 }
                }
                start = end
            }
            swap(&numbers, &merged)
            width *= 2
        }
    }
}
