import SwiftUI

/// Shapes, pictures and looks.
struct GalleryScreen: View {
    @State private var size = 1.0
    @State private var isLoading = false

    private let columns = [GridItem(.flexible()), GridItem(.flexible())]

    var body: some View {
        NavigationView {
            ScrollView {
                VStack(spacing: 16) {
                    badge
                    LazyVGrid(columns: columns, spacing: 12) {
                        ForEach(0..<4) { number in
                            Tile(number: number).modifier(Framed(isStrong: number == 1))
                        }
                    }
                    .redacted(reason: isLoading ? .placeholder : [])
                    pictures
                    HStack {
                        Button("Larger") { size += 0.25 }
                            .keyboardShortcut("l", modifiers: [.command, .shift])
                        Button("Smaller") { size = max(0.5, size - 0.25) }
                            .keyboardShortcut(.cancelAction)
                        Button("Load") { isLoading.toggle() }
                            .help("Hides the tiles")
                    }
                    .labelStyle(.titleOnly)
                }
                .padding()
            }
            .background(Color.gray.opacity(0.1).ignoresSafeArea())
            .navigationBarTitle("Gallery")
        }
    }

    private var badge: some View {
        ZStack {
            Circle()
                .stroke(Color.blue, lineWidth: 4)
            Circle()
                .strokeBorder(Color.orange, lineWidth: 2)
                .scaleEffect(0.8)
            Text("Grand\nopening")
                .multilineTextAlignment(.center)
                .lineLimit(2)
                .fixedSize()
        }
        .frame(width: 120 * size, height: 120 * size)
        .shadow(color: .black.opacity(0.2), radius: 4, x: 0, y: 2)
        .offset(x: 0, y: size > 1 ? 4 : 0)
        .animation(.easeInOut(duration: 0.2), value: size)
        .visualEffect { content, space in
            content.opacity(space.size.width > 0 ? 1 : 0.5)
        }
        .accessibilityElement(children: .combine)
        .accessibilityLabel("Grand opening")
    }

    private var pictures: some View {
        Group {
            Image(systemName: "photo")
                .renderingMode(.template)
                .resizable()
                .scaledToFit()
                .frame(height: 40)
            Image(systemName: "star")
                .resizable()
                .aspectRatio(contentMode: .fit)
                .frame(height: 40)
                .imageScale(.large)
            if isLoading {
                ProgressView("Loading")
                    .progressViewStyle(.circular)
                    .transition(.opacity)
            } else {
                EmptyView()
            }
            GeometryReader { space in
                Text("\(Int(space.size.width)) points")
            }
            .frame(height: 30)
        }
    }
}

private struct Tile: View {
    let number: Int

    var body: some View {
        Text("Tile \(number)").frame(height: 44)
    }
}

private struct Framed: ViewModifier {
    let isStrong: Bool

    func body(content: Content) -> some View {
        content
            .padding(6)
            .background(isStrong ? Color.yellow : Color.white)
            .cornerRadius(10)
    }
}
