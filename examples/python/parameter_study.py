"""A study over a value of a material: how far a block of jelly is pressed together when it hits the ground, by its Young's
modulus. The scenes differ in one key, and run side by side on threads of one core each."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import firn

HEIGHT, SPEED, DENSITY = 0.4, 2.0, 1000.0  # m, m/s, kg/m^3

SCENE = firn.Scene.from_dict(
    {
        "simulation": {"dimension": 2, "gravity": [0, 0]},
        "grid": {"dx": 0.02},
        "material": {"jelly": {"model": "neo_hookean", "density": DENSITY, "youngs_modulus": 1e5, "poisson_ratio": 0.2}},
        "body": [
            {
                "material": "jelly",
                "shape": {"type": "box", "min": [0, 0], "max": [HEIGHT, HEIGHT]},
                "velocity": [0, -SPEED],
            }
        ],
        "collider": [{"shape": {"type": "half_space", "point": [0, 0], "normal": [0, 1]}, "boundary": "slip"}],
    },
    name="impact",
)


def pressed(modulus):
    """The largest part of its height that the block loses."""
    simulation = firn.Simulation(
        SCENE.with_overrides({"material.jelly.youngs_modulus": modulus}), device="cpu", threads=1
    )
    lowest = HEIGHT

    def measure(step):
        nonlocal lowest
        lowest = min(lowest, simulation.field("position")[:, 1].max())
        return step.max_speed > 0.02 * SPEED and step.time < 3 * HEIGHT / np.sqrt(modulus / DENSITY)

    simulation.advance_until(1.0, on_step=measure)
    return 1 - lowest / HEIGHT


def main():
    moduli = [5e4, 1e5, 2e5, 4e5, 8e5]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        strains = list(pool.map(pressed, moduli))
    for modulus, strain in zip(moduli, strains):
        print(f"E = {modulus:8.0f} Pa: pressed by {100 * strain:5.1f} %")

    # Kinetic energy becomes elastic: strains go as the speed over that of sound, as 1 / sqrt(E).
    order = np.polyfit(np.log(moduli), np.log(strains), 1)[0]
    print(f"strain ~ E^{order:.2f}")
    assert -0.7 < order < -0.3, order


if __name__ == "__main__":
    main()
