"""Particles in and out, and colliders that are moved."""

import numpy as np
import pytest

import firn


def test_added_and_removed(simulation):
    n = simulation.stats().particles
    ids = simulation.add_particles("jelly", [[0.5, 0.8], [0.55, 0.8]], velocity=np.array([[1, 2], [3, 4]]))
    np.testing.assert_array_equal(ids, [n, n + 1])
    assert ids.dtype == np.uint32
    assert simulation.stats().added in (0, 2)  # of the last frame
    velocity = simulation.field("velocity")
    np.testing.assert_array_equal(velocity[-2:], [[1, 2], [3, 4]])
    simulation.remove_particles(ids[:1])
    simulation.remove_particles([0, 1])
    np.testing.assert_array_equal(simulation.field("id")[[0, -1]], [2, n + 1])
    assert simulation.step()
    gradient = np.broadcast_to([[0, 1], [-1, 0]], (1, 2, 2))
    assert simulation.add_particles("jelly", [[0.5, 0.9]], velocity_gradient=gradient, volume=1e-4, mass=0.1)[0] == n + 2
    assert simulation.field("mass")[-1] == np.float32(0.1)
    simulation.remove_particles([])
    assert len(simulation.add_particles("jelly", np.zeros((0, 2)))) == 0


@pytest.mark.parametrize(
    "arguments, kind, text",
    [
        ({"position": [[0.5, 0.8, 0.0]]}, ValueError, r"position.*\(any, 2\).*\(1, 3\)"),
        ({"position": [0.5, 0.8]}, ValueError, "position"),
        ({"position": [["a", "b"]]}, TypeError, "position"),
        ({"position": [[1j, 0]]}, TypeError, "complex"),
        ({"velocity": [[1, 2], [3, 4]]}, ValueError, r"velocity.*\(1, 2\)"),
        ({"velocity_gradient": [[1, 2, 3, 4]]}, ValueError, "velocity_gradient"),
        ({"material": "stone"}, firn.SceneError, "stone"),
        ({"position": [[np.nan, 0.0]]}, firn.SceneError, "0"),
        ({"temperature": [300.0]}, firn.SceneError, "temperature"),
        ({"phase": "gas"}, firn.SceneError, "phase"),
        ({"mass": -1.0}, firn.SceneError, "mass"),
    ],
)
def test_what_cannot_be_added(simulation, arguments, kind, text):
    before = simulation.save_state()
    with pytest.raises(kind, match=text):
        simulation.add_particles(**{"material": "jelly", "position": [[0.5, 0.8]], **arguments})
    assert simulation.save_state() == before


@pytest.mark.parametrize(
    "ids, kind", [([10**6], firn.SceneError), ([-1], firn.SceneError), ([0.5], TypeError), ([[1]], ValueError)]
)
def test_what_cannot_be_removed(simulation, ids, kind):
    with pytest.raises(kind):
        simulation.remove_particles(ids)
    assert simulation.step()


@pytest.mark.parametrize("collider", [0, "floor"])
def test_a_collider_that_is_moved(simulation, collider):
    simulation.set_collider_motion(collider, [0, 0.1], translation=[[0, 0], [0, 0.1]])
    simulation.advance_until(0.1)
    state = simulation.colliders()[0]
    assert state.translation == pytest.approx([0, 0.1, 0])
    assert simulation.field("position")[:, 1].min() > 0.15
    simulation.set_collider_motion(collider, [0.1, 0.2], rotation=[0, 0.1], pivot=(0.5, 0.1))


def test_motions_that_make_no_sense(simulation):
    with pytest.raises(firn.SceneError, match="ceiling"):
        simulation.set_collider_motion("ceiling", [0, 1], translation=[[0, 0], [0, 1]])
    with pytest.raises(firn.SceneError, match="no collider 7"):
        simulation.set_collider_motion(7, [0, 1])
    with pytest.raises(firn.SceneError):
        simulation.set_collider_motion("floor", [1, 0], translation=[[0, 0], [0, 1]])
    with pytest.raises(ValueError, match="translation"):
        simulation.set_collider_motion("floor", [0, 1], translation=[[0, 0]])
    with pytest.raises(ValueError, match="translation"):
        simulation.set_collider_motion("floor", [0], translation=[[0, 0, 1]])
    for turn in ([1, 0, 0], [0, 1, 0]):  # out of the plane
        with pytest.raises(ValueError, match=r"^collider.0.motion.rotation.0: "):
            simulation.set_collider_motion("floor", [0], rotation=[turn])
    for pivot in ([], [1], [1, 2, 3, 4], 1.0):
        with pytest.raises(ValueError, match="^pivot: "):
            simulation.set_collider_motion("floor", [0], rotation=[0.1], pivot=pivot)
    with pytest.raises(ValueError, match=r"^collider.0.motion.pivot.0: "):
        simulation.set_collider_motion("floor", [0], rotation=[0.1], pivot=[np.nan, 0])
    simulation.set_collider_motion("floor", [0], rotation=[[0, 0, 0.1]], pivot=[1, 2])
