"""What Python adds to a step of 1e5 particles. Processor time of one thread and the best of several tries: other processes
are there."""

import time

import numpy as np
import pytest

import firn

STEPS, TRIES = 20, 4


@pytest.fixture(scope="module")
def block():
    """1e5 particles of jelly that fly."""
    scene = firn.Scene.from_dict(
        {
            "grid": {"dx": 1 / 32},
            "material": {"jelly": {"model": "fixed_corotated", "density": 1000, "youngs_modulus": 1e5, "poisson_ratio": 0.3}},
            "body": [{"material": "jelly", "shape": {"type": "box", "min": [0, 0, 0], "max": [0.7, 0.7, 0.8]}}],
        }
    )
    simulation = firn.Simulation(scene, device="cpu", threads=1)
    assert 9e4 < simulation.stats().particles < 1.1e5
    simulation.step(STEPS)
    return simulation


def best(call, clock=time.process_time):
    def seconds():
        start = clock()
        call()
        return clock() - start

    return min(seconds() for _ in range(TRIES))


def test_a_call_costs_next_to_nothing(block):
    """1 % of a step is asked for. A call of no steps is what Python adds to one of any number of them."""
    step = best(lambda: block.step(STEPS)) / STEPS
    now = block.time
    call = best(lambda: [block.advance_until(now) for _ in range(100)]) / 100
    assert call < 0.01 * step
    block.set_force(lambda step: None)  # signals are held then
    call = best(lambda: [block.advance_until(now) for _ in range(100)]) / 100
    block.set_force(None)
    assert call < 0.01 * step


def test_a_callback_for_each_step_costs_little(block):
    seen = []
    plain = best(lambda: block.step(STEPS))
    called = best(lambda: block.step(STEPS, on_step=lambda step: seen.append(step.time)))
    assert len(seen) == STEPS * TRIES
    assert called < 1.1 * plain


def test_a_force_in_numpy_costs_less_than_a_step(block):
    """Twice the step without one is asked for; both are fused."""

    def swirl(step):
        x, _, z = step.position
        np.multiply(step.velocity, -10, out=step.acceleration)
        step.acceleration[0] += 20 * z
        step.acceleration[2] -= 20 * x

    simulation = firn.Simulation(block.scene, device="cpu", threads=1)
    simulation.step(STEPS)
    plain = best(lambda: simulation.step(STEPS))
    simulation.set_force(swirl)
    forced = best(lambda: simulation.step(STEPS))
    print(f"plain {1e3 * plain / STEPS:.2f} ms, with the force {1e3 * forced / STEPS:.2f} ms")
    assert forced < 2 * plain
