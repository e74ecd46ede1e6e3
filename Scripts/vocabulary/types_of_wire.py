"""How each type of the wire is stored, written and read."""
import dataclasses

from table import Table


@dataclasses.dataclass
class Type:
    guest: str  # what the guest's struct stores
    convert: str  # from an overload's value to that
    write: str  # in the guest
    host: str
    read: str  # from `r`
    put: str  # into `w`
    sample: str  # a value other than zero, for tests


def plain(guest, write, host, read, put, sample, convert="{}"):
    return Type(guest, convert, write, host, read, put, sample)


def own(name: str, sample: str, guest: str | None = None, convert="{}"):
    """A struct that writes and reads itself."""
    return Type(guest or name, convert, "{}._write(e)", f"Tree.{name}", f"try Tree.{name}(&r)",
                "{}.write(&w)", sample)


SIMPLE = {
    "Bool": plain("Bool", "e.bool({})", "Bool", "try r.bool()", "w.bool({})", "true"),
    "Int": plain("Int", "e.i64({})", "Int", "try r.int()", "w.int({})", "-7"),
    "UInt32": plain("UInt32", "e.u32({})", "UInt32", "try r.u32()", "w.u32({})", "70_000"),
    "UInt64": plain("UInt64", "e.u64({})", "UInt64", "try r.u64()", "w.u64({})", "1 << 40"),
    "Double": plain("Double", "e.f64({})", "Double", "try r.double()", "w.double({})", "1.5",
                    "_d({})"),
    "String": plain("String", "e.string({})", "String", "try r.string()", "w.string({})",
                    '"Zoë <&\\">"'),
    "Token": plain("UInt64", "e.u64({})", "EventToken", "try r.token()", "w.token({})",
                   "EventToken(rawValue: 9 << 32 | 3)"),
    "Action": plain("() -> Void", "e.action({})", "EventToken", "try r.token()", "w.token({})",
                    "EventToken(rawValue: 9 << 32 | 3)"),
    "BoundBool": plain("Binding<Bool>", "e.bound({})", "Bound<Bool>",
                       "Bound(value: try r.bool(), token: try r.token())", "w.bound({})",
                       "Bound(value: true, token: EventToken(rawValue: 5))"),
    "BoundString": plain("Binding<String>", "e.bound({})", "Bound<String>",
                         "Bound(value: try r.string(), token: try r.token())", "w.bound({})",
                         'Bound(value: "é", token: EventToken(rawValue: 5))'),
    "BoundDouble": plain("Binding<Double>", "e.bound({})", "Bound<Double>",
                         "Bound(value: try r.double(), token: try r.token())", "w.bound({})",
                         "Bound(value: 0.25, token: EventToken(rawValue: 5))"),
    "Selection": plain("_Selection", "e.selection({})", "Bound<UInt64>",
                       "Bound(value: try r.u64(), token: try r.token())", "w.bound({})",
                       "Bound(value: 77, token: EventToken(rawValue: 5))"),
    "TextContent": own("TextContent", 'Tree.TextContent(key: "%lld of %@", arguments: [.int(3), .string("a")])',
                       "_TextContent"),
    "ImageContent": own("ImageContent", 'Tree.ImageContent(source: .symbol("star"))', "_ImageContent"),
    "Color": own("Color", "Tree.Color(base: .rgb(0.1, 0.2, 0.3), opacity: 0.5)"),
    "Font": own("Font", "Tree.Font(base: .system(17), weight: .bold, design: .rounded, traits: 1)"),
    "Style": own("Style", "Tree.Style.hierarchical(2)", "_Style"),
    "Shape": own("Shape", "Tree.Shape.roundedRectangle(8, isContinuous: true)", "_Shape"),
    "Stroke": own("Stroke", "Tree.Stroke(style: .tint, lineWidth: 2, dash: [1, 2], isInner: true)", "_Stroke"),
    "Insets": own("Insets", "Tree.Insets(top: 1, leading: 2, bottom: 3, trailing: 4)", "EdgeInsets"),
    "Alignment": own("Alignment", "Tree.Alignment(horizontal: .leading, vertical: .bottom)"),
    "UnitPoint": own("UnitPoint", "Tree.UnitPoint(x: 0.5, y: 1)"),
    "Angle": own("Angle", "Tree.Angle(radians: 1.25)"),
    "Animation": own("Animation", "Tree.Animation(curve: .easeInOut, duration: 0.25)"),
    "GridItems": own("GridItems", "Tree.GridItems(items: [.flexible(10, 100), .fixed(40)])", "[GridItem]"),
}


def lookup(table: Table, name: str) -> Type:
    if name.endswith("?"):
        base = lookup(table, name[:-1])
        one = base.write.replace("{}", "value")
        convert = "_optional({})" if name == "Double?" else "{}"
        guest = f"({base.guest})?" if "->" in base.guest else f"{base.guest}?"
        put = base.put.replace("{}", "value")
        return Type(guest, convert, "if let value = {} { e.u8(1); " + one + " } else { e.u8(0) }",
                    f"{base.host}?", f"try r.bool() ? {base.read} : nil",
                    "if let value = {} { w.bool(true); " + put + " } else { w.bool(false) }",
                    base.sample)
    if name in SIMPLE:
        return SIMPLE[name]
    enum = table.enumeration(name)
    if enum is None:
        raise SystemExit(f"vocabulary.txt: the type {name} is unknown")
    host = f"Tree.{enum.wire}"
    if enum.kind == "options":
        return Type(enum.swift, "{}", "e.u8(UInt8({}.rawValue))", host,
                    f"{host}(rawValue: try r.u8())", "w.u8({}.rawValue)", f"[.{enum.cases[-1]}]")
    if enum.kind == "style":
        return Type("UInt8", "{}", "e.u8({})", host, f"try r.enumeration({host}.self)",
                    "w.u8({}.rawValue)", f".{enum.cases[-1]}")
    return Type(enum.swift, "{}", "e.u8({}.rawValue)", host, f"try r.enumeration({host}.self)",
                "w.u8({}.rawValue)", f".{enum.cases[-1]}")
