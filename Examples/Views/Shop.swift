import SwiftUI

struct Tea: Identifiable, Hashable {
    let id: String
    let name: String
    let price: Int
    let tint: Color

    static let all = [
        Tea(id: "sencha", name: "Sencha", price: 1290, tint: .green),
        Tea(id: "assam", name: "Assam", price: 890, tint: .brown),
        Tea(id: "rooibos", name: "Rooibos", price: 750, tint: .orange),
        Tea(id: "mint", name: "Mint", price: 620, tint: .mint),
    ]

    var priceText: String { "\(price / 100).\(price % 100 < 10 ? "0" : "")\(price % 100) €" }
}

@Observable final class Basket {
    var counts: [String: Int] = [:]

    var total: Int { counts.values.reduce(0, +) }
    var price: Int { Tea.all.reduce(0) { $0 + $1.price * (counts[$1.id] ?? 0) } }

    func add(_ tea: Tea) { counts[tea.id, default: 0] += 1 }
    func clear() { counts = [:] }
}

/// Tabs, navigation, a model in the environment, a sheet, an app's own styles and modifiers.
struct ShopScreen: View {
    @State private var basket = Basket()
    @State private var tab = "teas"
    @State private var isShowingBasket = false

    var body: some View {
        TabView(selection: $tab) {
            NavigationStack {
                List(Tea.all) { tea in
                    NavigationLink {
                        TeaDetail(tea: tea)
                    } label: {
                        TeaRow(tea: tea)
                    }
                }
                .navigationTitle("Teas")
                .toolbar {
                    ToolbarItem(placement: .primaryAction) {
                        Button {
                            isShowingBasket = true
                        } label: {
                            Label("Basket", systemImage: "cart")
                        }
                    }
                }
            }
            .tabItem { Label("Teas", systemImage: "leaf") }
            .tag("teas")
            Text("Nothing here yet")
                .foregroundColor(.secondary)
                .tabItem { Label("Orders", systemImage: "bag") }
                .badge(basket.total)
                .tag("orders")
        }
        .sheet(isPresented: $isShowingBasket) { BasketSheet() }
        .environment(basket)
    }
}

struct TeaRow: View {
    let tea: Tea
    @Environment(Basket.self) private var basket

    var body: some View {
        HStack(spacing: 12) {
            Swatch(tint: tea.tint)
            VStack(alignment: .leading) {
                Text(tea.name).font(.headline)
                Text(tea.priceText).font(.subheadline).foregroundStyle(.secondary)
            }
            Spacer()
            if let count = basket.counts[tea.id] {
                Text("× \(count)").pill()
            }
        }
    }
}

struct Swatch: View {
    let tint: Color

    var body: some View {
        RoundedRectangle(cornerRadius: 8)
            .fill(tint.opacity(0.25))
            .frame(width: 44, height: 44)
            .overlay {
                Image(systemName: "leaf.fill").foregroundColor(tint)
            }
    }
}

struct TeaDetail: View {
    let tea: Tea
    @Environment(Basket.self) private var basket
    @Environment(\.dismiss) private var dismiss

    var body: some View {
        ScrollView {
            VStack(alignment: .leading, spacing: 16) {
                LinearGradient(
                    colors: [tea.tint.opacity(0.7), tea.tint.opacity(0.2)],
                    startPoint: .topLeading, endPoint: .bottomTrailing
                )
                .frame(height: 180)
                .clipShape(RoundedRectangle(cornerRadius: 16))
                Text(tea.name).font(.title).bold()
                Text(tea.priceText).foregroundStyle(.secondary)
                Card(title: "About") {
                    Text("Grown on a slope, dried in the sun.")
                    Text("Steep for three minutes.")
                }
                Button("Add to basket") {
                    basket.add(tea)
                    dismiss()
                }
                .buttonStyle(WideButtonStyle(tint: tea.tint))
            }
            .padding()
        }
        .navigationTitle(tea.name)
        .navigationBarTitleDisplayMode(.inline)
    }
}

struct Card<Content: View>: View {
    let title: String
    @ViewBuilder let content: Content
    @State private var isOpen = true

    var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            HStack {
                Text(title).font(.headline)
                Spacer()
                Image(systemName: isOpen ? "chevron.up" : "chevron.down")
                    .foregroundColor(.secondary)
            }
            .contentShape(Rectangle())
            .onTapGesture { isOpen.toggle() }
            if isOpen { content }
        }
        .padding()
        .frame(maxWidth: .infinity, alignment: .leading)
        .background(Color(.secondarySystemBackground))
        .cornerRadius(12)
    }
}

struct WideButtonStyle: ButtonStyle {
    let tint: Color

    func makeBody(configuration: Configuration) -> some View {
        configuration.label
            .font(.headline)
            .foregroundColor(.white)
            .frame(maxWidth: .infinity)
            .padding(.vertical, 14)
            .background(tint)
            .cornerRadius(12)
            .opacity(configuration.isPressed ? 0.6 : 1)
    }
}

struct Pill: ViewModifier {
    func body(content: Content) -> some View {
        content
            .font(.caption)
            .padding(.horizontal, 8)
            .padding(.vertical, 3)
            .background(Color.accentColor.opacity(0.15), in: Capsule())
    }
}

extension View {
    func pill() -> some View { modifier(Pill()) }
}

struct BasketSheet: View {
    @Environment(Basket.self) private var basket
    @Environment(\.dismiss) private var dismiss

    var body: some View {
        NavigationStack {
            VStack(spacing: 12) {
                if basket.total == 0 {
                    Image(systemName: "cart").font(.largeTitle)
                    Text("Your basket is empty")
                } else {
                    ForEach(Tea.all) { tea in
                        if let count = basket.counts[tea.id] {
                            HStack {
                                Text(tea.name)
                                Spacer()
                                Text("\(count)")
                            }
                        }
                    }
                    Divider()
                    Text("\(basket.total) teas, \(basket.price / 100) €").bold()
                    Button("Empty it", role: .destructive) { basket.clear() }
                }
            }
            .padding()
            .navigationTitle("Basket")
            .toolbar {
                ToolbarItem(placement: .confirmationAction) {
                    Button("Done") { dismiss() }
                }
            }
        }
    }
}
