#!/usr/bin/env python3
"""Compiles and runs the programs of the manual: docs/snippets.py [--python PYTHON] SOURCE-ROOT -- CC ARG...

Every ```c block of README.md, CONTRIBUTING.md and docs/*.md is compiled with CC ARG... A block with
a main function is linked and run; others are fragments: functions at file scope, or statements in a
function, behind docs/snippets.h. A later fragment of a page may use variables of an earlier one
that it does not declare itself. With --python every ```python block is run.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def blocks(path, language):
    """Yields (line, text) of the fenced blocks of a language."""
    start, text = 0, []
    for n, line in enumerate(path.read_text().splitlines(), 1):
        if start and line.startswith("```"):
            yield start, "\n".join(text) + "\n"
            start = 0
        elif start:
            text.append(line)
        elif line.strip() == "```" + language:
            start, text = n, []


def fragment(text, before):
    if re.search(r"^\w[^;=]*\)\n\{", text, re.M):
        names = re.findall(r"^static \w+ (\w+)\(", text, re.M)
        return '#include "docs/snippets.h"\n' + re.sub(r"^static ", "", text, flags=re.M), names
    needed = ""
    for name in ("contact", "surface"):
        if re.search(rf"\b{name}\b", text) and not re.search(rf"\b(dContact|pegContact|dSurfaceParameters) {name}\b", text):
            needed += {"contact": "dContact", "surface": "dSurfaceParameters"}[name] + f" {name} = {{0}};\n"
    return '#include "docs/snippets.h"\nvoid fragment(void);\nvoid fragment(void)\n{\n' + needed + text + "}\n", []


def check_c(root, path, line, text, compiler, place):
    source, program = place / "snippet.c", place / "snippet"
    whole = "int main(" in text
    source.write_text(text if whole else fragment(text, path)[0])
    command = compiler[:1] + ["-Wall", "-Wextra", "-Wno-unused-variable", "-Werror", f"-I{root}", str(source)]
    command += compiler[1:] + ["-o", str(program)] if whole else ["-fsyntax-only"] + [a for a in compiler[1:] if a[:2] in ("-I", "-D", "-s")]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 0 and whole:
        result = subprocess.run([str(program)], capture_output=True, text=True, timeout=60)
    return result


def main():
    arguments = sys.argv[1:]
    if len(arguments) < 3:
        sys.exit(__doc__)
    python = None
    if arguments[0] == "--python":
        python, arguments = arguments[1], arguments[2:]
    root = Path(arguments[0]).resolve()
    compiler = arguments[2:]
    count = failed = 0
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
    with tempfile.TemporaryDirectory() as place:
        for path in pages:
            for line, text in blocks(path, "python" if python else "c"):
                count += 1
                if python:
                    result = subprocess.run([python, "-W", "error", "-c", text], capture_output=True, text=True, timeout=120)
                else:
                    result = check_c(root, path, line, text, compiler, Path(place))
                if result.returncode:
                    failed += 1
                    print(f"{path.relative_to(root)}:{line}: status {result.returncode}\n{result.stdout}{result.stderr}")
    hello = root / "demos" / "examples" / "hello.c"
    if not python and hello.read_text() not in (text for _, text in blocks(root / "README.md", "c")):
        failed += 1
        print("README.md: its program is not demos/examples/hello.c")
    print(f"{count} snippets, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
