import PatchSDK
import SwiftUI
import ViewTree

/// The body of a view whose module may draw it: the content of the module where there is one that
/// does, else the app's own. `patchcli prepare` puts it around bodies.
public struct PatchedBody<Content: View>: _Primitive {
    private let view: PatchedView?
    private let content: () -> Content

    /// A body.
    /// - Parameters:
    ///   - view: what the view holds; nil when no module draws it.
    ///   - content: the app's own body.
    public init(_ view: PatchedView?, @ViewBuilder content: @escaping () -> Content) {
        self.view = view
        self.content = content
    }

    /// Writes what is shown.
    public func _emit(_ e: _Emitter) {
        let outer = e.enterForeign()
        let place = e.kept { Place() }
        if let view,
            let bytes = place.mount.render(
                view, surroundings: e.surroundings, changesOnly: place.last != nil),
            let views = place.read(bytes)
        {
            e.enterSide(isForeign: true)
            let drawn = place.translated(views, e)
            e.write(drawn.bytes, count: drawn.count, place.foreign)
            e.afterPass { place.mount.settle() }
        } else {
            place.mount.end()
            place.last = nil
            e.enterSide(isForeign: false)
            content()._emit(e)
        }
        e.leaveForeign(outer)
    }
}

/// A module's view in its place among native ones.
private final class Place {
    let mount = PatchedViewMount()
    let foreign = _Foreign()
    /// The tree that was drawn last, which the next one may only change.
    var last: [ViewNode]?

    init() {
        foreign.send = { [unowned self] token, payload in
            // A view that failed in it is drawn natively next.
            if !mount.send(token, payload).isEmpty { _noteChange() }
        }
        foreign.row = { [unowned self] token, index in
            guard let bytes = mount.row(token, index) else { return nil }
            do {
                return Tree.encode(try Tree.decode(bytes), tokens: translate)
            } catch {
                mount.refuse("\(error)")
                _noteChange()
                return nil
            }
        }
    }

    private func translate(_ token: EventToken) -> EventToken {
        EventToken(rawValue: foreign.token(token.rawValue))
    }

    /// The module's views; nil when nobody can read them.
    func read(_ bytes: [UInt8]) -> [ViewNode]? {
        do {
            let views = try Tree.applying(bytes, to: last ?? [])
            last = views
            // The place of the mounted view is the native one's.
            if views.count == 1, case .scope = views[0].view { return views[0].children }
            return views
        } catch {
            last = nil
            mount.refuse("\(error)")
            return nil
        }
    }

    /// Views as bytes, with tokens of the place where `e` is.
    func translated(_ views: [ViewNode], _ e: _Emitter) -> (bytes: [UInt8], count: Int) {
        foreign.attach(e)
        return (Tree.encode(views, tokens: translate), views.count)
    }
}
