"""Steps, frames, callbacks, states and what a simulation tells of itself."""

import contextlib
import os
import signal
import stat
import threading
import time

import numpy as np
import pytest

import firn


def test_frames_and_steps(simulation):
    assert simulation.time == 0
    assert simulation.frame == 0
    assert simulation.advance_frame()
    assert simulation.time == pytest.approx(1 / 48, rel=1e-12)
    assert simulation.frame == 1
    assert simulation.step(3)
    assert simulation.stats().steps == 3
    assert simulation.advance_until(0.1)
    assert simulation.time == pytest.approx(0.1, rel=1e-12)
    assert simulation.run()
    assert simulation.frame == 6
    assert "cpu" in simulation.device_name
    assert not simulation.on_cuda


def test_a_time_that_is_past(simulation):
    simulation.advance_until(0.1)
    assert simulation.advance_until(0.1)  # it is there
    for past in (0.05, 0, -1):
        with pytest.raises(firn.SceneError, match=r"t = \S+ s is past; the simulation is at t = 0.1 s"):
            simulation.advance_until(past)
    assert simulation.time == 0.1
    assert simulation.run(3)  # which has ended
    assert simulation.time == 0.1


def test_what_it_tells(simulation, scene):
    simulation.advance_frame()
    stats, totals = simulation.stats(), simulation.totals()
    assert stats.particles > 100
    assert stats.limited_by in ("wave_speed", "dt_max", "velocity")
    assert totals.mass == pytest.approx(0.4 * 0.4 * 1000, rel=0.05)
    assert totals.momentum[0] == pytest.approx(0.5 * totals.mass, rel=1e-3)
    assert stats.totals.kinetic == totals.kinetic
    assert len(stats.reactions) == len(simulation.colliders()) == 1
    assert simulation.scene is scene


def test_callbacks(simulation):
    steps, frames = [], []
    assert simulation.advance_until(2 / 48, on_step=lambda s: steps.append(s.step), on_frame=lambda f: frames.append(f.frame))
    assert steps == list(range(1, len(steps) + 1))
    assert frames == [1, 2]


def test_a_callback_that_stops(simulation):
    assert not simulation.step(100, on_step=lambda step: step.step < 5)
    assert simulation.stats().frame == 0
    assert simulation.step(95)
    np_false = np.float64(1) > 2  # no bool of Python's
    assert not simulation.advance_frame(on_step=lambda step: np_false)


def test_a_callback_that_raises(simulation):
    class Enough(Exception):
        pass

    def fail(step):
        raise Enough(f"at {step.step}")

    with pytest.raises(Enough, match="at 1"):
        simulation.step(10, on_step=fail)
    assert simulation.step(2)
    with pytest.raises(ZeroDivisionError):
        simulation.advance_frame(on_frame=lambda frame: 1 / 0)
    assert simulation.frame == 1
    assert simulation.advance_frame()


def test_callbacks_read_but_do_not_advance(simulation):
    seen = []
    simulation.step(1, on_step=lambda step: seen.append(len(simulation.field("position"))))
    assert seen == [simulation.stats().particles]
    with pytest.raises(firn.SceneError, match="callback"):
        simulation.step(1, on_step=lambda step: simulation.step())
    with pytest.raises(firn.SceneError, match="callback"):
        simulation.step(1, on_step=lambda step: simulation.remove_particles([0]))
    assert simulation.step(1)


def test_what_is_no_callback(simulation):
    with pytest.raises(TypeError):
        simulation.step(1, on_step=3)


@pytest.mark.parametrize("arguments", [{"device": "gpu"}, {"threads": -1}])
def test_options_that_make_no_sense(scene, arguments):
    with pytest.raises(firn.SceneError, match=next(iter(arguments))):
        firn.Simulation(scene, **arguments)


def test_a_device_that_is_not_there(scene):
    with pytest.raises(firn.DeviceError) as caught:
        firn.Simulation(scene, device="cpu", device_index=3)
    assert (caught.value.category, caught.value.exit_code) == ("device", 4)


def test_filling(scene):
    told = []
    firn.Simulation(scene, device="cpu", threads=1, on_filling=told.append)
    assert told and told[-1].bodies == 1

    def fail(filling):
        raise KeyError("enough")

    with pytest.raises(KeyError):
        firn.Simulation(scene, device="cpu", threads=1, on_filling=fail)


def test_saved_states_go_on_with_the_same_bits(simulation, scene, tmp_path):
    simulation.step(20)
    state = simulation.save_state()
    simulation.save(tmp_path / "state")
    simulation.step(20)
    end = simulation.save_state()
    simulation.load_state(state)
    simulation.step(20)
    assert simulation.save_state() == end
    other = firn.Simulation(scene, device="cpu", threads=2)
    other.restore(tmp_path / "state")
    other.step(20)
    assert other.save_state() == end


def test_states_that_do_not_fit(simulation):
    good = simulation.save_state()
    with pytest.raises(firn.FileError):
        simulation.load_state(good[:100])
    assert simulation.save_state() == good
    simulation.load_state(good)
    assert simulation.step()
    with pytest.raises(TypeError):
        simulation.load_state("text")


def test_where_it_diverged(tree):
    tree["time"] = {"dt_min": 1e-4, "dt_max": 1e-3}
    tree["material"]["jelly"]["youngs_modulus"] = 1e9
    simulation = firn.Simulation(firn.Scene.from_dict(tree), device="cpu", threads=1)
    with pytest.raises(firn.DivergedError) as caught:
        simulation.run()
    error = caught.value
    assert (error.category, error.exit_code) == ("diverged", 5)
    assert error.step == 1
    assert error.time is not None
    assert error.material == "jelly"
    with pytest.raises(firn.SceneError, match="means nothing"):
        simulation.step()


def break_by_a_force(simulation):
    def fail(step):
        raise ValueError("half way")

    simulation.set_force(fail)
    with pytest.raises(ValueError):
        simulation.step()


def test_a_state_that_means_nothing_is_not_shown(simulation, tmp_path):
    state = simulation.save_state()
    simulation.save(tmp_path / "state")
    break_by_a_force(simulation)
    for use in (
        simulation.step,
        simulation.save_state,
        lambda: simulation.save(tmp_path / "state"),
        lambda: simulation.save(tmp_path / "new"),
        lambda: simulation.field("position"),
        lambda: simulation.view("position"),
        simulation.counts,
        simulation.totals,
        simulation.snapshot,
        simulation.tracers,
        simulation.colliders,
        simulation.read_sensors,
        simulation.picture,
    ):
        with pytest.raises(firn.SceneError, match="means nothing"):
            use()
    assert (tmp_path / "state").read_bytes() == state
    assert [path.name for path in tmp_path.iterdir()] == ["state"]
    assert simulation.stats().frame == 0  # of the last frame
    assert "square" in repr(simulation)
    simulation.restore(tmp_path / "state")
    assert simulation.save_state() == state


def test_files_of_states(simulation, tmp_path):
    for use in (
        lambda: simulation.save(tmp_path / "no folder" / "state"),
        lambda: simulation.restore(tmp_path / "no file"),
        lambda: simulation.restore(tmp_path),
    ):
        with pytest.raises(firn.FileError, match=str(tmp_path)) as caught:
            use()
        assert isinstance(caught.value, OSError)
    (tmp_path / "folder").mkdir()
    with pytest.raises(firn.FileError, match="folder: cannot be written"):
        simulation.save(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    assert simulation.step()


def test_a_link_leads_to_the_state(simulation, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "state")
    (tmp_path / "folder" / "state.part").write_text("of somebody else")
    simulation.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "state").read_bytes() == simulation.save_state()
    assert (tmp_path / "folder" / "state.part").read_text() == "of somebody else"
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    written = threading.Thread(target=lambda: simulation.save(tmp_path / "pipe"))
    written.start()
    received = b""
    while written.is_alive() or not received:
        with contextlib.suppress(BlockingIOError):
            received += os.read(reader, 1 << 20)
    received += os.read(reader, 1 << 20)
    os.close(reader)
    assert received == simulation.save_state()
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_messages_name_what_python_has(simulation):
    assert not simulation.step(100, on_step=lambda step: step.step < 5)
    for use in (
        lambda: simulation.add_particles("jelly", [[0.5, 0.8]]),
        lambda: simulation.field("velocity"),
    ):
        with pytest.raises(firn.SceneError, match=r"; step\(\) brings them back"):
            use()
    with pytest.raises(firn.SceneError, match="^step: n must be >= 0, found -3"):
        simulation.step(-3)
    if not firn.built_with_cuda():
        with pytest.raises(firn.DeviceError, match='use device="cpu"'):
            firn.Simulation(simulation.scene, device="cuda")


def test_ctrl_c(scene):
    simulation = firn.Simulation(scene, device="cpu", threads=1)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        simulation.advance_until(1e9)
    assert time.monotonic() - start < 2  # 0.3 s, and what a busy machine adds
    after = simulation.time
    assert after > 0
    assert simulation.step()
    assert simulation.time > after
    assert np.isfinite(simulation.field("velocity")).all()


def test_a_handler_that_raises_or_keeps_a_view(simulation):
    kept = []

    def handle(number, frame):
        kept.append(simulation.view("position"))

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        with pytest.raises(firn.ViewError):
            simulation.advance_until(1e9)
        kept.clear()
        signal.signal(signal.SIGUSR1, lambda number, frame: 1 / 0)
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        with pytest.raises(ZeroDivisionError):
            simulation.advance_until(1e9)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert simulation.step()


def test_two_simulations_on_two_threads(scene):
    results = {}

    def run(name):
        simulation = firn.Simulation(scene, device="cpu", threads=1)
        simulation.step(200, on_step=lambda step: None)
        results[name] = simulation.save_state()

    threads = [threading.Thread(target=run, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = firn.Simulation(scene, device="cpu", threads=1)
    alone.step(200, on_step=lambda step: None)
    assert results["a"] == results["b"] == alone.save_state()


def test_one_simulation_belongs_to_one_thread(simulation):
    stepping, read = threading.Event(), threading.Event()
    refused = []

    def wait(step):
        stepping.set()
        read.wait(10)

    def intrude():
        stepping.wait(10)
        for use in (lambda: simulation.field("position"), lambda: simulation.step(), lambda: simulation.time):
            try:
                use()
            except firn.SceneError as error:
                refused.append(str(error))
        read.set()

    thread = threading.Thread(target=intrude)
    thread.start()
    simulation.step(1, on_step=wait)
    thread.join()
    assert len(refused) == 3
    assert all("another thread" in text for text in refused)
    assert simulation.step()


def test_other_threads_run_during_steps(scene):
    """Steps hold no lock: a thread of Python's counts on meanwhile."""
    simulation = firn.Simulation(scene.with_overrides({"grid.dx": 0.004}), device="cpu", threads=1)
    counted, done = 0, threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.monotonic()
    while time.monotonic() - start < 0.3:
        simulation.step(10)
    done.set()
    thread.join()
    assert counted > 10


def test_what_values_print_as(simulation, scene):
    simulation.advance_frame()
    totals, stats = simulation.totals(), simulation.stats()
    assert repr(totals).startswith(f"Totals(mass={totals.mass:.6g}, momentum=[{totals.momentum[0]:.6g}, ")
    assert "heat" not in repr(totals)  # there is none
    for part in ("FrameStats(frame=1, ", f"steps={stats.steps}, ", "limited_by='wave_speed'", f"totals={totals!r}"):
        assert part in repr(stats)
    assert repr(stats.reactions) == "[ColliderReaction()]"  # it has not landed
    assert repr(scene.bodies[0].shape).startswith("Shape(type='box', min=[0.3, 0.2, 0], max=[0.7, 0.6, 0], ")
    assert repr(simulation.snapshot()) == f"<firn.Snapshot of {stats.particles} particles in 2D>"
    seen = []
    simulation.set_force(lambda step: seen.append(repr(step)))
    simulation.step(1)
    assert seen[0].startswith("<firn.ForceStep at t = 0.0208333 s, dt = ")
