#!/usr/bin/env python3
"""Checks traces of the lab against docs/trace.schema.json: check_schema.py LAB SCHEMA.
Exit status 77 (skipped) without the module jsonschema."""
import gzip
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("trace schema: skipped, no module jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

RUNS = [
    ("run pour-mixed --time .8 --set bodies=8", "a.jsonl"),
    ("run ragdoll --contact ode --time .3", "b.jsonl"),
    ("run pour-2d --contact st --time .5", "c.jsonl.gz"),
    ("run seams-sphere --time .05 --trace-quantum 1e-6", "d.jsonl.gz"),
]


def main():
    lab, schema = sys.argv[1:]
    with open(schema, encoding="utf-8") as file:
        validator = jsonschema.Draft202012Validator(json.load(file))
    lines = 0
    with tempfile.TemporaryDirectory() as folder:
        for arguments, name in RUNS:
            path = os.path.join(folder, name)
            subprocess.run([lab, *arguments.split(), "--quiet", "--trace", path], check=True)
            opener = gzip.open if name.endswith(".gz") else open
            with opener(path, "rt", encoding="utf-8") as trace:
                for number, line in enumerate(trace, 1):
                    for error in validator.iter_errors(json.loads(line)):
                        sys.exit(f"{arguments}, line {number}: {error.message[:300]}")
                    lines += 1
    for bad in ({"format": "ode-peg-trace", "version": 3}, {"step": 1}, {"step": -1, "pose": []}):
        if validator.is_valid(bad):
            sys.exit(f"the schema accepts {bad}")
    print(f"{lines} lines of {len(RUNS)} traces follow the schema")


main()
