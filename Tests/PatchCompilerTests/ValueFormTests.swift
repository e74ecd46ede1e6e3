import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

/// Types of the app as parameters, results and receivers: the module against native code.
@Suite("Values of the app's own types")
struct ValueFormTests {
    struct Edit: Decodable {
        var file: String
        var old: String
        var new: String
    }

    /// A store build of a fixture, and the fixture with its edits made.
    static func fixture(_ name: String = "values") throws -> (ProjectFixture, BuildManifest) {
        let fixture = try ProjectFixture(name)
        let project = try fixture.project()
        try project.prepare()
        let manifest = try CoverageTests.manifest(
            AppCode(folder: fixture.folder, configuration: project.configuration))
        try FileManager.default.copyItem(
            at: fixture.directory.file("Sources"), to: fixture.directory.file("Store"))
        // Edits are made to what the developer wrote.
        try project.unprepare()
        for edit in try JSONDecoder().decode(
            [Edit].self, from: Data(contentsOf: fixture.directory.file("edits.json")))
        { try fixture.edit(edit.file, edit.old, edit.new) }
        return (fixture, manifest)
    }

    @Test("structs, enums, methods, setters and inout parameters give what they give natively")
    func forms() throws {
        let (fixture, manifest) = try Self.fixture()
        try expectSame(
            fixture, manifest,
            covers: [
                "Currency.sign", "Discount.applied(to:)", "Discount.isNothing", "Discount.add(_:)",
                "Cart.Line.total", "Cart.Line.make(_:cents:)", "Cart.total", "Cart.first",
                "Cart.first", "Cart.add(_:grams:)", "Cart.clear()", "Cart.note(_:)",
                "Cart.weigh(_:times:)", "Cart.heaviest()", "Cart.notes()",
                "Cart.Line.raised(by:)", "Point.move(by:)", "Point.text", "middle(_:)",
                "points(_:)", "swapEnds(_:_:)", "double(_:)", "half(_:)", "Int.clamped(to:)",
                "Int.isRound", "String.initials", "String.shout()", "Wide.turned()",
            ], driver: try fixture.read("driver.swift.txt"), flags: [["-O"], ["-Onone"]])
    }

    @Test("errors thrown in a module are caught by the app as its own, typed or not")
    func errors() throws {
        let (fixture, manifest) = try Self.fixture("errors")
        try expectSame(
            fixture, manifest,
            covers: [
                "Basket.add(_:limit:)", "Basket.check(_:)", "Basket.first", "parse(_:)",
                "sum(_:)", "explain(_:)", "explainTyped(_:)", "retried(_:)", "optional(_:)",
                "only(_:)",
            ], driver: try fixture.read("driver.swift.txt"), flags: [["-O"], ["-Onone"]])
    }
}
