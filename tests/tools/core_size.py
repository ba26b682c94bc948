#!/usr/bin/env python3
"""How large the core of the loop is: its modes and its tuning constants, in any commit.

tests/tools/core_size.py [COMMIT..]: without one, the commit before the core was built anew, and HEAD.

Counted are the files that choose directions, iterate, solve and end a step: in flat folders by the
names they had. Constants are named numbers as docs/constants.py sees them, but those that are 0 or
1, or that enumerate. Modes are rules of the loop, and flags or enumerators of the island that say how it
is solved.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import constants  # noqa: E402

BEFORE = "141ef48"
FILES = re.compile(
    r"peg/(?:(?:outer|fallback|pair|advance|impact|sweeps|sweeps_rest|sweep_island|island_solve|warm_start|contact_row"
    r"|tolerance|island|sweeper|kinematics|energy)\.[ch]"
    r"|island/(?!joint)\w+\.[ch]|contact/(?:disjunction|first_contact|contact_row|mode|island|kinematics)\.[ch]"
    r"|lcp/(?:gauss_seidel|gauss_seidel_state|conjugate_gradient)\.[ch]|base/tolerance\.h)$")
FLAGS = ("secant", "clearance", "elastic", "slips", "regaining", "hasty", "thorough", "tumbles", "rough",
         "recovering", "least", "yield", "scaled", "restored", "halved", "calm", "positions_apart", "mode")


def sources(commit, folder):
    names = subprocess.run(["git", "-C", ROOT, "ls-tree", "-r", "--name-only", commit, "peg"],
                           check=True, capture_output=True, text=True).stdout.split()
    for name in filter(FILES.match, names):
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(subprocess.run(["git", "-C", ROOT, "show", f"{commit}:{name}"],
                                        check=True, capture_output=True).stdout)
        yield path


def modes_of(text):
    found = set(re.findall(r"\b(PEG_(?:RULE|FORM|MODE)_[A-Z_]+) ?=? ?\d*,?", text))
    found -= {name for name in found if name.endswith("_OF_POLICY")}
    struct = text[text.find("struct peg_island {"):]
    found |= {flag for flag in FLAGS if re.search(rf"^    int (?:\w+, )*{flag}\b", struct, re.M)}
    return found


def size_of(commit):
    with tempfile.TemporaryDirectory() as folder:
        files = list(sources(commit, folder))
        numbers = [(p.name, name, value) for p in files for name, value, _ in constants.numbers_of(p)
                   if value not in ("0", "1") and not re.match(r"PEG_(RULE|FORM|MODE|NOTE)_", name)]
        modes = set().union(*(modes_of(p.read_text()) for p in files if p.name == "island.h"))
        lines = sum(len(p.read_text().splitlines()) for p in files)
    return len(files), lines, sorted(modes), sorted(numbers)


def main():
    verbose = "-v" in sys.argv
    for commit in [a for a in sys.argv[1:] if a != "-v"] or [BEFORE, "HEAD"]:
        files, lines, modes, numbers = size_of(commit)
        print(f"{commit}: {files} files, {lines} lines, {len(modes)} modes, {len(numbers)} constants")
        if verbose:
            print("  " + " ".join(modes))
            print("  " + " ".join(f"{file}:{name}={value}" for file, name, value in numbers))


if __name__ == "__main__":
    main()
