#!/usr/bin/env python3
"""The named numbers of the library, as a table: docs/constants.py SOURCE-ROOT [--check].

Reads peg/, ode_glue/ and plugin/ for three forms: `#define NAME number`, `static const type NAME =
number, ..;` and `enum { NAME = number, .. };` on one line, with names in capitals. The purpose of a number is the comment
behind it or above it; one comment above a block of lines serves all of them.

With --check nothing is written; the exit status is 1 if a number has no purpose, or if a rule of
the loop has no row in docs/architecture.md, its scene is none of tests/test_rules.c, or its counter
is no field of pegStats.
"""
import re
import sys
from pathlib import Path

NUMBER = r"[-+(]*(?:0x[0-9a-fA-F]+|\.?[0-9][0-9.eE+*/ -]*)u?\)?"
PAIR = rf"([A-Z][A-Z0-9_]+) = ({NUMBER})"
LIST = rf"[A-Z][A-Z0-9_]+ = {NUMBER}(?:, [A-Z][A-Z0-9_]+ = {NUMBER})*"
FORMS = (
    re.compile(rf"^\s*#define\s+([A-Z][A-Z0-9_]+)\s+({NUMBER})\s*(?:/\*.*)?$"),
    re.compile(rf"^\s*(?:static )?const (?:double|int|long|float|size_t|uint\w+) (?={LIST};)(.*?);"),
    re.compile(rf"^\s*enum \{{ (?={LIST} \}};)(.*?) \}};"),
)
VERSION = re.compile(r"PEG_VERSION_|_POSIX|_GNU_SOURCE")


def comments(lines):
    """For every line: (text of the comment that ends on it, text of the one that starts behind code)."""
    above, beside, start = {}, {}, None
    for n, line in enumerate(lines):
        if start is None:
            at = line.find("/*")
            if at < 0:
                continue
            start, code, text = n, line[:at].strip(), line[at + 2:]
        else:
            text += " " + re.sub(r"^\*(?!/)", "", line.strip())
        if "*/" not in text:
            continue
        text = " ".join(text.split("*/")[0].split())
        if code:
            beside[start] = text
        else:
            above[n] = text
        start = None
    return above, beside


def numbers_of(path):
    """Yields (name, value, purpose) of a file; purpose is empty where there is no comment."""
    lines = path.read_text().splitlines()
    above, beside = comments(lines)
    block = ""
    for n, line in enumerate(lines):
        found = next((m for m in (form.match(line) for form in FORMS) if m), None)
        if n in above:
            block = above[n]
        elif not found and not line.strip():
            block = ""
        pairs = [found.groups()] if found and found.lastindex == 2 else re.findall(PAIR, found[1]) if found else []
        for name, value in pairs:
            if not VERSION.match(name):
                yield name, value.strip(), beside.get(n, block)


def all_numbers(root):
    for folder in ("peg", "ode_glue", "plugin"):
        for path in sorted((root / folder).rglob("*.[ch]")):
            for number in numbers_of(path):
                yield (path.relative_to(root).as_posix(), *number)


def table(root):
    cell = lambda text: text.replace("|", "\\|").replace("<", "&lt;").replace("_", "\\_").replace("*", "\\*")
    yield "# Constants {#constants}"
    yield ""
    yield ("Every named number of `peg/`, `ode_glue/` and `plugin/`, taken from the sources by "
           "`docs/constants.py`. L is the size of a pair: the radius of the smaller part's bounding "
           "sphere.")
    last = None
    for file, name, value, purpose in all_numbers(root):
        if file != last:
            yield from ("", f"## {file}", "", "| name | value | purpose |", "| --- | --- | --- |")
            last, purpose_above = file, None
        yield f"| `{name}` | {value} | {'as above' if purpose == purpose_above else cell(purpose)} |"
        purpose_above = purpose


def rules_missing(root):
    """What the table of rules in docs/architecture.md lacks, one sentence each."""
    source = "".join(p.read_text() for p in (root / "peg").rglob("*.h"))
    rules = set(re.findall(r"\bPEG_RULE_[A-Z_]+(?= =)", source))
    stats = set(re.findall(r"\b([a-z_]+)(?=[,;])", source.split("typedef struct pegStats")[1].split("} pegStats")[0]))
    scenes = (root / "tests" / "test_rules.c").read_text()
    rows = {}
    for line in (root / "docs" / "architecture.md").read_text().splitlines():
        cells = [c.strip().strip("`") for c in line.split("|")[1:-1]]
        if cells and cells[0].startswith("PEG_RULE_"):
            rows[cells[0]] = cells
    for rule in sorted(rules - rows.keys()):
        yield f"{rule} has no row in the table of rules in docs/architecture.md"
    for rule in sorted(rows.keys() - rules):
        yield f"docs/architecture.md lists {rule}, which no header of peg/ has"
    for rule, cells in rows.items():
        if f'"{cells[2]}"' not in scenes or f"{rule}," not in scenes:
            yield f"{rule}: tests/test_rules.c runs no scene '{cells[2]}'"
        for counter in re.findall(r"[a-z_]+", cells[3]) if cells[3] != "none" else []:
            if counter not in stats:
                yield f"{rule}: pegStats has no field '{counter}'"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    root = Path(sys.argv[1])
    if sys.argv[2:] != ["--check"]:
        print("\n".join(table(root)))
        return 0
    bare = [f"{file}: {name} has no comment that says what it is for"
            for file, name, _, purpose in all_numbers(root) if not purpose]
    missing = bare + list(rules_missing(root))
    print("\n".join(missing) if missing else f"{len(list(all_numbers(root)))} numbers, all with a purpose")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
