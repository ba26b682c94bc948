#!/usr/bin/env python3
"""SHA-256 of every pose and velocity of a list of peg-lab runs.

usage: trace_hashes.py LAB LIST [--jobs N] [--only TEXT]

Prints a line a run, in the order of the list: hash, steps, the run's arguments. The numbers are
hashed as the doubles they are, so the format of a trace may change and the hash does not.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import shlex
import struct
import subprocess
import sys
import tempfile


def add_numbers(digest, value):
    """Hashes nested lists of numbers; null stands for a body that has not entered."""
    if value is None:
        digest.update(b"null")
    elif isinstance(value, list):
        digest.update(b"[")
        for item in value:
            add_numbers(digest, item)
    else:
        digest.update(struct.pack("<d", value))


def hash_trace(path):
    digest = hashlib.sha256()
    steps = 0
    with open(path, encoding="utf-8") as trace:
        for line in trace:
            if '"pose":' not in line:
                continue
            record = json.loads(line)
            add_numbers(digest, record["pose"])
            add_numbers(digest, record["vel"])
            steps += 1
    return digest.hexdigest(), steps


def run(lab, arguments):
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.jsonl")
        command = [lab, "run", *shlex.split(arguments), "--quiet", "--trace", trace]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, text=True, check=False)
        if done.returncode:
            return f"{'failed':64} {done.returncode:5} {arguments}: {done.stderr.strip()[-200:]}"
        digest, steps = hash_trace(trace)
        return f"{digest} {steps:5} {arguments}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lab")
    parser.add_argument("list")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="runs that contain this text")
    options = parser.parse_args()
    with open(options.list, encoding="utf-8") as text:
        runs = [line.strip() for line in text if line.strip() and not line.startswith("#")]
    runs = [line for line in runs if options.only in line]
    failed = False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for line in pool.map(lambda arguments: run(options.lab, arguments), runs):
            print(line, flush=True)
            failed = failed or line.startswith("failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
