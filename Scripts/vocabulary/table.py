"""Reads Sources/ViewTree/vocabulary.txt: what the generators of the vocabulary work from."""
import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TABLE = ROOT / "Sources" / "ViewTree" / "vocabulary.txt"


@dataclasses.dataclass
class Enumeration:
    kind: str  # enum, options or style
    wire: str
    swift: str  # of a style: its protocol
    suffix: str  # of a style: the end of its types' names
    cases: list[str]


@dataclasses.dataclass
class Overload:
    signature: str
    values: list[str]
    is_disfavored: bool


@dataclasses.dataclass
class Row:
    kind: str  # view or modifier
    number: int
    name: str
    variant: str
    since: str
    fields: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    parts: list[str] = dataclasses.field(default_factory=list)
    overloads: list[Overload] = dataclasses.field(default_factory=list)
    is_custom: bool = False
    html: str = ""
    apple: str = ""
    apple_since: str = ""

    @property
    def case(self) -> str:
        """The name in Swift: `VStack` is vStack, `frame.flexible` is frameFlexible."""
        name = self.name + self.variant[:1].upper() + self.variant[1:]
        return re.sub(r"^[A-Z]+(?=[A-Z][a-z])|^[A-Z]", lambda m: m[0].lower(), name)

    @property
    def title(self) -> str:
        return self.case[0].upper() + self.case[1:]


@dataclasses.dataclass
class Name:
    name: str
    kind: str
    since: str
    how: str


@dataclasses.dataclass
class Table:
    enums: list[Enumeration]
    rows: list[Row]
    names: list[Name]

    @property
    def views(self) -> list[Row]:
        return [row for row in self.rows if row.kind == "view"]

    @property
    def modifiers(self) -> list[Row]:
        return [row for row in self.rows if row.kind == "modifier"]

    def enumeration(self, wire: str) -> Enumeration | None:
        return next((e for e in self.enums if e.wire == wire), None)


def split(text: str) -> list[str]:
    """The parts between commas that stand outside of brackets and strings."""
    parts, depth, start, quoted = [], 0, 0, False
    for at, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return parts + [last] if last else parts


def read() -> Table:
    table = Table([], [], [])
    numbers: set[int] = set()
    row: Row | None = None
    for place, line in enumerate(TABLE.read_text(encoding="utf-8").splitlines(), 1):
        def fail(why: str) -> None:
            sys.exit(f"{TABLE}:{place}: {why}")

        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.strip().partition(" ")
        if not line.startswith(" "):
            row = None
        if word in ("enum", "options"):
            head, _, cases = rest.partition(":")
            wire, swift = head.split()
            table.enums.append(Enumeration(word, wire, swift, "", cases.split()))
        elif word == "style":
            head, _, cases = rest.partition(":")
            wire, swift, suffix = head.split()
            table.enums.append(Enumeration(word, wire, swift, suffix, cases.split()))
        elif word in ("view", "modifier"):
            number, name, since = rest.split()
            name, _, variant = name.partition(".")
            if int(number) in numbers:
                fail(f"number {number} stands twice")
            if (int(number) >= 1000) != (word == "modifier"):
                fail("views have numbers below 1000, modifiers from 1000 on")
            numbers.add(int(number))
            row = Row(word, int(number), name, variant, since)
            table.rows.append(row)
        elif word == "name":
            head, _, how = rest.partition(":")
            name, kind, since = head.split()
            table.names.append(Name(name, kind, since, how.strip()))
        elif row is None:
            fail(f"'{word}' belongs to no row")
        elif word == "field":
            name, kind = rest.split()
            row.fields.append((name, kind))
        elif word == "content":
            row.parts = rest.split() or ["content"]
        elif word == "swift":
            signature, arrow, values = rest.partition("=>")
            if not arrow:
                fail("an overload needs '=>'")
            values = split(values)
            if len(values) != len(row.fields) + len(row.parts):
                fail(f"{len(values)} values for {len(row.fields)} fields, {len(row.parts)} parts")
            words = signature.split()
            is_disfavored = words[0] == "disfavored" or "StringProtocol" in signature
            signature = " ".join(words[words[0] == "disfavored":])
            row.overloads.append(Overload(signature, values, is_disfavored))
        elif word == "guest":
            row.is_custom = True
        elif word == "html":
            row.html = rest
        elif word == "apple":
            found = re.match(r"(?:\[([\d.]+)\] )?(.*)", rest)
            row.apple_since, row.apple = found[1] or row.since, found[2]
        else:
            fail(f"'{word}' is unknown")
    for row in table.rows:
        if not row.html:
            sys.exit(f"{TABLE}: {row.name} says nothing about HTML")
        if not row.apple:
            sys.exit(f"{TABLE}: {row.name} says nothing about SwiftUI")
        if not row.overloads and not row.is_custom:
            sys.exit(f"{TABLE}: {row.name} has no overload")
    cases = [row.case for row in table.views], [row.case for row in table.modifiers]
    for group in cases:
        if len(set(group)) != len(group):
            sys.exit(f"{TABLE}: a name stands twice; give the second one a variant")
    return table


KEYWORDS = {"default", "inline", "none", "in", "is", "as", "switch", "continue", "return", "case"}


def escaped(name: str) -> str:
    """A Swift identifier."""
    return f"`{name}`" if name in KEYWORDS - {"none", "inline"} else name


def literal(text: str) -> str:
    """A Swift string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
