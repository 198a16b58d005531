"""A simulation that a controller drives: what it reads between two calls, and what it may do within one."""

import os
import subprocess
import sys

import firn
import numpy as np
import pytest

PUSHER = """
[simulation]
dimension = 2
frames = 6
fps = 100
gravity = [0, 0]
precision = "double"
[grid]
dx = 0.05
[material.jelly]
model = "neo_hookean"
density = 1000
youngs_modulus = 1e5
poisson_ratio = 0.3
[[body]]
material = "jelly"
shape = { type = "box", min = [0, 0], max = [0.4, 0.4] }
[[collider]]
name = "pusher"
boundary = "separate"
shape = { type = "box", min = [-0.4, -0.2], max = [0, 0.6] }
motion = { type = "keyframes", times = [0, 10], translation = [[0, 0], [10, 0]] }
[[sensor]]
name = "load"
type = "collider"
collider = "pusher"
"""


def pusher():
    return firn.Simulation(firn.Scene.from_toml(PUSHER), device="cpu", threads=1)


def test_forces_are_means_since_they_were_last_read():
    simulation = pusher()
    simulation.read_sensors()
    momentum, t = simulation.totals().momentum[0], 0.0
    for until in (0.003, 0.006, 0.0095, 0.0125, 0.02, 0.024):
        simulation.advance_until(until)
        force = simulation.read_sensors()["load"]["force_x"]
        now = simulation.totals().momentum[0]
        assert -force * (simulation.time - t) == pytest.approx(now - momentum, rel=1e-6, abs=1e-9)
        momentum, t = now, simulation.time


def test_a_controller_in_on_step_turns_the_pusher_back():
    simulation = pusher()
    forces = []

    def control(step):
        given = simulation.collider_impulses()[0].impulse[0]
        forces.append(given)
        at = simulation.colliders()[0].translation[0]
        if given < -1 and simulation.time < 10:
            simulation.set_collider_motion("pusher", [simulation.time, simulation.time + 1], [[at, 0], [at - 1, 0]])

    simulation.advance_frame(on_step=control)
    assert min(forces) < -1
    assert simulation.colliders()[0].velocity[0] == pytest.approx(-1)
    with pytest.raises(firn.SceneError, match="move colliders, not advance"):
        simulation.step(1, on_step=lambda step: simulation.remove_particles([0]))


def test_states_are_any_bytes():
    simulation = pusher()
    state = simulation.save_state()
    simulation.step(3)
    later = simulation.field("position")
    for shown in (bytearray(state), memoryview(state)):
        simulation.load_state(shown)
        simulation.step(3)
        assert np.array_equal(simulation.field("position"), later)
    with pytest.raises(TypeError):
        simulation.load_state("no bytes")


def test_a_state_of_another_density_is_refused():
    heavier = firn.Simulation(firn.Scene.from_toml(PUSHER, overrides={"material.jelly.density": 3000}), device="cpu")
    with pytest.raises(firn.FileError, match="density 1000"):
        heavier.load_state(pusher().save_state())


def test_what_is_no_scene_and_no_name_is_told_of():
    with pytest.raises(TypeError, match="a firn.Scene is expected, found dict"):
        firn.Simulation({})
    with pytest.raises(TypeError, match="material: a name"):
        pusher().add_particles(3, [[0.6, 0.6]])
    with pytest.raises(AttributeError):
        firn.Scene.from_toml(PUSHER).frames = 3


def test_threads_wait_as_those_of_the_program_do():
    code = "import os, firn; print(os.environ.get('GOMP_SPINCOUNT'), os.environ.get('OMP_WAIT_POLICY'))"
    told = {key: value for key, value in os.environ.items() if key not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    for given, printed in (({}, "None None"), ({"GOMP_SPINCOUNT": "7"}, "7 None"), ({"OMP_WAIT_POLICY": "passive"}, "None passive")):
        done = subprocess.run([sys.executable, "-c", code], env=told | given, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == printed
