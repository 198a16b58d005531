"""Small scenes that the tests share."""

import os

# Before the engine's threads start: those that wait by spinning take the processor from other tests.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import copy

import pytest

import firn

# A jelly square falls on the floor: some 250 particles, six frames, a fraction of a second to run.
SQUARE = {
    "simulation": {"dimension": 2, "frames": 6, "fps": 48, "gravity": [0.0, -9.81]},
    "grid": {"dx": 0.05},
    "material": {"jelly": {"model": "fixed_corotated", "density": 1000.0, "youngs_modulus": 1e6, "poisson_ratio": 0.3}},
    "body": [
        {
            "name": "square",
            "material": "jelly",
            "shape": {"type": "box", "min": [0.3, 0.2], "max": [0.7, 0.6]},
            "velocity": [0.5, -1.0],
        }
    ],
    "collider": [
        {
            "name": "floor",
            "shape": {"type": "half_space", "point": [0.0, 0.1], "normal": [0.0, 1.0]},
            "boundary": "separate",
            "friction": 0.2,
        }
    ],
    "output": {"resolution": [160, 120]},
}
# It flies freely, so that what a force does can be known.
FREE = {key: value for key, value in SQUARE.items() if key != "collider"}


@pytest.fixture
def tree():
    """Of the square, to change."""
    return copy.deepcopy(SQUARE)


@pytest.fixture
def scene():
    return firn.Scene.from_dict(SQUARE, name="square")


@pytest.fixture
def simulation(scene):
    return firn.Simulation(scene, device="cpu", threads=1)


@pytest.fixture
def free():
    """The square without the floor, and without gravity."""
    scene = firn.Scene.from_dict(FREE, overrides={"simulation.gravity": [0, 0], "body.0.velocity": [0, 0]})
    return firn.Simulation(scene, device="cpu", threads=1)
