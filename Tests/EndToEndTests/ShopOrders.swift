import Foundation
import TestSupport

/// Orders that customers of the shop might send, from a seed.
enum ShopOrders {
    static func make(_ count: Int, _ generator: inout SeededGenerator) throws -> [String] {
        try (0..<count).map { _ in
            if Int.random(in: 0..<20, using: &generator) == 0 {
                return pick(["{", "{}", "[]", "7", "{\"items\": 5}", "nonsense"], &generator)
            }
            // Half of all customers do everything right, so that every rule has something to do.
            return try Bool.random(using: &generator) ? order(&generator) : good(&generator)
        }
    }

    private static func good(_ generator: inout SeededGenerator) throws -> String {
        let items = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
            [
                "id": pick([1, 2, 3, 5], &generator),
                "quantity": Int.random(in: 1...9, using: &generator),
            ]
        }
        let (region, postcode) = pick(
            [("de", "10115"), ("California", "94110"), ("jp", "100-0001")], &generator)
        let data = try JSONSerialization.data(
            withJSONObject: [
                "items": items, "currency": pick(["EUR", "USD", "JPY"], &generator),
                "region": region,
                "code": pick(["", "SAVE10", "welcome", "three", "Best", "Best"], &generator),
                "address": [
                    "name": "Ada Lovelace", "street": "1 Main St", "city": "Ulm",
                    "postcode": postcode,
                ],
            ] as [String: Any], options: [.sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }

    private static func pick<T>(_ all: [T], _ generator: inout SeededGenerator) -> T {
        all[Int.random(in: all.indices, using: &generator)]
    }

    private static func order(_ generator: inout SeededGenerator) throws -> String {
        let items = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
            [
                "id": pick([1, 1, 2, 2, 3, 3, 3, 4, 5, 5, 7], &generator),
                "quantity": pick(
                    [1, 1, 1, 2, 2, 3, 3, 4, 5, 7, 12, 20, 21, 50, 98, 99, 100, 0, -1],
                    &generator),
            ]
        }
        var order: [String: Any] = [
            "items": items,
            "currency": pick(["EUR", "EUR", "eur", "usd", "USD", "JPY", "GBP"], &generator),
            "region": pick(["de", "germany", "de", "California", "jp", "mars"], &generator),
        ]
        let code = pick(
            [
                nil, "", "save10", "SAVE50", "SAVE51", "SAVE", "welcome", "three", "Best", "Best",
                "gratis", "straße",
            ], &generator)
        if let code { order["code"] = code }
        if Int.random(in: 0..<4, using: &generator) > 0 {
            order["address"] = [
                "name": pick(
                    ["Ada Lovelace", "Ada Lovelace", "Ada", "", "Zoë 山田 Ⅲ"], &generator),
                "street": pick(["1 Main St", "1 Main St", "1 Main St", ""], &generator),
                "city": pick(["Somewhere", "Ulm", "X"], &generator),
                "postcode": pick(
                    ["10115", "10115", "10115", "100-0001", "1", "１０１１５"], &generator),
            ]
        }
        let data = try JSONSerialization.data(withJSONObject: order, options: [.sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }
}
