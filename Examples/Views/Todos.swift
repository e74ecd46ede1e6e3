import SwiftUI

struct Chore: Identifiable, Hashable, Codable {
    let id: Int
    var title: String
    var isDone = false
    var address = Place()
}

struct Place: Hashable, Codable {
    var room = "Kitchen"
}

enum ChoreFilter: String, CaseIterable {
    case all, open, done

    var title: String { rawValue.capitalizedWord }
}

extension String {
    var capitalizedWord: String { prefix(1).uppercased() + dropFirst() }
}

/// A list that is filtered, added to, edited in place and deleted from; each row has its own state.
struct ChoresScreen: View {
    @State private var chores = [
        Chore(id: 1, title: "Water the plants"),
        Chore(id: 2, title: "Fix the bike", isDone: true),
        Chore(id: 3, title: "Write to Zoë 🍯"),
    ]
    @State private var draft = ""
    @State private var filter: ChoreFilter = .all
    @State private var selected: Int?

    private var visible: [Chore] {
        chores.filter { chore in
            switch filter {
            case .all: return true
            case .open: return !chore.isDone
            case .done: return chore.isDone
            }
        }
    }

    var body: some View {
        List {
            Section {
                Picker("Show", selection: $filter) {
                    ForEach(ChoreFilter.allCases, id: \.self) { Text($0.title).tag($0) }
                }
                .pickerStyle(.segmented)
                HStack {
                    TextField("New chore", text: $draft)
                        .onSubmit { add() }
                    Button {
                        add()
                    } label: {
                        Image(systemName: "plus.circle.fill")
                    }
                    .disabled(draft.isEmpty)
                }
            }
            Section {
                ForEach(visible) { chore in
                    ChoreRow(chore: chore, isSelected: selected == chore.id) {
                        toggle(chore.id)
                    }
                    .onTapGesture { selected = selected == chore.id ? nil : chore.id }
                }
                .onDelete { places in
                    let ids = places.map { visible[$0].id }
                    chores.removeAll { ids.contains($0.id) }
                }
            } header: {
                Text("\(chores.filter { !$0.isDone }.count) of \(chores.count) open")
            } footer: {
                summary
            }
        }
    }

    @ViewBuilder private var summary: some View {
        if let id = selected, let chore = chores.first(where: { $0.id == id }) {
            Text("Selected: \(chore.title)")
        }
        Text("Done: \(share, specifier: "%.1f") %")
    }

    private var share: Double {
        guard !chores.isEmpty else { return 0 }
        return Double(chores.filter(\.isDone).count) * 100 / Double(chores.count)
    }

    private func add() {
        guard !draft.isEmpty else { return }
        chores.append(Chore(id: (chores.map(\.id).max() ?? 0) + 1, title: draft))
        draft = ""
    }

    private func toggle(_ id: Int) {
        guard let place = chores.firstIndex(where: { $0.id == id }) else { return }
        chores[place].isDone.toggle()
    }
}

struct ChoreRow: View {
    let chore: Chore
    let isSelected: Bool
    let toggle: () -> Void
    @State private var looks = 0

    var body: some View {
        HStack(spacing: 12) {
            Button(action: toggle) {
                Image(systemName: chore.isDone ? "checkmark.circle.fill" : "circle")
                    .foregroundColor(chore.isDone ? .green : .secondary)
            }
            .buttonStyle(.plain)
            VStack(alignment: .leading, spacing: 2) {
                Text(chore.title)
                    .strikethrough(chore.isDone)
                    .foregroundColor(chore.isDone ? .secondary : .primary)
                if isSelected {
                    Text(chore.address.room)
                        .font(.caption)
                        .foregroundColor(.secondary)
                    Button("Seen \(looks) times") { looks += 1 }
                        .font(.caption)
                }
            }
            Spacer()
        }
    }
}
