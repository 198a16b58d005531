"""Folders as `firn run` leaves them, and what is in USD files of them: for tests of firn.usd."""

import subprocess
import sys

import numpy as np
import pytest

import firn
from usd_reader import channel, in_space, primvar_names, sampled, value

SCENE = {
    "simulation": {"frames": 4, "fps": 24},
    "grid": {"dx": 0.1},
    "material": {
        "jelly": {"preset": "jello", "color": [0.5, 0.25, 1.0]},
        "wax_2": {"preset": "jello", "color": [0.25, 0.5, 0.75]},
    },
    "body": [
        {"material": "jelly", "shape": {"type": "box", "min": [0, 0, 0], "max": [0.4, 0.4, 0.4]}},
        {"material": "wax_2", "shape": {"type": "box", "min": [1, 0, 0], "max": [1.2, 0.2, 0.2]}},
    ],
    "collider": [{"shape": {"type": "half_space", "point": [0, -0.2, 0], "normal": [0, 1, 0]}}],
    "output": {"image": False},
}


def write_ply(path, columns):
    """As `firn run` does: one row for each particle, all of it floats and whole numbers of its own names."""
    row, flat = [], []
    for name, values in columns.items():
        kind = {"float32": "float", "uint16": "ushort", "uint32": "uint"}[values.dtype.name]
        if name in ("position", "velocity"):
            prefix = "v" if name == "velocity" else ""
            names = [prefix + axis for axis in "xyz"]
            values = in_space(values)
        elif values.ndim == 3:
            d = values.shape[1]
            names = [f"{name}_{i}{j}" for i in range(d) for j in range(d)]
        else:
            names = [name] if values.ndim == 1 else [f"{name}_{axis}" for axis in "xyz"[: values.shape[1]]]
        for one, column in zip(names, values.reshape(len(values), -1).T):
            row.append((one, values.dtype, kind))
            flat.append(column)
    rows = np.empty(len(flat[0]), [(name, dtype) for name, dtype, _ in row])
    for (name, _, _), column in zip(row, flat):
        rows[name] = column
    lines = [f"property {kind} {name}" for name, _, kind in row]
    header = ["ply", "format binary_little_endian 1.0", f"element vertex {len(rows)}", *lines, "end_header", ""]
    path.write_bytes("\n".join(header).encode() + rows.tobytes())


def columns_of(frame, d=3, n=20):
    """Particles as a run might have them, more of them in every frame."""
    random, n = np.random.default_rng(frame), n + 3 * frame
    floats = {"position": (d,), "velocity": (d,), "stress": (d, d), "pressure": (), "volume": ()}
    if d == 3:
        floats["vorticity"] = (3,)
    columns = {name: random.random((n, *shape)).astype("f4") for name, shape in floats.items()}
    columns["material"] = (np.arange(n) % 2).astype("u2")
    columns["phase"] = random.integers(0, 2, n).astype("u2")
    columns["id"] = (2**31 + np.arange(n)).astype("u4")  # which 32 bits with a sign do not hold
    return columns


@pytest.fixture
def run(tmp_path):
    """Makes the folder of a run: its scene, and files of these frames."""

    def make(frames=range(5), tree=SCENE, extension="npz", change=lambda columns: None):
        folder = tmp_path / "run"
        (folder / "particles").mkdir(parents=True, exist_ok=True)
        scene = firn.Scene.from_dict(tree, name="scene")
        (folder / "scene.toml").write_text(scene.to_toml())
        for frame in frames:
            columns = columns_of(frame, scene.simulation.dimension)
            change(columns)
            path = folder / f"particles/particles_{frame:06}.{extension}"
            np.savez(path, **columns) if extension == "npz" else write_ply(path, columns)
        return folder

    return make


def check(prim, columns, code, left_out=("material",)):
    """All of one prim at one frame, against columns of its particles."""
    expected = {"points", "extent", "widths"}
    expected |= {name for name, channel in (("velocities", "velocity"), ("ids", "id")) if channel in columns}
    channels = columns.keys() - {"position", "velocity", "id", *left_out}
    expected |= {f"primvars:{own}" for name in channels for own in primvar_names(name, columns[name].ndim)}
    assert sampled(prim) - {"primvars:displayColor:indices"} == expected
    np.testing.assert_array_equal(value(prim.GetPointsAttr(), code).reshape(-1, 3), in_space(columns["position"]))
    if "velocity" in columns:
        np.testing.assert_array_equal(
            value(prim.GetVelocitiesAttr(), code).reshape(-1, 3), in_space(columns["velocity"])
        )
    if "id" in columns:
        np.testing.assert_array_equal(value(prim.GetIdsAttr(), code), columns["id"].astype(np.int64))
    for name in channels:
        values = in_space(columns[name])
        np.testing.assert_array_equal(channel(prim, name, values.ndim, code).reshape(values.shape), values, name)


def command(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "firn.usd", *map(str, arguments)], capture_output=True, text=True, cwd=cwd
    )
