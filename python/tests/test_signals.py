"""Ctrl-C and other signals that ask a run to end, while it is in a force or a boundary in Python."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import firn


def send(number, after=0.0):
    """At once on this thread, where nothing depends on how busy the machine is, or by another one."""
    if after == 0:
        os.kill(os.getpid(), number)
    else:
        threading.Timer(after, os.kill, (os.getpid(), number)).start()


def busy(seconds):
    """As bytecode and as waiting, between which handlers run."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.001)


def lanes(step):
    return 1 - step.position


def set_lanes(simulation, before):
    def force(step):
        before()
        return lanes(step)

    simulation.set_force(force)


def set_rows(simulation, before):
    @firn.per_particle
    def force(t, x, v):
        before()
        return 1 - x

    simulation.set_force(force)


def set_boundary(simulation, before):
    def boundary(step):
        step.velocity[:] *= 0.5
        before()
        step.velocity[:] *= 1.5

    simulation.set_grid_boundary(boundary)


SETTERS = [set_lanes, set_rows, set_boundary]


def interrupted_run(simulation, set_callback, number=signal.SIGINT, after=0.0):
    """Sends the signal in the third call of the callback, and returns how many there were."""
    calls = []

    def before():
        calls.append(simulation)
        if len(calls) == 3:
            send(number, after)
            busy(0.05 if after == 0 else 1)

    set_callback(simulation, before)
    return calls


@pytest.mark.parametrize("set_callback", SETTERS)
@pytest.mark.parametrize(
    ("advance", "calls_of_as_many"),  # the last step of a call is not fused with the next
    [
        (lambda s, **on: s.step(10**9, **on), [7]),
        (lambda s, **on: s.advance_until(1e9, **on), [7]),
        (lambda s, **on: s.step(3, **on), [3, 4]),
    ],
)
def test_ctrl_c_ends_the_step(scene, set_callback, advance, calls_of_as_many):
    simulation = firn.Simulation(scene, device="cpu", threads=1)
    calls = interrupted_run(simulation, set_callback)
    with pytest.raises(KeyboardInterrupt):
        advance(simulation)
    assert len(calls) == 3
    assert simulation.step(4)

    stopped, undisturbed = (firn.Simulation(scene, device="cpu", threads=1) for _ in range(2))
    for other in (stopped, undisturbed):
        set_callback(other, lambda: None)
    advance(stopped, on_step=lambda step: step.step < 3)
    assert stopped.step(4)
    assert simulation.save_state() == stopped.save_state()
    for steps in calls_of_as_many:
        assert undisturbed.step(steps)
    assert simulation.time == undisturbed.time
    for name in ("position", "velocity", "displacement_gradient"):
        np.testing.assert_array_equal(simulation.field(name), undisturbed.field(name))


def test_ctrl_c_while_a_force_waits(free):
    calls = interrupted_run(free, set_lanes, after=0.1)
    with pytest.raises(KeyboardInterrupt):
        free.step(10**9)
    assert len(calls) == 3
    assert free.step()


def test_ctrl_c_that_is_sent_twice(free):
    """As by launchers of jobs."""

    def before():
        send(signal.SIGINT)
        busy(0.005)
        send(signal.SIGINT)
        busy(0.005)

    set_lanes(free, before)
    with pytest.raises(KeyboardInterrupt):
        free.step()
    set_lanes(free, lambda: None)
    assert free.step()


def test_a_second_ctrl_c_ends_what_hangs(free):
    state = free.save_state()

    def hang(step):
        while True:
            time.sleep(0.001)

    free.set_force(hang)
    send(signal.SIGINT, 0.1)
    send(signal.SIGINT, 0.4)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        free.step()
    assert 0.3 < time.monotonic() - start < 5
    with pytest.raises(firn.SceneError, match="means nothing"):
        free.step()
    free.load_state(state)
    free.set_force(None)
    assert free.step()


def test_handlers_stay_as_they_were(free):
    class Enough(Exception):
        pass

    def handler(number, frame):
        raise Enough(number)

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        calls = interrupted_run(free, set_lanes, signal.SIGUSR1)
        with pytest.raises(Enough):
            free.step(10)
        assert len(calls) == 3
        assert signal.getsignal(signal.SIGUSR1) is handler
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert free.step()

        # One that the callback sets is the caller's from then on.
        mine = signal.getsignal(signal.SIGTERM)
        ignore = lambda number, frame: None  # noqa: E731
        free.set_force(lambda step: signal.signal(signal.SIGUSR1, ignore) and None)
        free.step()
        assert signal.getsignal(signal.SIGUSR1) is ignore
        assert signal.getsignal(signal.SIGTERM) is mine
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_force_that_fails_after_ctrl_c(free):
    def fail():
        send(signal.SIGINT)
        busy(0.05)
        raise ValueError("wrong")

    set_lanes(free, fail)
    with pytest.raises((ValueError, KeyboardInterrupt)):  # whichever, and not both lost
        try:
            free.step()
        finally:
            busy(0.01)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_callback_for_a_step_is_not_held(free):
    set_lanes(free, lambda: None)

    def wait(step):
        send(signal.SIGINT)
        busy(5)

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        free.step(10, on_step=wait)
    assert time.monotonic() - start < 4
    assert free.step()


def test_other_threads_have_no_handlers(scene):
    """A force on another thread is not interrupted, and the main thread's handlers are left alone."""
    done = []

    def run():
        simulation = firn.Simulation(scene, device="cpu", threads=1)
        simulation.set_force(lambda step: done.append(signal.getsignal(signal.SIGINT)))
        simulation.step(3)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert done == [signal.default_int_handler] * 3


# A thread that was left running asks for the lock of an interpreter that is gone, and Python ends it
# where it stands: within frames of C++, which ended the whole process.
@pytest.mark.parametrize(
    "call",
    [
        "simulation.run(on_step=lambda step: None)",
        "simulation.set_force(lambda step: None); simulation.run()",
        "simulation.set_grid_boundary(lambda step: None); simulation.run()",
        "simulation.run()",
    ],
)
def test_the_interpreter_ends_while_another_thread_runs(call):
    script = f"""
import threading, time, firn
from conftest import SQUARE
tree = dict(SQUARE, simulation=dict(SQUARE["simulation"], frames=10**6))
simulation = firn.Simulation(firn.Scene.from_dict(tree, name="square"), device="cpu", threads=1)
def go():
    {call}
threading.Thread(target=go, daemon=True).start()
time.sleep(0.3)
"""
    here = os.path.dirname(__file__)
    paths = os.pathsep.join([here, *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
