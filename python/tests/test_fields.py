"""Fields as copies and as views, and what keeps views safe."""

import gc
import weakref

import numpy as np
import pytest

import firn


def by_id(simulation, name):
    """A view as rows in the order of ids."""
    view, ids, counts = simulation.view(name), simulation.view("id"), simulation.counts()
    held = np.arange(ids.shape[-1]) < counts[:, None]
    rows = view[..., held].T
    return rows[np.argsort(ids[held])].copy()


@pytest.mark.parametrize("precision, dtype", [("single", np.float32), ("double", np.float64)])
def test_copies_and_views_have_the_same_numbers(tree, precision, dtype):
    tree["simulation"]["precision"] = precision
    simulation = firn.Simulation(firn.Scene.from_dict(tree), device="cpu", threads=1)
    simulation.step(50)
    n = simulation.stats().particles
    names = {field.name: field for field in simulation.fields()}
    assert {"id", "material", "position", "velocity", "displacement_gradient", "mass"} <= names.keys()
    for name, field in names.items():
        copy = simulation.field(name)
        assert copy.shape == ((n,) if field.components == 1 else (n, field.components))
        assert copy.dtype == np.dtype(field.dtype)
        assert copy.flags.writeable and copy.flags.c_contiguous
        np.testing.assert_array_equal(by_id(simulation, name), copy)
    assert simulation.field("position").dtype == dtype
    assert "position" in repr(names["position"])
    assert names["position"].unit == "m"


def test_views_are_where_the_numbers_lie(simulation):
    first, second = simulation.view("position"), simulation.view("position")
    assert first.ctypes.data == second.ctypes.data
    assert first.ndim == 3 and first.shape[0] == 2
    assert simulation.view("mass").shape == first.shape[1:]
    assert not first.flags.writeable
    with pytest.raises(ValueError):
        first[0, 0, 0] = 1


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.step(),
        lambda s: s.advance_frame(),
        lambda s: s.remove_particles([0]),
        lambda s: s.add_particles("jelly", [[0.5, 0.7]]),
        lambda s: s.load_state(b""),
        lambda s: s.set_force(None),
    ],
)
def test_nothing_changes_under_a_view(simulation, change):
    view = simulation.view("velocity")[1]  # a slice keeps what it shows
    with pytest.raises(firn.ViewError, match="velocity") as caught:
        change(simulation)
    assert isinstance(caught.value, BufferError)
    del view
    assert simulation.step()


def test_two_views_of_one_field_count_each(simulation):
    first, second = simulation.view("position"), simulation.view("position")
    assert first is not second
    del first
    with pytest.raises(firn.ViewError, match=r"position; delete"):
        simulation.step()
    total = second.sum()
    third = simulation.view("position")
    with pytest.raises(firn.ViewError, match=r"position \(2 times\)"):
        simulation.step()
    assert second.sum() == third.sum() == total
    del second, third
    assert simulation.step()


def test_reads_in_callbacks_after_views(simulation):
    """Counting views must touch nothing else of the simulation."""
    simulation.set_force(lambda step: 0 * step.position + 0 * step.position)
    seen = []

    def look(at):
        assert simulation.view("mass").size > 0
        seen.append((simulation.totals().mass, len(simulation.snapshot().id)))

    for _ in range(3):
        assert simulation.view("position").size == simulation.view("position").size
        assert simulation.counts().sum() == simulation.stats().particles
    simulation.step(5, on_step=look)
    simulation.advance_frame(on_step=look, on_frame=look)
    assert len(set(seen)) == 1


def test_a_view_of_a_cycle_is_collected(simulation):
    class Holder:
        pass

    holder = Holder()
    holder.itself, holder.view = holder, simulation.view("mass")
    del holder
    assert simulation.step()


def test_a_view_of_a_failed_function_is_let_go(simulation):
    def fail():
        view = simulation.view("mass")
        raise ArithmeticError(view.size)

    try:
        fail()
    except ArithmeticError:
        assert simulation.step()


def test_a_view_outlives_the_name_of_its_simulation(scene):
    simulation = firn.Simulation(scene, device="cpu", threads=1)
    alive = weakref.ref(simulation)
    view, copy = simulation.view("position"), simulation.field("position")
    total = view.sum()
    del simulation
    gc.collect()
    assert alive() is not None
    assert view.sum() == total
    del view
    gc.collect()
    assert alive() is None
    assert len(copy) > 0


def test_a_view_taken_in_a_callback_must_not_stay(simulation):
    kept = []
    with pytest.raises(firn.ViewError):
        simulation.step(3, on_step=lambda step: kept.append(simulation.view("mass")))
    assert kept[0].sum() > 0
    with pytest.raises(firn.ViewError):
        simulation.step()
    kept.clear()
    assert simulation.step()


def test_fields_that_are_not_there(simulation):
    for use in (simulation.field, simulation.view):
        with pytest.raises(firn.SceneError, match="position"):
            use("temperature")
    with pytest.raises(TypeError):
        simulation.field(3)


def test_dlpack(simulation):
    view = simulation.view("material")
    assert (np.from_dlpack(view) == 0).all()


def test_snapshots(simulation):
    simulation.step(20)
    snapshot = simulation.snapshot()
    n = len(snapshot)
    assert snapshot.dimension == 2
    assert snapshot.deformation_gradient.shape == snapshot.kirchhoff_stress.shape == (n, 2, 2)
    np.testing.assert_array_equal(snapshot.position, simulation.field("position"))
    np.testing.assert_array_equal(snapshot.id, np.arange(n))
    assert snapshot.temperature is None
    identity = snapshot.deformation_gradient - simulation.field("displacement_gradient").reshape(n, 2, 2)
    np.testing.assert_allclose(identity, np.broadcast_to(np.eye(2), (n, 2, 2)), atol=1e-6)
    few = simulation.snapshot(kirchhoff_stress=False, pressure=False)
    assert few.kirchhoff_stress is None and few.pressure is None
    position = snapshot.position
    del snapshot, simulation
    gc.collect()
    assert np.isfinite(position).all()
    assert len(few) == n
