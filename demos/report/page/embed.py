#!/usr/bin/env python3
"""Writes files as C strings: embed.py OUT.c NAME=FILE.."""
import sys

with open(sys.argv[1], "w", encoding="ascii") as out:
    for pair in sys.argv[2:]:
        name, path = pair.split("=", 1)
        with open(path, "rb") as file:
            data = file.read() + b"\0"
        out.write(f"extern const char {name}[];\nconst char {name}[] = {{\n")
        for i in range(0, len(data), 32):
            out.write(",".join(str(b if b < 128 else b - 256) for b in data[i:i + 32]) + ",\n")
        out.write("};\n")
