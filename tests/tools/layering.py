#!/usr/bin/env python3
"""Reads the includes of the sources and the symbols of their objects, and tells what goes against
the layers: folders use only those below them, no circle of files inside a folder, no circle of
headers, no ODE in peg/, private headers only where they belong.

usage: layering.py ROOT BUILD [--edges]

--edges also prints which folders use which. The status is 1 if anything goes against the layers.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys

# What a folder may use beside itself. A folder stands for its files, not for folders beneath it.
PEG = ["peg/base", "peg/shape", "peg/collide", "peg/lcp", "peg/contact", "peg/island", "peg/paper",
       "peg/step"]
CORE = ["peg", "peg/base", "peg/shape"]  # what the glue and the plugin know of the contact module
GLUE = ["ode_glue/base", "ode_glue/read", "ode_glue/joints", "ode_glue/world", "ode_glue/pairs",
        "ode_glue/write", "ode_glue/step"]
LAUNCH = ["plugin/launch/base", "plugin/launch/world", "plugin/launch/trace", "plugin/launch/near",
          "plugin/launch/step", "plugin/launch/preload"]
DEMOS = ["demos/oracle", "demos/world", "demos/scenes", "demos/report", "demos/checks",
         "demos/experiments", "demos/sweep", "demos/bench", "demos/view", "demos/lab"]
USES = {
    "peg/base": [],
    "peg/shape": PEG[:1],
    "peg/collide": PEG[:2],
    "peg/lcp": PEG[:1],
    "peg/contact": PEG[:4],
    "peg/island": PEG[:5],
    "peg/paper": PEG[:6],
    "peg/step": PEG[:7] + ["peg"],
    "peg": PEG[:5],  # the interface of the module: peg.h
    **{folder: CORE + GLUE[:i] for i, folder in enumerate(GLUE)},
    "plugin": CORE + GLUE,
    **{folder: CORE + GLUE + ["plugin"] + LAUNCH[:i] for i, folder in enumerate(LAUNCH)},
    "plugin/launch/runner": CORE + LAUNCH[:1] + LAUNCH[2:3],
    **{folder: CORE + ["plugin"] + DEMOS[:i] for i, folder in enumerate(DEMOS)},
    "demos/examples": ["plugin"],
}

# What some know of the contact module beyond its interface, and for what.
for places, known in (
        (["ode_glue/read", "ode_glue/write"], ["peg/collide", "peg/contact"]),  # features, scenes
        (["plugin"], ["peg/collide", "peg/paper"]),                             # gap functions
        (["plugin/launch/near"], ["peg/collide"]),                              # distances of geoms
        (["demos/world", "demos/bench", "demos/lab"], ["peg/lcp"]),             # captured problems
        (["demos/experiments", "demos/bench"], ["peg/collide", "peg/lcp", "peg/paper"])):  # gaps
    for place in places:
        USES[place] = USES[place] + known

# Circles that stay: the files, and why.
CIRCLES = [
    (["demos/scenes/scene_file.c", "demos/scenes/ipc_scene.c", "demos/scenes/robot.c",
      "demos/scenes/mjcf.c", "demos/scenes/urdf.c"],
     "a registry of file formats and its readers: a file can name another one"),
]

# Headers that only some may include: header -> folders or files.
PRIVATE = {
    "peg/step/stage.h": ["peg/step"],
    "peg/contact/island.h": ["peg/contact", "peg/island", "peg/paper", "peg/step"],
}

ODE_SYMBOL = re.compile(r"^_?d[A-Z]")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


class Sources:
    """The files of the project, what they include and which symbols they define and need."""

    def __init__(self, root, build):
        self.root = root
        self.includes = {}
        self.needs = collections.defaultdict(dict)  # file -> {other file: a symbol}
        self.ode = collections.defaultdict(set)     # file -> ODE's symbols
        for top in ("peg", "ode_glue", "plugin", "demos"):
            for folder, _, names in os.walk(os.path.join(root, top)):
                for name in names:
                    if name.endswith((".c", ".h")):
                        self.read_includes(os.path.relpath(os.path.join(folder, name), root))
        self.read_objects(build)

    def read_includes(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as text:
            names = INCLUDE.findall(text.read())
        found = []
        for name in names:
            beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
            for candidate in (os.path.normpath(name), beside):
                if os.path.isfile(os.path.join(self.root, candidate)):
                    found.append(candidate)
                    break
        self.includes[path] = found

    def read_objects(self, build):
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as text:
            commands = json.load(text)
        defined, undefined = {}, collections.defaultdict(set)
        objects = {}
        for command in commands:
            source = os.path.relpath(
                os.path.normpath(os.path.join(command["directory"], command["file"])), self.root)
            if source in self.includes:
                objects.setdefault(source, os.path.join(command["directory"], command["output"]))
        paths = {path: source for source, path in sorted(objects.items())}
        listing = subprocess.run(["nm", "--format=posix", "--print-file-name", *paths], check=True,
                                 text=True, stdout=subprocess.PIPE).stdout
        for line in listing.splitlines():
            path, rest = line.split(": ", 1)
            source = paths[path]
            symbol, kind = rest.split()[:2]
            if kind == "U":
                undefined[source].add(symbol)
            elif kind.isupper() and symbol != "main" and not ODE_SYMBOL.match(symbol):
                defined.setdefault(symbol, source)
        for source, symbols in undefined.items():
            for symbol in sorted(symbols):
                if symbol in defined:
                    self.needs[source].setdefault(defined[symbol], symbol)
                elif ODE_SYMBOL.match(symbol):
                    self.ode[source].add(symbol)


def circles(edges):
    """Strongly connected components of more than one node (Tarjan's algorithm)."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        for other in sorted(edges.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on_stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = []
            while not group or group[-1] != node:
                group.append(stack.pop())
                on_stack.discard(group[-1])
            if len(group) > 1:
                found.append(sorted(group))

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return found


def folder_edges(sources):
    """{(folder, other folder): [how]} by symbols and includes."""
    edges = collections.defaultdict(list)
    for source, needs in sources.needs.items():
        for other, symbol in needs.items():
            if other.startswith("peg/") and not source.startswith("peg/"):
                continue  # declared in peg.h or in a header that is included: judged by that
            edges[os.path.dirname(source), os.path.dirname(other)].append(
                f"{source} uses {symbol} of {other}")
    for path, names in sources.includes.items():
        for name in names:
            edges[os.path.dirname(path), os.path.dirname(name)].append(f"{path} includes {name}")
    return {pair: how for pair, how in edges.items() if pair[0] != pair[1]}


def wrong_arrows(sources):
    for (folder, other), how in sorted(folder_edges(sources).items()):
        if folder not in USES:
            yield f"{folder}: the folder has no layer (USES in {os.path.basename(__file__)})"
        elif other not in USES[folder]:
            yield from (f"{folder} does not lie above {other}: {line}" for line in sorted(how))


def file_circles(sources):
    """Inside each folder, by symbols; the allowed ones may lose files but not gain any."""
    folders = {os.path.dirname(path) for path in sources.includes}
    for folder in sorted(folders):
        edges = {source: [other for other in needs if os.path.dirname(other) == folder]
                 for source, needs in sources.needs.items() if os.path.dirname(source) == folder}
        for group in circles(edges):
            if any(set(group) <= set(files) for files, _ in CIRCLES):
                continue
            yield f"{folder}: a circle of {len(group)} files"
            for source in group:
                for other, symbol in sorted(sources.needs[source].items()):
                    if other in group:
                        yield f"    {os.path.basename(source)} -> {os.path.basename(other)}: {symbol}"


def header_circles(sources):
    for group in circles(sources.includes):
        yield "headers that include each other: " + ", ".join(group)


def ode_in_peg(sources):
    for source, symbols in sorted(sources.ode.items()):
        if source.startswith("peg/"):
            yield f"{source} uses ODE: {', '.join(sorted(symbols))}"


def strangers(sources):
    for path, names in sorted(sources.includes.items()):
        for name in names:
            allowed = PRIVATE.get(name)
            if allowed is not None and not any(
                    path == place or path.startswith(place + "/") for place in allowed):
                yield f"{path} includes {name}, which is private to {', '.join(allowed)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("build")
    parser.add_argument("--edges", action="store_true", help="print which folders use which")
    options = parser.parse_args()
    sources = Sources(options.root, options.build)
    if options.edges:
        for (folder, other), how in sorted(folder_edges(sources).items()):
            print(f"{folder} -> {other} ({len(how)})")
    count = 0
    for check in (wrong_arrows, file_circles, header_circles, ode_in_peg, strangers):
        for line in check(sources):
            count += not line.startswith(" ")
            print(line)
    print(f"{len(sources.includes)} files, {count} against the layers")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
