"""Sensors of a scene: read now, and recorded on the way."""

import numpy as np
import pytest

import firn

SENSORS = [
    {"name": "all", "type": "region", "shape": {"type": "sphere", "center": [0.5, 0.5], "radius": 5.0}},
    {"name": "middle", "type": "point", "position": [0.5, 0.4], "channels": ["velocity"], "rate": 192.0},
    {"name": "weight", "type": "collider", "collider": "floor"},
    {"name": "way", "type": "motion", "bodies": ["square"]},
]


@pytest.fixture
def watched(tree):
    return firn.Simulation(firn.Scene.from_dict({**tree, "sensor": SENSORS}), device="cpu", threads=1)


def test_read_now(watched):
    readings = watched.read_sensors()
    assert list(readings) == ["all", "middle", "weight", "way"]
    assert readings["all"]["mass"] == pytest.approx(watched.totals().mass, rel=1e-6)
    assert readings["middle"]["velocity_x"] == pytest.approx(0.5, rel=1e-5)
    assert np.isnan(readings["weight"]["force_y"])  # before the first step
    assert readings["way"]["mass"] == readings["all"]["mass"]
    assert readings["way"]["position_y"] == pytest.approx(0.4, abs=0.02)
    assert watched.sensor_units()["middle"]["velocity_y"] == "m/s"


def test_record(watched):
    series = watched.record(frames=3)
    assert watched.frame == 3
    assert series["all"]["time"] == pytest.approx(np.arange(1, 4) / 48)
    assert series["middle"]["time"] == pytest.approx(np.arange(1, 13) / 192)
    assert series["all"]["mass"] == pytest.approx(watched.totals().mass, rel=1e-6)
    assert set(series["weight"]) == {"time", "force_x", "force_y", "torque_z"}


def test_forces_between_materials(tree):
    tree["material"]["stone"] = {**tree["material"]["jelly"], "density": 3000.0}
    ball = {"type": "sphere", "center": [0.5, 0.72], "radius": 0.1}
    tree["body"].append({"name": "ball", "material": "stone", "shape": ball, "velocity": [0.0, -4.0]})
    tree["contact"] = [{"materials": ["jelly", "stone"], "friction": 0.3}]
    tree["sensor"] = [{"name": "push", "type": "contact", "materials": ["stone"]}]
    scene = firn.Scene.from_dict(tree)
    assert scene.sensors[0].materials == [1]
    simulation = firn.Simulation(scene, device="cpu", threads=1)
    push = simulation.record(frames=4)["push"]["force_y"]
    assert push.max() > 100
    jelly, stone = simulation.stats().contacts
    assert stone.force == pytest.approx([-x for x in jelly.force])
    assert simulation.read_sensors()["push"]["force_y"] == stone.force[1]
    assert len(simulation.contact_impulses()) == 2


def test_record_stops(watched):
    frames = []
    series = watched.record(on_frame=lambda frame: frames.append(frame.frame) or frame.frame < 2)
    assert frames == [1, 2]
    assert len(series["all"]["time"]) == 2
