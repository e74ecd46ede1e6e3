#!/usr/bin/env python3
"""Writes everything that the table of views decides (Sources/ViewTree/vocabulary.txt).

With --check it writes nothing and fails when a file is not what it would write.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Scripts" / "vocabulary"))
sys.dont_write_bytecode = True

import apple  # noqa: E402
import guest  # noqa: E402
import html_dispatch  # noqa: E402
import page  # noqa: E402
import table  # noqa: E402
import tree  # noqa: E402


def main() -> None:
    rows = table.read()
    outputs = {
        "Sources/PatchCompiler/Guest/SwiftUI/ViewVocabulary.generated.swift": guest.render(rows),
        "Sources/ViewTree/Vocabulary.generated.swift": tree.render(rows),
        "Sources/PatchHTML/Vocabulary.generated.swift": html_dispatch.render(rows),
        "Sources/ModuleABI/ViewVocabulary.generated.swift": tree.maximum(rows),
        "Tests/ViewSamples/Samples.generated.swift": tree.samples(rows),
        "Sources/PatchSwiftUI/Vocabulary.generated.swift": apple.render(rows),
        "Docs/vocabulary.md": page.render(rows),
    }
    for name, text in outputs.items():
        target = ROOT / name
        if "--check" in sys.argv[1:]:
            if not target.exists() or target.read_text(encoding="utf-8") != text:
                sys.exit(f"{target} is not current; run make generate")
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


main()
