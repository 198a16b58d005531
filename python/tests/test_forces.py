"""Forces and boundaries of one's own, in NumPy."""

import gc
import weakref

import numpy as np
import pytest

import firn


def test_a_force_that_returns_its_accelerations(free):
    free.set_force(lambda step: np.array([2.0, 0.5])[:, None, None])
    free.advance_until(0.1)
    velocity = free.totals().momentum / np.float64(free.totals().mass)
    np.testing.assert_allclose(velocity[:2], [0.2, 0.05], rtol=1e-4)
    free.set_force(None)
    free.advance_until(0.12)
    np.testing.assert_allclose(free.totals().momentum[0] / free.totals().mass, 0.2, rtol=1e-4)


def test_a_force_that_fills_them(free):
    seen = []

    def force(step):
        assert step.position.shape == step.velocity.shape == step.acceleration.shape
        assert step.mass.shape == step.id.shape == step.occupied.shape == step.position.shape[1:]
        assert (step.acceleration == 0).all()
        np.testing.assert_array_equal(step.occupied.sum(axis=1), step.counts)
        assert not step.position.flags.writeable
        step.acceleration[0] = -4 * step.velocity[0] + 1
        seen.append((step.time, step.dt, step.dimension, np.sort(step.id[step.occupied])))

    free.set_force(force)
    free.step(5)
    assert len(seen) == 5
    assert seen[1][0] == pytest.approx(seen[0][1])
    assert seen[0][2] == 2
    np.testing.assert_array_equal(seen[4][3], np.arange(free.stats().particles))


def test_what_is_filled_may_be_assigned_to(free):
    """In place, as a whole, and by `+=`: the same bits."""
    state = free.save_state()
    pull = np.float32(-4)

    def by_sum(step):
        step.acceleration += pull * step.position

    def as_a_whole(step):
        step.acceleration = pull * step.position

    results = []
    for force in (lambda step: pull * step.position, by_sum, as_a_whole):
        free.load_state(state)
        free.set_force(force)
        free.step(5)
        results.append(free.save_state())
    assert results[0] == results[1] == results[2]
    free.set_force(None)
    halves = []

    def by_product(step):
        step.velocity *= np.float32(0.5)

    for boundary in (lambda step: step.velocity * np.float32(0.5), by_product):
        free.load_state(state)
        free.set_grid_boundary(boundary)
        free.step(5)
        halves.append(free.save_state())
    assert halves[0] == halves[1] != results[0]


def test_particles_as_rows(free):
    """The same force in both forms gives the same bits."""
    state = free.save_state()
    free.set_force(lambda step: (-4 * (step.position - 0.5)).astype(np.float32))
    free.step(20)
    by_lanes = free.save_state()
    free.load_state(state)
    free.set_force(firn.per_particle(lambda t, x, v: (-4 * (x - 0.5)).astype(np.float32)))
    free.step(20)
    assert free.save_state() == by_lanes
    free.set_force(firn.per_particle(lambda t, x, v: [0.0, 1.0]))
    free.step()
    free.set_force(firn.per_particle(lambda t, x, v: np.zeros((3, 2))))
    with pytest.raises(ValueError):
        free.step()


@pytest.mark.parametrize(
    "wrong, kind",
    [
        (lambda step: np.zeros((3, 5, 7)), ValueError),
        (lambda step: "fast", ValueError),
        (lambda step: step.wind, AttributeError),
        (lambda step: step.position.fill(0), ValueError),
        (lambda step: np.float64(1) / 0 + {}["missing"], KeyError),
        (firn.per_particle(lambda t, x, v: None), TypeError),
    ],
)
def test_a_force_that_fails(free, wrong, kind):
    state = free.save_state()
    free.set_force(wrong)
    with pytest.raises(kind), np.errstate(divide="ignore"):
        free.step()
    with pytest.raises(firn.SceneError, match="means nothing"):
        free.step()
    free.load_state(state)
    free.set_force(None)
    assert free.step()


def test_a_force_keeps_nothing(free):
    kept = []
    state = free.save_state()
    free.set_force(lambda step: kept.append(step.position))
    with pytest.raises(firn.ViewError, match="position"):
        free.step()
    assert np.isfinite(kept[0].sum())  # still memory of the simulation's
    kept.clear()
    free.load_state(state)

    free.set_force(lambda step: kept.append(step))  # the object is no array
    free.step()
    with pytest.raises(firn.SceneError, match="while its callback runs"):
        kept[0].position


def test_a_force_that_keeps_one_array_of_two(free):
    kept = []

    def force(step):
        first, second = step.position, step.position
        kept.append(first)
        return -second

    state = free.save_state()
    free.set_force(force)
    with pytest.raises(firn.ViewError, match="position"):
        free.step()
    kept.clear()
    free.load_state(state)
    free.set_force(lambda step: step.position - step.position)
    assert free.step(3)


def test_a_force_does_not_use_its_simulation(free):
    free.set_force(lambda step: free.field("position"))
    with pytest.raises(firn.SceneError, match="half way"):
        free.step()


def test_forces_that_refer_to_their_simulation_are_collected(scene):
    simulation = firn.Simulation(scene, device="cpu", threads=1)
    alive = weakref.ref(simulation)
    simulation.set_force(lambda step: None if simulation else None)
    simulation.step()
    del simulation
    gc.collect()
    assert alive() is None


def test_arguments(free):
    with pytest.raises(TypeError):
        free.set_force(3)
    with pytest.raises(firn.SceneError, match="memory"):
        free.set_force(lambda step: None, memory="far")


def test_a_boundary(free):
    """A wall at x = 0.8 that the square is pushed against."""

    def wall(step):
        assert step.position.shape == step.velocity.shape
        assert step.mass.shape == step.position.shape[1:]
        behind = step.position[0] > 0.8
        step.velocity[0][behind] = np.minimum(step.velocity[0][behind], 0)

    free.set_force(lambda step: np.array([20.0, 0.0])[:, None, None])
    free.set_grid_boundary(wall)
    free.advance_until(0.3)
    assert free.field("position")[:, 0].max() < 0.85
    free.set_grid_boundary(None)
    free.advance_until(0.5)
    assert free.field("position")[:, 0].max() > 0.85


@pytest.mark.parametrize("integrator", ["semi_implicit", "optimization"])
def test_a_boundary_that_its_integrator_has_not(tree, integrator):
    tree["simulation"]["integrator"] = integrator
    simulation = firn.Simulation(firn.Scene.from_dict(tree), device="cpu", threads=1)
    with pytest.raises(firn.SceneError, match="explicit.*velocities of nodes come out of a solve"):
        simulation.set_grid_boundary(lambda step: None)


def test_forces_of_a_scene_tell_their_work(tree):
    """What a uniform force does to what it alone moves is its kinetic energy."""
    del tree["collider"]
    tree["simulation"]["gravity"] = [0.0, 0.0]
    tree["body"][0]["velocity"] = [0.0, 0.0]
    tree["force"] = [{"name": "pull", "acceleration": [2.0, 0.0]}]
    simulation = firn.Simulation(firn.Scene.from_dict(tree), device="cpu", threads=1)
    simulation.advance_frame()
    totals, stats = simulation.totals(), simulation.stats()
    assert stats.force_work == pytest.approx(0.5 * totals.mass * (2 / 48) ** 2, rel=1e-3)
    assert stats.source_work == 0
