import SwiftUI

struct Account {
    var name = "Ada"
    var isPrivate = false
    var volume = 0.5
    var copies = 2
    var address = Address()

    struct Address {
        var city = "Oslo"
    }
}

enum Theme: String, CaseIterable, Identifiable {
    case system = "System"
    case light = "Light"
    case dark = "Dark"

    var id: String { rawValue }
}

/// A form with each kind of control, parts of one value behind bindings, an alert and a dialog.
struct SettingsScreen: View {
    @State private var account = Account()
    @State private var theme: Theme = .system
    @State private var isAsking = false
    @State private var isDeleting = false
    @State private var changes = 0

    var body: some View {
        NavigationStack {
            Form {
                Section("Account") {
                    TextField("Name", text: $account.name)
                    TextField("City", text: $account.address.city)
                    Toggle("Private profile", isOn: $account.isPrivate)
                    if account.isPrivate {
                        Label("Only friends see you", systemImage: "lock.fill")
                            .font(.footnote)
                            .foregroundColor(.secondary)
                    }
                }
                Section {
                    Picker("Theme", selection: $theme) {
                        ForEach(Theme.allCases) { theme in
                            Text(theme.rawValue).tag(theme)
                        }
                    }
                    HStack {
                        Image(systemName: "bell")
                        Slider(value: $account.volume, in: 0...1, step: 0.25)
                    }
                    Stepper("Copies: \(account.copies)", value: $account.copies, in: 1...5)
                    ProgressView(value: account.volume)
                } header: {
                    Text("Look and sound")
                } footer: {
                    Text("Volume is at \(Int(account.volume * 100)) %.")
                }
                Section {
                    LabeledContent("Version", value: "2.1")
                    Button("Reset") { isAsking = true }
                    Button("Delete account", role: .destructive) { isDeleting = true }
                }
            }
            .navigationTitle("Settings")
            .toolbar {
                ToolbarItem(placement: .navigationBarTrailing) {
                    Text("\(changes)").foregroundColor(.secondary)
                }
            }
            .onChange(of: account.name) { _ in changes += 1 }
            .onChange(of: theme) { _ in changes += 1 }
            .alert("Reset everything?", isPresented: $isAsking) {
                Button("Cancel", role: .cancel) {}
                Button("Reset", role: .destructive) { account = Account() }
            } message: {
                Text("\(account.name) will be forgotten.")
            }
            .confirmationDialog("Delete?", isPresented: $isDeleting, titleVisibility: .visible) {
                Button("Delete", role: .destructive) { account.name = "" }
            }
        }
    }
}
