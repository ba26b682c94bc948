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
    text = text.replace("reference of `ode-peg.h`", '<a href="ode-peg_8h.html">reference of ode-peg.h</a>')
    text = re.sub(r"\[LICENSE\]\(LICENSE\)", "LICENSE", text)
    return text


def comment_start(match):
    return ("/**< " if match[1].strip() else "/** ").join((match[1], match[2]))


def header(text):
    """Plain comments become Doxygen's; indented lines in them keep their columns; a comment above
    several functions serves all of them; the guards go."""
    text = re.sub(r"^#ifndef (\w+_H)\n#define \1$", "#if 1", text, flags=re.M)
    text = re.sub(r"/\* Status codes, settings and statistics:.*?\*/", "", text, flags=re.S)
    text = text.replace("/* ", "/** \\file ode-peg.h\n * ", 1)
    out, inside, verbatim = [], False, False
    for line in text.splitlines():
        if not inside:
            line = re.sub(r"^(.*?)/\*(?!\*) ?(.*)$", comment_start, line)
        body = re.sub(r"^ ?\*(?!/) ?", "", line)
        table = inside and re.match(r"^( {2,}|\S.* {3,}\S)", body) and line.startswith(" *")
        if table and not verbatim:
            out.append(" * \\verbatim")
        if verbatim and not table:
            out.append(" \\endverbatim")
        verbatim = bool(table)
        inside = "*/" not in line and (inside or "/**" in line)
        out.append(body if table else line)
    blocks = "\n".join(out).split("\n\n")
    return "\n\n".join(f"/**@{{*/\n{b}\n/**@}}*/" if b.count("PEG_API ") > 1 and "*/" in b else b for b in blocks) + "\n"


if len(sys.argv) != 2:
    sys.exit(__doc__)
path = Path(sys.argv[1])
print((header if path.suffix == ".h" else markdown)(path.read_text()), end="")
