"""Scenes, comparisons and reports of peg-lab, and traces, from Python and in notebooks.

peg-lab is taken from $PEG_LAB or the PATH (package ode-peg-tools).
"""
import gzip
import html
import json
import numbers
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from . import _check

__all__ = ["compare", "run", "report", "scenes", "read_trace", "Comparison", "Run", "Report", "Trace", "LabError"]


class LabError(RuntimeError):
    """peg-lab ended with an error, in its own words."""


def _lab(*arguments):
    program = os.environ.get("PEG_LAB") or shutil.which("peg-lab")
    if not program:
        raise LabError("peg-lab was not found: install ode-peg-tools, or set PEG_LAB to its path")
    result = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    if result.returncode:
        raise LabError((result.stderr or result.stdout).strip().splitlines()[-1])
    return result.stdout


def _options(call, scene, h, time, seed, mu, keys):
    """The words of a scene and its options; peg-lab tells of what is out of its ranges."""
    if not isinstance(scene, str):
        raise _check.wrong_type(call, "scene", scene, "give the name of a scene, one of scenes(), or of a file")
    out = [scene]
    for name, value in (("h", h), ("time", time), ("mu", mu)):
        if value is not None:
            out.append(f"--{name}={_number(call, name, value)!r}")
    if seed is not None:
        out.append(f"--seed={_check.count(call, 'seed', seed)}")
    return out + [f"--set={name}={_number(call, name, value)!r}" for name, value in keys.items()]


def _number(call, name, value):
    x = _check.number(call, name, value, low=-np.inf, high=np.inf)
    return int(value) if isinstance(value, numbers.Integral) else x


def scenes():
    """{name: one line about it} of all scenes."""
    lines = (line.split(None, 1) for line in _lab("list").splitlines() if line and not line[0].isspace())
    return {words[0]: words[1].strip() if len(words) > 1 else "" for words in lines}


class Report:
    """A page with replay, plots and table. In a notebook it shows itself; path: the HTML file."""

    def __init__(self, path, keep=None):
        self.path, self._keep = Path(path), keep

    def _repr_html_(self):
        page = html.escape(self.path.read_text(encoding="utf-8"))
        return f'<iframe srcdoc="{page}" width="100%" height="900" style="border: 0"></iframe>'


class Trace:
    """A recorded run. n steps (that of the start included), b bodies:

    times (n,), s; poses (n, b, 7): x, y, z, qw, qx, qy, qz; velocities (n, b, 6): linear, angular;
    NaN where a body is not in the scene. header: the first line; stats: a dict for each step.
    """

    def __init__(self, header, lines):
        bodies = len(header["bodies"])
        self.header, self.stats = header, [line.get("stats", {}) for line in lines]
        self.times = np.array([line["t"] for line in lines], float)
        self.poses = self._array(lines, "pose", bodies, 7)
        self.velocities = self._array(lines, "vel", bodies, 6)
        self.names = [body.get("name") for body in header["bodies"]]

    @staticmethod
    def _array(lines, key, bodies, width):
        out = np.full((len(lines), bodies, width), np.nan)
        for n, line in enumerate(lines):
            for b, values in enumerate(line.get(key) or []):
                if values is not None:
                    out[n, b] = values
        return out


def read_trace(path):
    """The Trace of a file of version 1, also compressed by gzip. ArgumentError: it holds no such trace."""
    need = "no trace of version 1 (record it without --trace-compact)"
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    try:
        with (gzip.open if packed else open)(path, "rt", encoding="utf-8") as file:
            header, *lines = (json.loads(line) for line in file)
        if header["format"] != "ode-peg-trace" or header["version"] != 1:
            raise ValueError
        return Trace(header, lines)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, EOFError, gzip.BadGzipFile) as error:
        raise _check.wrong_value("read_trace", "path", path, f"{need}{f': {error}' if str(error) else ''}") from error


class Run:
    """One scene with one contact model. summary: a dict of what was measured; trace: a Trace."""

    def __init__(self, summary, trace, path, folder):
        self.summary, self.trace, self._path, self._folder = summary, trace, path, folder

    def show(self):
        return report(self)


class Comparison:
    """One scene with several contact models. table: text; summaries: {model: dict}; [model] for short."""

    def __init__(self, folder):
        self._folder = folder
        place = Path(folder.name)
        self.table = (place / "table.txt").read_text(encoding="utf-8")
        self.summaries = {one["contact"]: one for one in json.loads((place / "summary.json").read_text(encoding="utf-8"))}
        self.picture = place / "picture.png"

    def __getitem__(self, model):
        return self.summaries[model]

    def show(self):
        """The Report: replay of all models side by side."""
        return Report(Path(self._folder.name) / "report.html", self)

    def __str__(self):
        return self.table


def compare(scene, contact=("ode", "peg"), h=None, time=None, seed=None, mu=None, **keys):
    """Runs a scene with several contact models. keys: the scene's own, as bodies=40.

    odepeg.compare("v-notch").show() shows the page in a notebook. h, time: s. Errors: LabError, in the
    words of peg-lab; TypeError and ArgumentError for what is no number or list of names.
    """
    if isinstance(contact, str) or not all(isinstance(one, str) for one in contact):
        raise _check.wrong_type("compare", "contact", contact, "give a list of contact models, as ('ode', 'peg')")
    options = _options("compare", scene, h, time, seed, mu, keys)
    folder = tempfile.TemporaryDirectory(prefix="odepeg-")
    _lab("compare", *options, "--contact", ",".join(contact), "--out", folder.name, "--quiet")
    return Comparison(folder)


def run(scene, contact="peg", h=None, time=None, seed=None, mu=None, **keys):
    """Runs a scene with one contact model and reads its trace; arguments and errors as of compare."""
    if not isinstance(contact, str):
        raise _check.wrong_type("run", "contact", contact, "give the name of one contact model, as 'peg'")
    options = _options("run", scene, h, time, seed, mu, keys)
    folder = tempfile.TemporaryDirectory(prefix="odepeg-")
    trace, summary = Path(folder.name) / "trace.jsonl", Path(folder.name) / "summary.json"
    _lab("run", *options, "--contact", contact, "--trace", trace, "--summary", summary, "--quiet")
    return Run(json.loads(summary.read_text(encoding="utf-8")), read_trace(trace), trace, folder)


def report(*runs, out=None):
    """The Report of runs or of trace files, one or more; out: where to write the page (else it is temporary)."""
    for one in runs:
        if not isinstance(one, (Run, str, os.PathLike)):
            raise _check.wrong_type("report", "runs", one, "give what run returned, or the path of a trace")
    if not runs:
        raise TypeError("report: runs are (): give at least one, or the path of a trace")
    folder = None if out else tempfile.TemporaryDirectory(prefix="odepeg-")
    out = Path(out) if out else Path(folder.name) / "report.html"
    _lab("report", *(one._path if isinstance(one, Run) else one for one in runs), "--out", out)
    return Report(out, folder)
