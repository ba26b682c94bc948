#!/usr/bin/env python3
"""Input filter of Doxygen: Markdown as forges show it, and the C header, as Doxygen reads them."""
import re
import sys
from pathlib import Path


def markdown(text):
    """$`x`$ and ```math become formulas; links out of the manual become links to copies or names."""
    text = re.sub(r"\$`(.+?)`\$", r"\\f$\1\\f$", text, flags=re.S)
    text = re.sub(r"```math\n(.+?)```", r"\\f[\1\\f]", text, flags=re.S)
    text = re.sub(r"\[([^\]]+)\]\((?:\.\./)?demos/examples/(\w+\.c)\)", r'<a href="\2.txt">\1</a>', text)
    text = re.sub(r"\[([^\]]+)\]\((?:\.\./)?demos/examples\)", r"`demos/examples/`", text)
    text = re.sub(r"\[LICENSE\]\(LICENSE\)", "LICENSE", text)
    return text


def comment_start(match):
    return ("/**< " if match[1].strip() else "/** ").join((match[1], match[2]))


def header(text):
    """Plain comments become Doxygen's; indented lines in them keep their columns."""
    out, inside, verbatim = [], False, False
    for line in text.splitlines():
        if not inside:
            line = re.sub(r"^(.*?)/\*(?!\*) ?(.*)$", comment_start, line)
        body = re.sub(r"^ ?\*(?!/) ?", "", line)
        table = inside and re.match(r"^( {2,}|\S.* {3,}\S)", body) and "/**<" not in line and line.startswith(" *")
        if table and not verbatim:
            out.append(" * \\verbatim")
        if verbatim and not table:
            out.append(" * \\endverbatim")
        verbatim = bool(table)
        inside = "*/" not in line and (inside or "/**" in line)
        out.append(line)
    return "\n".join(out) + "\n"


path = Path(sys.argv[1])
print((header if path.suffix == ".h" else markdown)(path.read_text()), end="")
