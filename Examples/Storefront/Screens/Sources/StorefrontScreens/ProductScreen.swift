import SwiftUI

/// One product: how many, wrapped or not, and a note that somebody writes.
struct ProductScreen: View {
    let product: Product
    @Binding var quantity: Int
    @State private var isGift = false
    @State private var note = ""

    var body: some View {
        ScrollView {
            VStack(alignment: .leading, spacing: 16) {
                Text(product.name).font(.largeTitle).bold()
                Label(product.kind.title, systemImage: product.kind.symbol)
                    .foregroundStyle(.secondary)
                Text(product.price.text).font(.title2)
                Stepper("Quantity: \(quantity)", value: $quantity, in: 1...99)
                Toggle("Wrap as a gift", isOn: $isGift)
                if isGift {
                    TextField("Note", text: $note)
                        .textFieldStyle(.roundedBorder)
                    Text("\(note.count) of 80 letters")
                        .font(.caption)
                        .foregroundColor(note.count > 80 ? .red : .secondary)
                }
                HStack {
                    Text("Together")
                    Spacer()
                    Text(total.text).bold()
                }
            }
            .padding()
        }
    }

    private var total: Money {
        let goods = product.price.times(quantity)
        return isGift ? goods.plus(Money(units: 250, currency: goods.currency)) : goods
    }
}
