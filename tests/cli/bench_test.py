"""The benchmark's report."""

import json
import unittest

from support import CliTest

STAGES = {"rebuild", "p2g", "grid", "g2p", "constitutive", "other", "step"}


class Bench(CliTest):
    def measure(self, *arguments):
        result = self.succeed("bench", "--particles", 4096, "--steps", 4, "--device", "cpu", "--json", "bench.json",
                              *arguments)
        return result.stdout, json.loads((self.folder / "bench.json").read_text())

    def test_keys(self):
        text, figures = self.measure("--threads", 1)
        self.assertEqual(set(figures["ns_per_particle"]), STAGES)
        self.assertAlmostEqual(figures["particles"], 4096, delta=512)
        self.assertEqual(figures["steps"], 4)
        self.assertEqual(figures["threads"], 1)
        rate = figures["particle_steps_per_second"]
        self.assertAlmostEqual(1e9 / figures["ns_per_particle"]["step"] / rate, 1, places=6)
        self.assertAlmostEqual(figures["particle_steps_per_second_per_core"] / rate, 1, places=6)
        for key in ("bytes_per_particle", "bytes_per_block", "memory_bytes", "blocks"):
            self.assertGreater(figures[key], 0, key)
        for stage in STAGES:
            self.assertRegex(text, rf"(?m)^{stage} +\d")

    def test_unknown_suite(self):
        self.assertIn("'pressure'", self.fail_with(2, "bench", "presure"))

    def test_pressure(self):
        text = self.succeed("bench", "pressure", "--device", "cpu", "--threads", 1, "--side", 32, "--json",
                            "pressure.json").stdout
        figures = json.loads((self.folder / "pressure.json").read_text())
        self.assertEqual([size["cells"] for size in figures["sizes"]], [8**3, 16**3, 32**3])
        for size in figures["sizes"]:
            self.assertLessEqual(size["iterations"], 16)
            self.assertGreater(size["seconds"], 0)
            self.assertIn(f"{size['ns_per_cell_and_iteration']:.2f}", text)
        self.assertGreater(figures["copy_bytes_per_second"], 0)
        self.assertIn("--side", self.fail_with(2, "bench", "pressure", "--side", 40))

    def test_liquid(self):
        text = self.succeed("bench", "liquid", "--device", "cpu", "--threads", 1, "--side", 16, "--steps", 3, "--json",
                            "liquid.json").stdout
        figures = json.loads((self.folder / "liquid.json").read_text())
        self.assertAlmostEqual(figures["particles"], 8 * 0.4 * 0.567 * 16**3, delta=150)
        self.assertEqual(figures["kernel"], "linear")
        pressure = figures["pressure"]
        self.assertLessEqual(pressure["max_iterations"], 16)
        step = figures["seconds"] / figures["steps"]
        self.assertLess(pressure["seconds_per_step"] + pressure["density_seconds_per_step"], step)
        self.assertIn(f"{pressure['seconds_per_step']:.4f} s the pressure", text)

    def test_stages_add_up_to_the_step(self):
        ns = self.measure("--threads", 1)[1]["ns_per_particle"]
        stages = sum(value for stage, value in ns.items() if stage != "step")
        self.assertGreater(stages, 0)
        # Clocks around the stages leave out only what lies between them.
        self.assertLess(stages, 1.02 * ns["step"])

    def test_choices_are_taken(self):
        figures = self.measure("--precision", "double", "--transfer", "flip", "--kernel", "cubic", "--material",
                               "snow_dry")[1]
        self.assertEqual([figures[key] for key in ("precision", "transfer", "kernel", "material")],
                         ["double", "flip", "cubic", "snow_dry"])

    def test_unknown_material(self):
        self.assertIn("'snow_dry'", self.fail_with(2, "bench", "--material", "snow_dri"))


if __name__ == "__main__":
    unittest.main()
