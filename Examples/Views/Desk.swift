import SwiftUI

/// What a desk knows; views listen to it.
final class DeskModel: ObservableObject {
    @Published var visits = 0
    @Published var note = ""
}

enum DeskField: Hashable {
    case name, room
}

/// The app that the example views would be.
struct DeskApp: App {
    var body: some Scene {
        WindowGroup { DeskScreen() }
    }
}

/// Settings that stay, the keyboard's place, work when something appears or is received.
struct DeskScreen: View {
    @StateObject private var model = DeskModel()
    @AppStorage("desk.name") private var name = "Nobody"
    @AppStorage("desk.isOpen") private var isOpen = true
    @AppStorage("desk.visitors") private var visitors: Int?
    @SceneStorage("desk.room") private var room = "Hall"
    @FocusState private var focus: DeskField?
    @State private var log: [String] = []
    @State private var isShown = false

    var body: some View {
        NavigationStack {
            List {
                Section {
                    TextField("Name", text: $name)
                        .focused($focus, equals: .name)
                        .onSubmit { focus = .room }
                    TextField("Room", text: $room)
                        .focused($focus, equals: .room)
                        .onSubmit { focus = nil }
                    Toggle("Open", isOn: $isOpen)
                } header: {
                    Text(focus == nil ? "Nothing is edited" : "Editing")
                }
                Section {
                    Button("Visit") {
                        model.visits += 1
                        visitors = (visitors ?? 0) + 1
                    }
                    .contextMenu { Button("Forget") { visitors = nil } }
                    DeskCount()
                    Menu("More") {
                        Button("Edit the name") { focus = .name }
                        Button("Show the log") { isShown = true }
                    }
                }
                .listRowBackground(Color.yellow.opacity(0.2))
                .listRowInsets(EdgeInsets(top: 4, leading: 20, bottom: 4, trailing: 20))
                Section {
                    Text("\(name), \(room), \(visitors ?? 0) visitors")
                    ForEach(log, id: \.self) { Text($0) }
                }
            }
            .navigationTitle("Desk")
            .navigationDestination(isPresented: $isShown) {
                Text("\(log.count) lines").onAppear { log.append("shown") }
            }
        }
        .environmentObject(model)
        .task { log.append("ready") }
        .onReceive(model.$visits) { log.append("visit \($0)") }
    }
}

private struct DeskCount: View {
    @EnvironmentObject private var model: DeskModel

    var body: some View {
        Text("\(model.visits) visits")
    }
}
