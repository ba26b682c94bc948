#!/usr/bin/env python3
"""Checks the links: docs/check_links.py SOURCE-ROOT [SITE].

Of the Markdown files: links to files and to headings, and paths of sources in backquotes. Of
architecture.md also: the files of the loop, and one row for every equation of [W]. Of a built site:
every href and src that leads to a file of it, and that no formula was left as text.
"""
import re
import sys
from pathlib import Path
from urllib.parse import unquote

FOLDERS = r"(?:peg|ode_glue|plugin|demos|tests|docs|packaging)"


def anchors(path):
    for heading in re.findall(r"^#+ (.+)$", path.read_text(), re.M):
        heading = re.sub(r"[^\w\- ]", "", heading.lower())
        yield heading.strip().replace(" ", "-")


def markdown(root):
    for page in [root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md", *sorted((root / "docs").glob("*.md"))]:
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
        name = page.relative_to(root)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"https?:", target):
                continue
            file, _, anchor = target.partition("#")
            there = (page.parent / file) if file else page
            if not there.exists():
                yield f"{name}: no file {target}"
            elif anchor and anchor not in anchors(there):
                yield f"{name}: no heading {target}"
        for path in re.findall(rf"`({FOLDERS}/[\w/.-]+\.[a-z]+)`", text):
            if not (root / path).exists():
                yield f"{name}: no file {path}"


def architecture(root):
    page = root / "docs" / "architecture.md"
    text = page.read_text()
    loop = text.split("## The loop")[1].split("```text")[1].split("```")[0]
    folder = None
    for named, file in re.findall(r"(?:\b(\w+)/)?(\w+\.c)\b", loop):
        folder = named or folder
        if not (root / "peg" / folder / file).exists():
            yield f"architecture.md: no file peg/{folder}/{file} in the loop"
    table = text.split("| equation |")[1].split("\n\n")[0]
    rows = [int(n) for cell in re.findall(r"^\| ([\d, ]+) \|", table, re.M) for n in cell.split(",")]
    if rows != list(range(1, 50)):
        yield f"architecture.md: the table of equations is to have 1 to 49 once each, it has {rows}"


def site(place):
    for page in sorted(place.glob("*.html")):
        text = page.read_text()
        for target in re.findall(r'(?:href|src)="([^"#?]+)[^"]*"', text):
            if re.match(r"[a-z]+:", target):
                continue
            if not (page.parent / unquote(target)).exists():
                yield f"{page.name}: no file {target}"
        if "$`" in text or "```math" in text:
            yield f"{page.name}: a formula is left as text"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    root = Path(sys.argv[1])
    wrong = [*markdown(root), *architecture(root)]
    if len(sys.argv) > 2:
        wrong += site(Path(sys.argv[2]))
    print("\n".join(wrong) if wrong else "all links lead somewhere")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
