import SwiftUI

/// What is in the cart and what it costs, by the shop's own rules.
struct CartScreen: View {
    @State private var lines = [
        CartEntry(id: 1, product: 1, quantity: 3), CartEntry(id: 2, product: 2, quantity: 1),
    ]
    @State private var saves = false

    var body: some View {
        List {
            Section("Cart") {
                ForEach(lines, id: \.id) { line in
                    CartRow(line: line) { more in change(line.id, by: more) }
                }
                .onDelete { lines.remove(atOffsets: $0) }
                if lines.isEmpty {
                    Text("Nothing in here yet").foregroundColor(.secondary)
                }
            }
            Section("Price") {
                Toggle("I have a voucher", isOn: $saves)
                PriceLine(title: "Goods", money: cart.subtotal)
                if discount.units > 0 {
                    PriceLine(
                        title: "Voucher", money: Money(units: -discount.units, currency: .euro))
                }
                PriceLine(title: "Tax", money: tax(on: cart, discount: discount, in: .germany))
                PriceLine(title: "Shipping", money: shipping(for: cart, total: cart.subtotal))
            }
            Button("Add a lamp") { add(4) }
        }
    }

    private var cart: Cart {
        var cart = Cart(currency: .euro)
        for line in lines {
            guard let product = Stock.products.first(where: { $0.id == line.product }) else {
                continue
            }
            try? cart.add(product, quantity: line.quantity)
        }
        return cart
    }

    private var discount: Money {
        saves ? Discount.percent(10).amount(for: cart) : Money(units: 0, currency: .euro)
    }

    private func change(_ id: Int, by more: Int) {
        guard let place = lines.firstIndex(where: { $0.id == id }) else { return }
        lines[place].quantity = max(1, lines[place].quantity + more)
    }

    private func add(_ product: Int) {
        lines.append(
            CartEntry(id: (lines.map(\.id).max() ?? 0) + 1, product: product, quantity: 1))
    }
}

/// A line of the cart.
struct CartEntry: Hashable {
    var id: Int
    var product: Int
    var quantity: Int
}

struct CartRow: View {
    let line: CartEntry
    let change: (Int) -> Void
    @State private var isOpen = false

    var body: some View {
        VStack(alignment: .leading) {
            HStack {
                Text(name).font(.headline)
                Spacer()
                Text("× \(line.quantity)")
                Button(isOpen ? "Less" : "More") { isOpen.toggle() }
            }
            if isOpen {
                HStack {
                    Button("Take one out") { change(-1) }.disabled(line.quantity == 1)
                    Button("Put one in") { change(1) }
                }
                .font(.caption)
            }
        }
    }

    private var name: String {
        Stock.products.first { $0.id == line.product }?.name ?? "Nothing"
    }
}

struct PriceLine: View {
    let title: String
    let money: Money

    var body: some View {
        HStack {
            Text(title)
            Spacer()
            Text(money.text).foregroundColor(.secondary)
        }
    }
}
