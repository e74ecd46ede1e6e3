import SwiftUI

/// What the shop has: searched, filtered, with a mark on what somebody likes.
struct CatalogScreen: View {
    @State private var query = ""
    @State private var kind: KindFilter = .all
    @State private var liked: [Int] = []

    var body: some View {
        NavigationStack {
            List {
                Section {
                    TextField("Search", text: $query)
                    Picker("Kind", selection: $kind) {
                        ForEach(KindFilter.allCases, id: \.self) { Text($0.title).tag($0) }
                    }
                    .pickerStyle(.segmented)
                }
                Section {
                    ForEach(found, id: \.id) { product in
                        ProductRow(product: product, isLiked: liked.contains(product.id)) {
                            like(product.id)
                        }
                    }
                } footer: {
                    Text("\(found.count) of \(Stock.products.count) products")
                }
            }
            .navigationTitle("Shop")
        }
    }

    private var found: [Product] {
        Stock.products.filter { product in
            kind.takes(product.kind)
                && (query.isEmpty || product.name.lowercased().hasPrefix(query.lowercased()))
        }
    }

    private func like(_ id: Int) {
        if liked.contains(id) {
            liked.removeAll { $0 == id }
        } else {
            liked.append(id)
        }
    }
}

enum KindFilter: String, CaseIterable {
    case all, food, books, home

    var title: String {
        switch self {
        case .all: "All"
        case .food: "Food"
        case .books: "Books"
        case .home: "Home"
        }
    }

    func takes(_ kind: Product.Kind) -> Bool {
        switch self {
        case .all: true
        case .food: kind == .food
        case .books: kind == .book
        case .home: kind == .other
        }
    }
}

struct ProductRow: View {
    let product: Product
    let isLiked: Bool
    let like: () -> Void
    @State private var looks = 0

    var body: some View {
        HStack(spacing: 12) {
            Image(systemName: product.kind.symbol)
                .foregroundColor(.accentColor)
            VStack(alignment: .leading, spacing: 2) {
                Text(product.name).font(.headline)
                Text(product.price.text).font(.subheadline).foregroundStyle(.secondary)
            }
            .onTapGesture { looks += 1 }
            if looks > 0 {
                Text("Seen \(looks) times").font(.caption)
            }
            Spacer()
            Button(action: like) {
                Image(systemName: isLiked ? "heart.fill" : "heart")
            }
            .buttonStyle(.plain)
        }
    }
}
