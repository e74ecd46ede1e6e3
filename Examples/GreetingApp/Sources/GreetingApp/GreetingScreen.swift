#if canImport(SwiftUI)
    import GreetingLogic
    import PatchSDK
    import SwiftUI

    struct GreetingScreen: View {
        @StateObject private var store = GreetingStore()

        var body: some View {
            VStack(spacing: 16) {
                UpdateBanner()
                Text(store.text)
                    .font(.title2)
                Button("Check for update") {
                    Task { await Banner.perform(.check) }
                }
            }
            .padding()
            // The local release is active when `start` returns, offline too.
            .task { await store.start() }
        }
    }

    struct UpdateBanner: View {
        @ObservedObject var updates = Patch.shared.updateState

        var body: some View {
            if let banner = Banner(updates.state) {
                VStack(spacing: 8) {
                    Text(banner.text)
                    if let progress = banner.progress { ProgressView(value: progress) }
                    if let button = banner.button {
                        Button(button.title) {
                            Task { await Banner.perform(button.action) }
                        }
                    }
                }
                .padding()
            }
        }
    }
#endif
