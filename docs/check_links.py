#!/usr/bin/env python3
"""Checks the links: docs/check_links.py SOURCE-ROOT [SITE].

Of the Markdown files: links to files and to headings, and paths of sources in backquotes. Of a built
site: every href and src that leads to a file of it, and that no formula was left as text.
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
    root = Path(sys.argv[1])
    wrong = list(markdown(root))
    if len(sys.argv) > 2:
        wrong += site(Path(sys.argv[2]))
    print("\n".join(wrong) if wrong else "all links lead somewhere")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
