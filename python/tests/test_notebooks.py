"""Notebooks: those that come with Firn run and show pictures, and a picture is shown as one."""

import base64
import pathlib
import sys

import nbclient
import nbformat
import numpy as np
import pytest

import firn
from test_package import decoded

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[2] / "examples/notebooks"


@pytest.fixture(autouse=True)
def this_python(tmp_path, monkeypatch):
    """Kernels run in the environment of the tests, and leave nothing in anybody's home."""
    monkeypatch.setenv("PATH", str(pathlib.Path(sys.executable).parent), prepend=":")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))


def executed(notebook, folder):
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}
    ).execute()
    return notebook


def pictures(notebook):
    shown = [
        output for cell in notebook.cells for output in cell.get("outputs", []) if "image/png" in output.get("data", {})
    ]
    return [base64.b64decode(output["data"]["image/png"]) for output in shown]


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_examples(path, tmp_path):
    """They check what they compute; they are kept without outputs."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in code)
    assert any("assert " in cell.source for cell in code)
    executed(notebook, tmp_path)
    assert len(pictures(notebook)) >= 3


def test_there_are_three():
    assert len(list(NOTEBOOKS.glob("*.ipynb"))) >= 3


def test_a_picture_is_shown(scene, tmp_path):
    (tmp_path / "square.toml").write_text(scene.to_toml())
    cells = [
        'import firn\nsimulation = firn.Simulation(firn.load("square.toml"), device="cpu")',
        "simulation.step(5)\nsimulation.picture()",
        "simulation",
        "simulation.picture()[:, :, 0]",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    executed(notebook, tmp_path)
    simulation = firn.Simulation(scene, device="cpu")
    simulation.step(5)
    shown = pictures(notebook)
    assert len(shown) == 2  # one channel of a picture is numbers
    for png in shown:
        np.testing.assert_array_equal(decoded(png), simulation.picture())
    assert notebook.cells[3].outputs[0]["data"]["text/plain"].startswith("Picture([[")
