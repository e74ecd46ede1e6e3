/// The namespace of what view trees are made of: views, modifiers and their arguments. The names in
/// it are SwiftUI's, which is why they have a place of their own.
public enum Tree {}

/// A view of a tree.
public struct ViewNode: Equatable, Sendable {
    /// What it is.
    public var view: Tree.View
    /// The views that it holds, part by part in the order of ``Tree/View/partNames``; parts at the
    /// end that hold nothing may be missing.
    public var parts: [[ViewNode]]
    /// What is done to it, in order.
    public var modifiers: [ModifierNode]

    /// A view.
    public init(
        _ view: Tree.View, children: [ViewNode] = [], modifiers: [ModifierNode] = []
    ) {
        self.view = view
        parts = children.isEmpty ? [] : [children]
        self.modifiers = modifiers
    }

    /// The views of its first part.
    public var children: [ViewNode] { part(0) }

    /// The views of a part; none when it is missing.
    public func part(_ index: Int) -> [ViewNode] { index < parts.count ? parts[index] : [] }
}

/// A modifier of a tree.
public struct ModifierNode: Equatable, Sendable {
    /// What it does.
    public var modifier: Tree.Modifier
    /// The views that it holds, part by part.
    public var parts: [[ViewNode]]

    /// A modifier.
    public init(_ modifier: Tree.Modifier, content: [ViewNode] = []) {
        self.modifier = modifier
        parts = content.isEmpty ? [] : [content]
    }

    /// The views of its first part.
    public var content: [ViewNode] { part(0) }

    /// The views of a part; none when it is missing.
    public func part(_ index: Int) -> [ViewNode] { index < parts.count ? parts[index] : [] }
}

/// Names an action of the guest: the same place in the source has the same token, pass after pass.
public struct EventToken: RawRepresentable, Hashable, Sendable {
    /// The number that the guest gave it.
    public var rawValue: UInt64
    /// Takes the guest's number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A value and how to change it.
public struct Bound<Value: Equatable & Sendable>: Equatable, Sendable {
    /// The value now.
    public var value: Value
    /// What takes a new one.
    public var token: EventToken
    /// A value with its token.
    public init(value: Value, token: EventToken) {
        self.value = value
        self.token = token
    }
}
