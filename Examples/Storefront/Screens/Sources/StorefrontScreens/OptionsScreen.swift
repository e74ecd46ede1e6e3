import SwiftUI

/// How the shop behaves for somebody.
struct OptionsScreen: View {
    @State private var isLoud = true
    @State private var volume = 0.5
    @State private var size = "Medium"
    @State private var isAsking = false
    @State private var resets = 0
    @Environment(\.colorScheme) private var scheme

    var body: some View {
        Form {
            Section("Sound") {
                Toggle("Sounds", isOn: $isLoud)
                if isLoud {
                    Slider(value: $volume, in: 0...1, step: 0.25)
                    Text("Volume \(Int(volume * 100)) %")
                        .font(.footnote)
                }
            }
            Section("Look") {
                Picker("Text", selection: $size) {
                    ForEach(["Small", "Medium", "Large"], id: \.self) { Text($0).tag($0) }
                }
                LabeledContent("Colours", value: scheme == .dark ? "Dark" : "Light")
            }
            Section {
                Button("Reset", role: .destructive) { isAsking = true }
            } footer: {
                Text("Reset \(resets) times")
            }
        }
        .navigationTitle("Settings")
        .confirmationDialog("Reset?", isPresented: $isAsking, titleVisibility: .visible) {
            Button("Reset all", role: .destructive) { reset() }
        }
    }

    private func reset() {
        isLoud = true
        volume = 0.5
        size = "Medium"
        resets += 1
    }
}
