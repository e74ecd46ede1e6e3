import SwiftUI

/// Ten thousand rows, each with state of its own; the host asks for them as they come into sight.
struct LongListScreen: View {
    @State private var count = 10_000
    @State private var marked = 0

    var body: some View {
        List {
            Section {
                Text("\(count) rows, \(marked) marked")
                Button("Remove one") { count -= 1 }
            }
            ForEach(0..<count) { number in
                NumberRow(number: number) { marked += 1 }
            }
        }
        .listStyle(.plain)
    }
}

struct NumberRow: View {
    let number: Int
    let mark: () -> Void
    @State private var isMarked = false

    var body: some View {
        HStack {
            Text("Row \(number)")
            Spacer()
            if isMarked { Image(systemName: "star.fill").foregroundColor(.yellow) }
            Button(isMarked ? "Marked" : "Mark") {
                if !isMarked { mark() }
                isMarked = true
            }
        }
    }
}
