import Foundation
import PatchCompiler
import PatchCompression
import PatchHTML
import ViewTree
import WebAssembly

/// What a view costs on this machine, as a module draws it.
public struct ViewMeasurement: Sendable, Encodable {
    /// The view.
    public var name: String
    /// Views and modifiers of its tree.
    public var nodes: Int
    /// Bytes of the tree.
    public var treeBytes: Int
    /// Processor time of one whole drawing in the module, microseconds; the median.
    public var drawMicroseconds: Double
    /// Processor time of reading the tree and writing its HTML, microseconds; the median.
    public var htmlMicroseconds: Double
    /// Processor time from an event to its HTML, microseconds; the median, 0 without a control.
    public var eventMicroseconds: Double
    /// Bytes of the module's memory with this view mounted.
    public var memoryBytes: Int
    /// Bytes that memory grew by over all drawings after the first hundred.
    public var grownBytes: Int
}

/// The views of a folder, measured.
public struct ViewMeasurements: Sendable, Encodable {
    /// Bytes of the module with all of them, compressed by brotli as it ships: the host answers
    /// what Unicode's tables say.
    public var compressedBytes: Int
    /// The same before compression.
    public var moduleBytes: Int
    /// Seconds of the last build.
    public var buildSeconds: Double
    /// One entry a view.
    public var views: [ViewMeasurement]

    /// Builds the views of a folder and draws each `count` times.
    /// - Throws: what the build throws; ``ViewFault``.
    public init(source root: URL, builder: GuestBuilder, count: Int) throws {
        let files = try PreviewSource(root: root).files()
        let begun = Date()
        let built = try ViewModuleBuilder(builder).build(files, module: "Preview")
        buildSeconds = Date().timeIntervalSince(begun)
        var options = builder.options
        options.unicode = .host
        options.debugInformation = false
        let shipped = try ViewModuleBuilder(
            GuestBuilder(toolchain: builder.toolchain, options: options)
        ).build(files, module: "Preview")
        moduleBytes = shipped.module.wasm.count
        compressedBytes = try Brotli.compress(shipped.module.wasm).count
        let module = try parseWasm(bytes: built.module.wasm)
        try module.validate()
        views = try built.views.compactMap { try Self.measure($0, module, count) }
    }

    /// Nil for a view that is made with values, which nobody gives here: its previews stand for it.
    private static func measure(
        _ view: PatchedView, _ module: Module, _ count: Int
    ) throws -> ViewMeasurement? {
        let guest = try GuestViews(module) { imports, store in
            PreviewHost.define(
                in: &imports, store: store, settings: GuestSettings(), log: { _ in })
        }
        guard let mounted = try? guest.mount(view.id) else { return nil }
        var tree = try mounted.render()
        var treeBytes = 0
        var before = 0
        let draw = try median(count) { round in
            treeBytes = try mounted.renderedBytes().count
            if round == 100 { before = guest.memoryBytes }
        }
        let grown = guest.memoryBytes - before
        let bytes = try mounted.renderedBytes()
        let html = try median(count / 10) { _ in
            tree = try Tree.decode(bytes)
            _ = HTMLRenderer.screen(tree)
        }
        var event = 0.0
        if let token = tap(in: tree) {
            event = try median(count / 10) { _ in
                _ = try mounted.send(token)
                _ = HTMLRenderer.screen(try mounted.render())
            }
        }
        return ViewMeasurement(
            name: view.name, nodes: nodes(tree), treeBytes: treeBytes, drawMicroseconds: draw,
            htmlMicroseconds: html, eventMicroseconds: event, memoryBytes: guest.memoryBytes,
            grownBytes: grown)
    }

    private static func nodes(_ views: [ViewNode]) -> Int {
        views.reduce(0) { sum, view in
            let modifiers = view.modifiers.reduce(0) { $0 + 1 + nodes($1.parts.flatMap { $0 }) }
            return sum + 1 + modifiers + nodes(view.parts.flatMap { $0 })
        }
    }

    /// Something to tap.
    private static func tap(in views: [ViewNode]) -> EventToken? {
        for view in views {
            if case .button(_, let action) = view.view { return action }
            if let inner = tap(in: view.parts.flatMap { $0 }) { return inner }
        }
        return nil
    }

    /// Microseconds of this thread's processor time.
    private static func median(_ count: Int, _ body: (Int) throws -> Void) rethrows -> Double {
        var times: [Double] = []
        for round in 0..<max(count, 3) {
            let begun = now()
            try body(round)
            times.append(now() - begun)
        }
        return times.sorted()[times.count / 2]
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}
