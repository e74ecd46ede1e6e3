import SwiftUI

/// The smallest screen with state of its own, state of a child and state passed down.
struct CounterScreen: View {
    let title: String
    @State private var count = 0
    @State private var step = 1
    @Environment(\.colorScheme) private var scheme

    var body: some View {
        VStack(spacing: 20) {
            Text(title)
                .font(.largeTitle)
                .bold()
            Text("\(count)")
                .font(.system(size: 64, weight: .light, design: .rounded))
                .foregroundStyle(count < 0 ? .red : .primary)
            HStack(spacing: 16) {
                Button("Less") { count -= step }
                    .buttonStyle(.bordered)
                    .disabled(count == 0)
                Button("More") { count += step }
                    .buttonStyle(.borderedProminent)
            }
            StepChoice(step: $step)
            if count >= 10 {
                Label("Many", systemImage: "flame.fill")
                    .foregroundColor(.orange)
                    .padding(8)
                    .background(Color.orange.opacity(0.15), in: Capsule())
            } else {
                Text(scheme == .dark ? "Good evening" : "Good morning")
                    .foregroundStyle(.secondary)
            }
        }
        .padding()
    }
}

/// Changes a number that somebody else owns, and counts its own taps.
struct StepChoice: View {
    @Binding var step: Int
    @State private var taps = 0

    var body: some View {
        HStack {
            ForEach([1, 5, 10], id: \.self) { value in
                Button("\(value)") {
                    step = value
                    taps += 1
                }
                .fontWeight(step == value ? .bold : .regular)
                .padding(.horizontal, 12)
                .padding(.vertical, 6)
                .background(step == value ? Color.accentColor.opacity(0.2) : .clear)
                .cornerRadius(8)
            }
            Spacer()
            Text("\(taps) taps")
                .font(.footnote)
                .foregroundColor(.secondary)
        }
    }
}
