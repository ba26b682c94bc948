"""Comparisons, runs, traces and the notebooks. Needs peg-lab."""
import ast
import gzip
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import odepeg

pytestmark = pytest.mark.skipif(not (os.environ.get("PEG_LAB") or shutil.which("peg-lab")), reason="no peg-lab")


def test_compare_and_show():
    notch = odepeg.compare("v-notch", contact=("ode", "peg"), h=0.02, time=0.5)
    assert set(notch.summaries) == {"ode", "peg"}
    assert notch["peg"]["depth_max"] == 0 < notch["ode"]["depth_max"] and notch["peg"]["h"] == 0.02
    assert "ode" in str(notch) and notch.picture.exists()
    page = notch.show()._repr_html_()
    assert page.startswith("<iframe") and len(page) > 1e5


def test_run_reads_its_trace(tmp_path):
    run = odepeg.run("pour-boxes", h=0.02, time=1, seed=2, bodies=4)
    steps, bodies, seven = run.trace.poses.shape
    assert steps == 51 and seven == 7 and run.summary["bodies"] == 4
    assert np.allclose(np.diff(run.trace.times), 0.02) and run.trace.velocities.shape == (steps, bodies, 6)
    moving = [not body["static"] for body in run.trace.header["bodies"]]
    assert sum(moving) == 4 and np.isfinite(run.trace.poses[-1]).sum() > 0
    page = odepeg.report(run, out=tmp_path / "page.html")
    assert page.path == tmp_path / "page.html" and page.path.stat().st_size > 1e5
    packed = tmp_path / "trace.gz"
    packed.write_bytes(gzip.compress(run._path.read_bytes()))
    assert np.array_equal(odepeg.read_trace(packed).poses, run.trace.poses, equal_nan=True)


def test_errors():
    with pytest.raises(odepeg.LabError, match="no-such-scene"):
        odepeg.compare("no-such-scene")
    with pytest.raises(odepeg.LabError):
        odepeg.run("v-notch", colour=3)
    path = Path(__file__).with_name("test_lab.py")
    with pytest.raises(ValueError):
        odepeg.read_trace(path)


@pytest.mark.parametrize("name", ["compare", "worlds"])
def test_notebook(name):
    """Runs the code cells in order, as a notebook does, and shows what they end with."""
    cells = json.loads((Path(__file__).parents[1] / "notebooks" / f"{name}.ipynb").read_text())["cells"]
    names, shown = {}, 0
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), names)  # pylint: disable=exec-used
        if last:
            value = eval(compile(ast.Expression(last.value), name, "eval"), names)  # pylint: disable=eval-used
            shown += len(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
    assert shown > 0
