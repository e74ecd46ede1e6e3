// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// Lists of what stays between passes. All of them hold one type of element: each type costs a
// module its own copy of the code of arrays, a kilobyte a type.

/// What lists hold.
public class _Node {
    init() {}
}

/// Something to run.
final class _Work: _Node {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
}

/// What an event does.
final class _Action: _Node {
    var run: (inout GuestReader) -> Void
    init(_ run: @escaping (inout GuestReader) -> Void) { self.run = run }
}

/// A list.
struct _Nodes {
    private var all: [_Node] = []

    var count: Int { all.count }
    var isEmpty: Bool { all.isEmpty }
    subscript(index: Int) -> _Node {
        @inline(never) get { all[index] }
    }

    /// An element whose type the list's owner knows.
    @inline(__always) func get<T: _Node>(_ index: Int, _ type: T.Type = T.self) -> T {
        unsafeDowncast(self[index], to: T.self)
    }

    @inline(never) mutating func append(_ node: _Node) { all.append(node) }

    @inline(never) mutating func set(_ index: Int, _ node: _Node) { all[index] = node }

    @inline(never) mutating func insert(_ node: _Node, at place: Int) {
        all.append(node)
        var index = all.count - 1
        while index > place {
            all[index] = all[index - 1]
            index -= 1
        }
        all[place] = node
    }

    @inline(never) mutating func remove(at place: Int) {
        var index = place
        while index < all.count - 1 {
            all[index] = all[index + 1]
            index += 1
        }
        all.removeLast()
    }

    /// Keeps the first `count` elements.
    @inline(never) mutating func cut(to count: Int) {
        while all.count > count { all.removeLast() }
    }
}
