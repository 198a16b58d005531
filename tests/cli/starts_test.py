"""Twenty scenes from other starts: none of them may gain energy without saying so.

Particles are placed anew by each seed. FIRN_SEEDS (1) is how many seeds are tried, from FIRN_FIRST_SEED (2) on,
FIRN_SCENES (all) names the scenes, and FIRN_TEST_DEVICE (cpu) the backend.
"""

import csv
import itertools
import os
import pathlib
import tomllib
import unittest

from support import DEVICE, CliTest

SCENE_FOLDER = pathlib.Path(__file__).resolve().parents[2] / "scenes"
SEEDS = int(os.environ.get("FIRN_SEEDS", "1"))
FIRST = int(os.environ.get("FIRN_FIRST_SEED", "2"))
COARSER = 3  # times the scene's spacing
FRAMES = 16
TOLD = 0.05  # the bound of scenes that state none
SCENES = """ball-on-sand butter dam-break-2d elastic-square fountain hot-stream ice-cream ink-drop jello-drop lava-flow
  letters oscillating-circle river rotating-disc sand-column shaving-foam snowball-drop sponge-twist three-materials
  wine-pour""".split()
CHOSEN = os.environ.get("FIRN_SCENES", "").split() or SCENES


# A disc that spins freely, with the nine modes of PolyPIC that keep what no force sees.
GAINS = """
[simulation]
dimension = 2
frames    = 32
gravity   = [0, 0]
[grid]
dx = 0.04
[transfer]
type  = "polypic"
modes = 9
[material.jelly]
model          = "fixed_corotated"
density        = 1000
youngs_modulus = 1e5
poisson_ratio  = 0.3
[[body]]
material         = "jelly"
shape            = { type = "sphere", center = [0, 0], radius = 0.3 }
angular_velocity = 6
"""


def growth(rows, gravity, dx):
    """The largest rise of the energy that nothing has fed, as a part of the most that was in motion and strain before
    it, or of what particles have that fall four cells."""
    lowest, most, largest = float("inf"), 0.0, 0.0
    for row in rows:
        value = {name: float(row[name]) for name in ("mass", "total", "fed", "kinetic", "elastic")}
        balance = value["total"] - value["fed"]
        lowest = min(lowest, balance)
        gained = balance - lowest
        most = max(most, value["kinetic"] + value["elastic"] - gained, value["mass"] * gravity * 4 * dx)
        largest = max(largest, gained / most if most > 0 else 0)
    return largest


class Starts(CliTest):
    def gain(self, path, out, frames, *overrides):
        """Of a run, and whether it has said that it gains."""
        scene = tomllib.loads(path.read_text(encoding="utf-8"))
        dx = COARSER * scene["grid"]["dx"]
        gravity = sum(g * g for g in scene["simulation"].get("gravity", [0, -9.81, 0])) ** 0.5
        sets = [word for override in (f"grid.dx={dx}", "output.image=false", "output.video=false",
                                      "output.particles=[]", *overrides) for word in ("--set", override)]
        run = self.firn("run", path, "-o", out, "--device", DEVICE, "--frames", frames, *sets)
        self.assertIn(run.returncode, (0, 5), run.stderr)
        with open(out / "ledger.csv", encoding="utf-8", newline="") as file:
            gain = growth(csv.DictReader(file), gravity, dx)
        said = "energy has grown by" in run.stdout + run.stderr
        print(f"{out.name}: {100 * gain:.3g} %{', told' if said else ''}", flush=True)
        return gain, said

    def test_what_gains_energy_says_so(self):
        for name, seed in itertools.product(CHOSEN, range(FIRST, FIRST + SEEDS)):
            with self.subTest(scene=name, seed=seed):
                gain, said = self.gain(SCENE_FOLDER / f"{name}.toml", self.folder / f"{name}-{seed}", FRAMES,
                                       f"simulation.seed={seed}")
                self.assertEqual(said, gain > TOLD, f"{100 * gain:.9g} %")

    def test_a_gain_is_seen(self):
        self.scene.write_text(GAINS, encoding="utf-8")
        gain, said = self.gain(self.scene, self.folder / "disc", 32, f"grid.dx={0.04}")
        self.assertGreater(gain, 2 * TOLD)
        self.assertTrue(said)


if __name__ == "__main__":
    unittest.main()
