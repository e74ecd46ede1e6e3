// Only what runs on iOS: on other systems of Apple's a view is the app's own.
#if canImport(SwiftUI) && !os(macOS) && !os(tvOS) && !os(watchOS)

    import Foundation
    import PatchSDK
    import SwiftUI
    import ViewTree

    /// The body of a view whose module may draw it: the content of the module where there is one
    /// that does, else the app's own. `patchcli prepare` puts it around bodies.
    public struct PatchedBody<Content: View>: View {
        private let view: PatchedView?
        private let content: () -> Content
        @StateObject private var place = PatchedPlace()
        @Environment(\.colorScheme) private var scheme
        @Environment(\.layoutDirection) private var direction
        @Environment(\.dynamicTypeSize) private var typeSize
        @Environment(\.horizontalSizeClass) private var horizontal
        @Environment(\.verticalSizeClass) private var vertical
        @Environment(\.dismiss) private var dismiss

        /// A body.
        /// - Parameters:
        ///   - view: what the view holds; nil when no module draws it.
        ///   - content: the app's own body.
        public init(_ view: PatchedView?, @ViewBuilder content: @escaping () -> Content) {
            self.view = view
            self.content = content
        }

        /// What is shown.
        public var body: some View {
            // Read, so that another release draws the view again.
            let _ = place.generation
            let tree = place.draw(view, in: surroundings, dismiss: { dismiss() })
            if let tree {
                TreeNodes(nodes: tree, place: place)
            } else {
                content()
            }
        }

        private var surroundings: Surroundings {
            var all = Surroundings()
            all.scheme = scheme == .dark ? .dark : .light
            all.isRightToLeft = direction == .rightToLeft
            all.typeSize = UInt8(
                clamping: DynamicTypeSize.allCases.firstIndex(of: typeSize) ?? 3)
            all.isRegularWidth = horizontal == .regular
            all.isRegularHeight = vertical != .compact
            return all
        }
    }

#else

    import PatchSDK

    #if canImport(SwiftUI)
        import SwiftUI

        /// The body of a view, which is the app's own on this system.
        public struct PatchedBody<Content: View>: View {
            private let content: Content

            /// A body.
            public init(_ view: PatchedView?, @ViewBuilder content: () -> Content) {
                self.content = content()
            }

            /// What is shown.
            public var body: some View { content }
        }
    #endif

#endif
