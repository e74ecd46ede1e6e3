// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is for the host build's own modules.

// Views of another producer among native ones: the host build shows what a module drew in the
// place of a native body, and gives the module the events of it.

#if !hasFeature(Embedded)
    /// What stands in a place and outlives a pass.
    final class _Kept<Value>: _AnyLocation {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    /// The events and rows of a tree that another producer wrote.
    public final class _Foreign {
        /// Takes an event: the other producer's token, and the payload.
        public var send: (UInt64, [UInt8]) -> Void = { _, _ in }
        /// Makes a row: the other producer's token, and the index.
        public var row: (UInt64, Int) -> [UInt8]? = { _, _ in nil }
        private var ordinals: [UInt64: Int] = [:]
        private var tokens: [UInt64] = []
        weak var scope: _Scope?

        public init() {}

        /// The token that stands for one of the other producer's, the same for as long as this is
        /// kept.
        public func token(_ other: UInt64) -> UInt64 {
            guard let scope else { return 0 }
            let ordinal = ordinals[other] ?? tokens.count
            if ordinal == tokens.count {
                ordinals[other] = ordinal
                tokens.append(other)
            }
            while scope.actions.count <= ordinal {
                let number = scope.actions.count
                scope.actions.append(
                    _Action { [weak self] reader in
                        guard let self, number < tokens.count else { return }
                        send(tokens[number], reader.unread)
                    })
            }
            return UInt64(scope.id) << 32 | UInt64(ordinal)
        }

        func row(ordinal: Int, _ index: Int) -> [UInt8]? {
            ordinal < tokens.count ? row(tokens[ordinal], index) : nil
        }
    }

    extension _Emitter {
        /// Enters a place of its own.
        public func enterForeign() -> _Scope { enterNext() }

        /// Enters one side of it: native views and foreign ones have actions of their own.
        public func enterSide(isForeign: Bool) { _ = enter(isForeign ? 1 : 0) }

        /// Leaves it for the one outside.
        public func leaveForeign(_ outer: _Scope) { leave(outer) }

        /// What is kept at this place, made at the first visit.
        public func kept<Value>(_ make: () -> Value) -> Value {
            if let kept = scope.first as? _Kept<Value> { return kept.value }
            let made = _Kept(make())
            scope.keep(made, 0)
            return made.value
        }

        /// Writes views of another producer.
        public func write(_ views: [UInt8], count more: Int, _ foreign: _Foreign) {
            scope.foreign = foreign
            foreign.scope = scope
            write(views)
            nodes += more
        }

        /// Runs something when the pass is done.
        public func afterPass(_ body: @escaping () -> Void) { after.append(_Work(body)) }

        /// What surrounds the place, in the form of `op_mount`.
        public var surroundings: [UInt8] {
            let now = _surroundings.values
            func double(_ value: Double) -> [UInt8] {
                [0xcb] + withUnsafeBytes(of: value.bitPattern.bigEndian) { Array($0) }
            }
            return [
                0x97, now.colorScheme.rawValue, now.layoutDirection.rawValue,
                now.dynamicTypeSize.rawValue, now.horizontalSizeClass?.rawValue ?? 0,
                now.verticalSizeClass?.rawValue ?? 1,
            ] + double(now.size.width) + double(now.size.height)
        }
    }

    extension _Foreign {
        /// Says which place the tokens of the next tree belong to.
        public func attach(_ e: _Emitter) { scope = e.scope }
    }

    /// Says that something changed that is to be drawn.
    public func _noteChange() { _noteWideChange() }
#endif
