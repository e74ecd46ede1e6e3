import TestSupport
import Testing
import ViewSamples
import ViewTree

@Suite("View trees, written and read again")
struct RoundTripTests {
    @Test("every view of the vocabulary", arguments: Samples.views.indices)
    func view(index: Int) throws {
        let view = Samples.views[index]
        var node = ViewNode(view)
        node.parts = view.partNames.indices.map { part in
            [ViewNode(.spacer(minLength: Double(part))), ViewNode(.divider)]
        }
        node.modifiers = [ModifierNode(.opacity(value: 0.5)), ModifierNode(.clipped)]
        let bytes = Tree.encode([node, ViewNode(.divider)])
        #expect(try Tree.decode(bytes) == [node, ViewNode(.divider)])
    }

    @Test("every modifier of the vocabulary", arguments: Samples.modifiers.indices)
    func modifier(index: Int) throws {
        var modifier = ModifierNode(Samples.modifiers[index])
        modifier.parts = modifier.modifier.partNames.indices.map { part in
            [ViewNode(.spacer(minLength: Double(part)))]
        }
        let node = ViewNode(.divider, modifiers: [modifier, ModifierNode(.clipped)])
        #expect(try Tree.decode(Tree.encode([node])) == [node])
    }

    @Test("absent values stay absent")
    func absent() throws {
        let nodes = [
            ViewNode(.spacer(minLength: nil)), ViewNode(.progressView(fraction: nil)),
            ViewNode(.divider, modifiers: [ModifierNode(.font(font: nil))]),
        ]
        #expect(try Tree.decode(Tree.encode(nodes)) == nodes)
    }

    @Test("every case of every kind of argument")
    func arguments() throws {
        let stops = [Tree.GradientStop(color: Tree.Color(base: .asset("Brand")), location: 0.5)]
        let point = Tree.UnitPoint(x: 0, y: 1)
        let styles: [Tree.Style] = [
            .color(Tree.Color(base: .named(.mint), opacity: 0.25)), .hierarchical(3),
            .material(.bar), .tint, .background, .foreground,
            .linear(stops, start: point, end: point),
            .radial(stops, center: point, start: 1, end: 2),
            .angular(stops, center: point, angle: Tree.Angle(radians: 3)),
        ]
        let shapes: [Tree.Shape] = [.rectangle, .circle, .capsule, .ellipse]
        let fonts: [Tree.Font] = [
            Tree.Font(base: .style(.caption2)), Tree.Font(base: .custom("Inter", 12)),
        ]
        let texts: [Tree.TextContent.Argument] = [
            .int(.min), .uint(.max), .double(-0.0), .string(""), .key("k"),
        ]
        var nodes = styles.map { style in
            ViewNode(.divider, modifiers: [ModifierNode(.foregroundStyle(style: style))])
        }
        nodes += shapes.map { ViewNode(.shape(shape: $0, fill: nil, stroke: nil)) }
        nodes += fonts.map { ViewNode(.divider, modifiers: [ModifierNode(.font(font: $0))]) }
        nodes.append(
            ViewNode(.text(content: Tree.TextContent(key: "", arguments: texts))))
        nodes.append(ViewNode(.image(content: Tree.ImageContent(source: .asset("Photo")))))
        #expect(try Tree.decode(Tree.encode(nodes)) == nodes)
    }

    @Test("numbers are those of the table, and no two are equal")
    func numbers() {
        let views = Samples.views.map(\.number)
        let modifiers = Samples.modifiers.map(\.number)
        #expect(Set(views + modifiers).count == views.count + modifiers.count)
        #expect(views.allSatisfy { $0 < 1000 } && modifiers.allSatisfy { $0 >= 1000 })
        #expect((views + modifiers).max().map(Int.init) == Tree.vocabularyMaximum)
    }
}
