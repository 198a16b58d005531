"""[[sensor]]: files and plots of what sensors read, through stops and resumptions, and what `info` says of them."""

import csv
import json
import signal
import time
import unittest

from support import SCENE, CliTest

SENSORS = """
[[sensor]]
name = "probe"
type = "point"
position = [0.5, 0.4]
channels = ["velocity", "pressure"]
[[sensor]]
name = "gate"
type = "plane"
position = [0.5, 0.4]
normal = [1.0, 0.0]
rate = 200.0
[[sensor]]
name = "weight"
type = "collider"
collider = "floor"
rate = 144.0
"""

# A block falls on the square.
TOUCHING = """
[[body]]
name = "block"
material = "jelly"
shape = { type = "box", min = [0.4, 0.62], max = [0.6, 0.8] }
velocity = [0.5, -3.0]
[[contact]]
bodies = ["block", "square"]
[[sensor]]
name = "push"
type = "contact"
bodies = ["block"]
rate = 200.0
[[sensor]]
name = "way"
type = "motion"
bodies = ["block"]
[[sensor]]
name = "ground"
type = "motion"
collider = "floor"
"""


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


class Sensors(CliTest):
    def setUp(self):
        super().setUp()
        (self.folder / "s.toml").write_text(SCENE + SENSORS)

    def test_readings_have_times_and_units(self):
        self.succeed("run", "s.toml", "-o", "out")
        probe = rows_of(self.folder / "out/sensors/probe.csv")
        self.assertEqual(
            probe[0], ["time [s]", "density [kg/m^2]", "velocity_x [m/s]", "velocity_y [m/s]", "pressure [Pa]"]
        )
        self.assertEqual(len(probe), 1 + 7)
        for frame, row in enumerate(probe[1:]):
            self.assertAlmostEqual(float(row[0]), frame / 48)
        self.assertAlmostEqual(float(probe[1][2]), 0.5, places=5)
        gate = rows_of(self.folder / "out/sensors/gate.csv")
        self.assertEqual(gate[0], ["time [s]", "mass_flux [kg/s]", "volume_flux [m^2/s]", "area [m]", "velocity [m/s]"])
        self.assertEqual([round(float(row[0]) * 200, 6) for row in gate[1:]], list(range(26)))
        weight = rows_of(self.folder / "out/sensors/weight.csv")
        self.assertEqual(weight[0], ["time [s]", "force_x [N]", "force_y [N]", "torque_z [N m]"])
        self.assertEqual(weight[1][1:], ["", "", ""])
        self.assertEqual(len(weight), 1 + 1 + 18)
        for name in ("probe", "gate", "weight"):
            self.assertGreater((self.folder / f"out/sensors/{name}.png").stat().st_size, 1000)

    def test_a_run_in_parts_has_the_same_readings(self):
        self.succeed("run", "s.toml", "-o", "whole")
        self.succeed("run", "s.toml", "-o", "parts", "--max-time", "0")
        for _ in range(6):  # a step each
            self.succeed("resume", "parts", "--max-time", "0")
        self.succeed("resume", "parts")
        for name in ("probe", "gate", "weight"):
            whole, parts = (self.folder / run / f"sensors/{name}.csv" for run in ("whole", "parts"))
            self.assertEqual(whole.read_bytes(), parts.read_bytes(), name)

    def test_an_earlier_checkpoint_takes_later_readings_back(self):
        self.succeed("run", "s.toml", "-o", "out")
        files = sorted((self.folder / "out/sensors").glob("*.csv"))
        before = [path.read_bytes() for path in files]
        self.succeed("resume", "out", "--from", "4")
        self.assertEqual(before, [path.read_bytes() for path in files])

    def test_what_touches_and_moves_is_told(self):
        (self.folder / "s.toml").write_text(SCENE + TOUCHING)
        self.succeed("run", "s.toml", "-o", "whole")
        push = rows_of(self.folder / "whole/sensors/push.csv")
        self.assertEqual(push[0], ["time [s]", "force_x [N]", "force_y [N]", "torque_z [N m]"])
        self.assertEqual(push[1][1:], ["", "", ""])
        pushed = sum(float(row[2]) / 200 for row in push[2:])
        way = rows_of(self.folder / "whole/sensors/way.csv")
        columns = ["mass [kg]", "position_x [m]", "position_y [m]", "velocity_x [m/s]", "velocity_y [m/s]"]
        self.assertEqual(way[0][1:6], columns)
        gained = float(way[-1][1]) * (float(way[-1][5]) + 3 + 9.81 * 6 / 48)
        self.assertGreater(gained, 10)
        self.assertAlmostEqual(pushed, gained, delta=1e-4 * gained)
        ground = rows_of(self.folder / "whole/sensors/ground.csv")
        self.assertEqual([float(cell) for cell in ground[-1][1:]], [0] * 6)
        told = json.loads((self.folder / "whole/stats.jsonl").read_text().splitlines()[-1])["contacts"]
        self.assertEqual([m["material"] for m in told], ["jelly", "jelly (block)", "jelly (square)"])
        for of_block, of_square in zip(told[1]["force"], told[2]["force"]):
            self.assertAlmostEqual(of_block, -of_square, delta=1e-6 * abs(of_block))
        self.succeed("run", "s.toml", "-o", "parts", "--max-time", "0")
        self.succeed("resume", "parts", "--max-time", "0")
        self.succeed("resume", "parts")
        for name in ("push", "way", "ground"):
            whole, parts = (self.folder / run / f"sensors/{name}.csv" for run in ("whole", "parts"))
            self.assertEqual(whole.read_bytes(), parts.read_bytes(), name)

    def test_another_run_takes_their_place(self):
        self.succeed("run", "s.toml", "-o", "out")
        (self.folder / "s.toml").write_text(SCENE)
        self.succeed("run", "s.toml", "-o", "out", "--overwrite")
        self.assertEqual(list((self.folder / "out/sensors").iterdir()), [])

    def test_a_run_that_was_viewed_goes_on_with_them(self):
        viewed = self.start("view", "s.toml", "-o", "out", "--paused")
        while not (self.folder / "out/ledger.csv").exists():
            self.assertIsNone(viewed.poll())
            time.sleep(0.05)
        viewed.send_signal(signal.SIGINT)
        viewed.communicate(timeout=60)
        self.succeed("resume", "out")
        self.assertEqual(len(rows_of(self.folder / "out/sensors/probe.csv")), 1 + 7)

    def test_info_names_them(self):
        (self.folder / "t.toml").write_text(SCENE + TOUCHING)
        told = json.loads(self.succeed("info", "t.toml", "--json").stdout)
        self.assertEqual(told["contacts"], [{"materials": ["jelly (block)", "jelly (square)"], "friction": 0}])
        self.assertEqual(told["sensors"][0], {"name": "push", "rate": 200})
        text = self.succeed("info", "s.toml").stdout
        self.assertIn("sensor     gate: 200 readings per second", text)
        self.assertIn("sensor     probe: 48 readings per second", text)

    def test_info_draws_them(self):
        self.succeed("info", "s.toml", "--draw", "scene.png")
        self.assertEqual((self.folder / "scene.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertIn("cannot write the plot", self.fail_with(3, "info", "s.toml", "--draw", "nowhere/scene.png"))

    def test_what_is_wrong_is_told_before_the_run(self):
        (self.folder / "s.toml").write_text(SCENE + SENSORS.replace('"floor"', '"flor"'))
        self.assertIn("did you mean 'floor'?", self.fail_with(2, "run", "s.toml", "-o", "out"))
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
