#!/usr/bin/env python3
"""A man page out of its text and of what the program says of its options:
make.py PAGE VERSION PROGRAM > NAME.1. The line @OPTIONS of the page becomes the list of options."""
import re
import subprocess
import sys


def escape(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def options(program):
    """(option, argument, text) of every option in the help of popt."""
    found = []
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        match = re.match(r"^\s+(?:-., )?--([\w-]+)(?:=(\S+))?(?:\s+(.*))?$", line)
        if match:
            found.append([match[1], match[2], match[3] or ""])
        elif found and line.startswith(" " * 10):
            found[-1][2] += " " + line.strip()
        elif not line.strip():
            continue
    return found


page, version, program = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    for line in file:
        if line != "@OPTIONS\n":
            print(line.replace("@VERSION", version), end="")
            continue
        for name, argument, text in options(program):
            value = f"=\\fI{escape(argument)}\\fR" if argument else ""
            print(f".TP\n\\fB\\-\\-{escape(name)}\\fR{value}\n{escape(text)}")
