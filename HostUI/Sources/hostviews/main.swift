import Foundation
import SwiftUI

// The example views, native: a program that is asked line by line on its input and answers line by
// line on its output.
//
//     mount NAME HEX      properties and surroundings, as `op_mount` takes them
//     event TOKEN HEX     the token in decimal, the payload
//     row TOKEN INDEX
//     update HEX
//
// Each is answered with the tree in hexadecimal digits, or `gone`.

// Erased as a patch registers them: another view around would number the places otherwise.
let views: [(String, () -> _Block)] = [
    ("Counter", { _Block(CounterScreen(title: "Counter")) }),
    ("ChoresScreen", { _Block(ChoresScreen()) }),
    ("SettingsScreen", { _Block(SettingsScreen()) }),
    ("ShopScreen", { _Block(ShopScreen()) }),
    ("LongListScreen", { _Block(LongListScreen()) }),
    ("GalleryScreen", { _Block(GalleryScreen()) }),
    ("DeskScreen", { _Block(DeskScreen()) }),
]

@_cdecl("op_register_views") func registerViews() {
    for (index, view) in views.enumerated() {
        _registerView(UInt64(index + 1)) { reader in
            reader.arrayHeader(exactly: 0)
            return view.1()
        }
    }
}

func bytes(_ hex: Substring) -> [UInt8] {
    var result: [UInt8] = []
    var rest = hex
    while rest.count >= 2 {
        result.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
    }
    return result
}

func answer(_ bytes: [UInt8]?) {
    let digits = Array("0123456789abcdef".utf8)
    var line: [UInt8] = []
    for byte in bytes ?? [] {
        line.append(digits[Int(byte >> 4)])
        line.append(digits[Int(byte & 15)])
    }
    if bytes == nil { line = Array("gone".utf8) }
    line.append(UInt8(ascii: "\n"))
    FileHandle.standardOutput.write(Data(line))
}

var mount: _Mount?
while let line = readLine() {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    switch words[0] {
    case "mount":
        guard let place = views.firstIndex(where: { $0.0 == words[1] }) else {
            answer(nil)
            continue
        }
        // As a module begins: with no settings.
        let settings = UserDefaults.standard
        for key in settings.dictionaryRepresentation().keys where key.hasPrefix("desk.") {
            settings.removeObject(forKey: key)
        }
        let handle = bytes(words[2]).withUnsafeBytes { raw -> UInt32 in
            var reader = GuestReader(raw)
            return _mount(UInt64(place + 1), &reader)
        }
        mount = handle == 0 ? nil : _mounted(handle)
        answer(mount?.renderedBytes())
    case "event":
        _ = mount?.send(UInt64(words[1]) ?? 0, bytes(words[2]))
        answer(mount?.renderedBytes())
    case "row":
        answer(mount?.rowBytes(UInt64(words[1]) ?? 0, Int(words[2]) ?? 0))
    case "update":
        mount?.update(bytes: bytes(words[1]))
        answer(mount?.renderedBytes())
    default:
        answer(nil)
    }
}
