"""A force that the library does not have: a whirl that drags a ball of jelly around the vertical axis, in NumPy, once in
every step for all particles. It is written twice: with the arrays as they lie, and with particles as rows."""

import numpy as np

import firn

OMEGA, TAU = 2.0, 0.1  # rad/s, s

SCENE = {
    "simulation": {"gravity": [0, 0, 0]},
    "grid": {"dx": 0.05},
    "material": {"jelly": {"model": "fixed_corotated", "density": 1000, "youngs_modulus": 1e5, "poisson_ratio": 0.3}},
    "body": [{"material": "jelly", "shape": {"type": "sphere", "center": [0.5, 0, 0], "radius": 0.2}}],
}


def whirl(step):
    """Pulls velocities towards those of a rigid rotation about the y axis: a = (omega x r - v) / tau.

    Components come first: arrays are of shape (3, chunks, lanes), and nothing is copied.
    """
    x, _, z = step.position
    np.multiply(step.velocity, -1 / TAU, out=step.acceleration)
    step.acceleration[0] += (OMEGA / TAU) * z
    step.acceleration[2] -= (OMEGA / TAU) * x


@firn.per_particle
def whirl_of_rows(time, position, velocity):
    """The same with arrays of shape (n, 3), which are copies."""
    return (np.cross([0, OMEGA, 0], position) - velocity) / TAU


def turning(force):
    """Radius and speed of the ball after a second, which is ten times tau."""
    simulation = firn.Simulation(firn.Scene.from_dict(SCENE, name="whirl"))
    simulation.set_force(force)
    simulation.advance_until(1.0)
    totals = simulation.totals()
    radius = np.hypot(totals.center_of_mass[0], totals.center_of_mass[2])
    return radius, np.hypot(totals.momentum[0], totals.momentum[2]) / totals.mass


def main():
    for force in (whirl, whirl_of_rows):
        r, v = turning(force)
        print(f"r = {r:.3f} m, v = {v:.3f} m/s, v / (omega r) = {v / (OMEGA * r):.3f}")
        assert 0.9 < v / (OMEGA * r) < 1.0


if __name__ == "__main__":
    main()
