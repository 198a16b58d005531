"""The values that scenes and simulations hand out: they are copied and pickled; what they have not cannot be set."""

import copy
import pathlib
import pickle

import numpy as np
import pytest

import firn

SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"


def members(value):
    """All that a value says, as what can be compared."""
    if isinstance(value, (list, tuple)):
        return [members(entry) for entry in value]
    if not type(value).__module__.startswith("firn"):
        return repr(value)  # NaN, too
    kind = type(value)
    names = [name for name in dir(kind) if isinstance(getattr(kind, name), property)]
    return kind.__name__, {name: members(getattr(value, name)) for name in names}


def expect_copies_say_the_same(value):
    for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert again is not value and type(again) is type(value)
        assert members(again) == members(value)


def test_statistics(simulation):
    steps, frames = [], []
    simulation.advance_frame(on_step=steps.append, on_frame=frames.append)
    told = [simulation.stats(), simulation.totals(), *simulation.colliders(), *simulation.collider_impulses()]
    for value in [*told, *simulation.fields(), steps[-1], frames[-1]]:
        expect_copies_say_the_same(value)
    assert pickle.loads(pickle.dumps(frames[-1])).totals.kinetic > 0
    assert {pickle.loads(pickle.dumps(field)).dtype for field in simulation.fields()} == {"float32", "uint32"}


def test_statistics_of_solves():
    """Members of a base class are among them."""
    tree = {
        "simulation": {"dimension": 2, "integrator": "incompressible", "frames": 2},
        "grid": {"dx": 0.05, "domain": {"min": [0, 0], "max": [0.8, 0.8], "boundary": "slip"}},
        "material": {"water": {"preset": "water"}},
        "body": [{"material": "water", "shape": {"type": "box", "min": [0, 0], "max": [0.4, 0.6]}}],
    }
    simulation = firn.Simulation(firn.Scene.from_dict(tree), device="cpu", threads=1)
    simulation.advance_frame()
    pressure = simulation.stats().pressure
    expect_copies_say_the_same(pressure)
    assert pickle.loads(pickle.dumps(simulation.stats())).pressure.iterations == pressure.iterations > 0


def test_estimates_and_presets(scene):
    for value in (firn.estimate(scene), *firn.material_presets()):
        expect_copies_say_the_same(value)


def test_snapshots(simulation):
    simulation.step(3)
    snapshot = simulation.snapshot(kirchhoff_stress=False)
    for again in (pickle.loads(pickle.dumps(snapshot)), copy.deepcopy(snapshot)):
        assert (len(again), again.dimension, again.kirchhoff_stress) == (len(snapshot), 2, None)
        for name in ("id", "position", "velocity", "material", "mass", "deformation_gradient", "pressure", "phase"):
            ours, theirs = getattr(snapshot, name), getattr(again, name)
            assert (ours is None) == (theirs is None)
            assert ours is None or (np.array_equal(ours, theirs) and ours.dtype == theirs.dtype)


@pytest.mark.parametrize("name", sorted(path.stem for path in SCENES.glob("*.toml")))
def test_parts_of_scenes(name):
    scene = firn.load(SCENES / f"{name}.toml")
    parts = [member for member in dir(type(scene)) if isinstance(getattr(type(scene), member), property)]
    for part in parts:
        value = getattr(scene, part)
        for entry in value if isinstance(value, list) else [value]:
            if type(entry).__module__.startswith("firn"):
                expect_copies_say_the_same(entry)


def test_what_is_not_there_is_not_set(simulation, scene):
    simulation.step()
    with pytest.raises(AttributeError, match=r"firn.Simulation has no 'dt'; .*with_overrides.*time.dt_max"):
        simulation.dt = 1e-4
    with pytest.raises(AttributeError, match="firn.Simulation has no 'frames'; did you mean 'frame'"):
        simulation.frames = 3
    with pytest.raises(AttributeError, match="'time' of a firn.Simulation is not to be set"):
        simulation.time = 0
    assert not hasattr(simulation, "dt")
    with pytest.raises(AttributeError, match="firn.Scene has no 'dx'; scene.with_overrides"):
        scene.dx = 0.1
    with pytest.raises(AttributeError, match="'dx' of a firn.GridSettings is not to be set; scene.with_overrides"):
        scene.grid.dx = 0.1
    values = [scene.grid, scene.bodies[0].shape, scene.materials[0], simulation.stats(), simulation.totals()]
    for value in [*values, simulation.snapshot(), simulation.fields()[0], firn.estimate(scene)]:
        with pytest.raises(AttributeError, match=f"firn.{type(value).__name__} has no 'own'"):
            value.own = 1
    simulation.set_force(lambda step: setattr(step, "acceleratoin", 0))
    with pytest.raises(AttributeError, match="did you mean 'acceleration'"):
        simulation.step()


def test_a_class_of_ones_own_has_attributes(scene):
    class Mine(firn.Simulation):
        pass

    mine = Mine(scene, device="cpu", threads=1)
    mine.label = "first"
    assert mine.label == "first" and mine.step()
