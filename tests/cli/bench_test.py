"""The benchmark's report."""

import json
import shutil
import unittest

from support import CliTest

STAGES = {"rebuild", "p2g", "grid", "g2p", "constitutive", "fused", "other", "step"}
FUSED = {"rebuild", "p2g", "grid", "fused", "step"}


class Bench(CliTest):
    def measure(self, *arguments):
        result = self.succeed("bench", "--particles", 4096, "--steps", 4, "--device", "cpu", "--json", "bench.json",
                              *arguments)
        return result.stdout, json.loads((self.folder / "bench.json").read_text())

    def test_keys(self):
        text, figures = self.measure("--threads", 1)
        self.assertEqual(set(figures["ns_per_particle"]), STAGES)
        self.assertEqual(figures["ns_per_particle"]["g2p"], 0)
        self.assertAlmostEqual(figures["particles"], 4096, delta=512)
        self.assertEqual(figures["steps"], 4)
        self.assertEqual(figures["threads"], 1)
        rate = figures["particle_steps_per_second"]
        self.assertAlmostEqual(1e9 / figures["ns_per_particle"]["step"] / rate, 1, places=6)
        self.assertAlmostEqual(figures["particle_steps_per_second_per_core"] / rate, 1, places=6)
        for key in ("bytes_per_particle", "bytes_per_block", "memory_bytes", "blocks"):
            self.assertGreater(figures[key], 0, key)
        for stage in FUSED | {"other"}:
            self.assertRegex(text, rf"(?m)^{stage} +\d")
        _, plain = self.measure("--threads", 1, "--plain")
        self.assertEqual(plain["ns_per_particle"]["fused"], 0)
        self.assertEqual(set(plain["stages"]), STAGES - {"fused", "other"})

    def test_baseline(self):
        text, figures = self.measure("--threads", 1)
        ratio = figures["baseline"]["ratio"]
        self.assertAlmostEqual(
            ratio * figures["baseline"]["particle_steps_per_second"] / figures["particle_steps_per_second"], 1, places=6)
        self.assertIn(f"{ratio:.1f} times as fast as a plain MLS-MPM", text)
        _, other = self.measure("--threads", 1, "--transfer", "pic")
        self.assertNotIn("baseline", other)

    def suite(self, *arguments):
        text = self.succeed("bench", *arguments, "--particles", 4096, "--steps", 2, "--device", "cpu", "--threads", 1,
                            "--json", "suite.json").stdout
        return text, json.loads((self.folder / "suite.json").read_text())

    def check_floor(self, row, floors):
        """A row's floor follows from its counts, and its share from its time."""
        floor = max(row["bytes"] / floors["copy_bytes_per_second"], row["operations"] / floors["operations_per_second"])
        self.assertAlmostEqual(row["floor_ns"] / (1e9 * floor), 1, places=6)
        self.assertAlmostEqual(row["share"] * row["ns"] / row["floor_ns"], 1, places=6)

    def test_floors(self):
        text, figures = self.measure("--threads", 1)
        floors, stages = figures["floors"], figures["stages"]
        self.assertEqual(set(stages), FUSED)
        for name in stages.keys() - {"step"}:
            self.check_floor(stages[name], floors)
            self.assertEqual(stages[name]["ns"], figures["ns_per_particle"][name])
            self.assertRegex(text, rf"(?m)^{name} .* {stages[name]['floor_ns']:.3f} ")
        for key in ("bytes", "operations", "floor_ns"):
            self.assertAlmostEqual(sum(stages[name][key] for name in stages.keys() - {"step"}) / stages["step"][key], 1)
        for key in ("cpu", "compiler", "flags"):
            self.assertTrue(figures[key], key)

    def test_motion(self):
        settled, moving = (self.measure("--motion", motion)[1] for motion in ("settled", "moving"))
        # Gravity moves a particle at rest by far less than a cell; lattice positions lie a quarter of a cell from
        # the faces.
        self.assertEqual(settled["cell_changes_per_step"], 0)
        self.assertGreater(moving["cell_changes_per_step"], 0.1)
        # Of particles at rest a layout takes a look at each, at three floats and its chunk; it moves all that have left
        # their blocks.
        at_rest, in_motion = (figures["stages"]["rebuild"]["bytes"] / figures["layouts_per_step"]
                              for figures in (settled, moving))
        self.assertLess(at_rest, 20)
        self.assertGreater(in_motion, 100)

    def test_sweep(self):
        text, figures = self.suite("--sweep")
        rows = {(row["material"], row["transfer"]): row["particle_steps_per_second"] for row in figures["sweep"]}
        self.assertEqual(len(rows), 6 * 6)
        self.assertTrue(all(rate is None or rate > 0 for rate in rows.values()))
        self.assertGreater(rows["elastic", "apic"], 0)
        for material in ("elastic", "jello", "snow_dry", "sand", "metal", "water"):
            self.assertRegex(text, rf"(?m)^{material} ")

    def test_scaling(self):
        grows = {"particles": "particles", "per-cell": "x", "blocks": "blocks", "materials": "x", "threads": "x"}
        for kind, key in grows.items():
            with self.subTest(kind):
                text, figures = self.suite("--scaling", kind)
                points = figures["points"]
                self.assertEqual(len(points), {"particles": 1, "per-cell": 6, "threads": 1}.get(kind, 4))
                values = [point[key] for point in points]
                self.assertEqual(values, sorted(set(values)))
                for point in points:
                    self.assertGreater(point["particle_steps_per_second"], 0)
                    self.assertLessEqual(point["lanes_used"], 1)
                    self.assertIn(f"{point['ns_per_particle']:.3f}", text)

    def test_scaling_plot(self):
        if shutil.which("gnuplot") is None:
            self.skipTest("there is no gnuplot")
        self.suite("--scaling", "per-cell", "--plot", "plot.png")
        self.assertEqual((self.folder / "plot.png").read_bytes()[:4], b"\x89PNG")

    def test_transfer(self):
        _, figures = self.suite("transfer")
        rows = {(row["dimension"], row["kernel"], row["transfer"]): row for row in figures["rows"]}
        self.assertEqual(len(rows), 2 * 3 * 6)
        for row in rows.values():
            self.check_floor(row["p2g"], figures["floors"])
            self.check_floor(row["g2p"], figures["floors"])
        for stage in ("p2g", "g2p"):
            operations = [rows[3, kernel, "apic"][stage]["operations"] for kernel in ("linear", "quadratic", "cubic")]
            self.assertEqual(operations, sorted(set(operations)))

    def test_stress(self):
        _, figures = self.suite("stress")
        rows = {row["law"]: row for row in figures["rows"]}
        self.assertEqual(len(rows), 12)
        for row in rows.values():
            self.check_floor(row, figures["floors"])
        self.assertLess(rows["weakly_compressible"]["bytes"], rows["neo_hookean"]["bytes"])
        self.assertLess(rows["neo_hookean"]["operations"], rows["von_mises"]["operations"])

    def test_sort(self):
        _, figures = self.suite("sort")
        self.assertEqual([row["order"] for row in figures["rows"]], ["settled", "moving", "shuffled"])
        for row in figures["rows"]:
            self.check_floor(row, figures["floors"])

    def test_io(self):
        self.succeed("bench", "io", "--particles", 4096, "--steps", 2, "--device", "cpu", "--json", "io.json",
                     "--folder", ".")
        figures = json.loads((self.folder / "io.json").read_text())
        rows = {row["what"]: row for row in figures["rows"]}
        written, read = rows["checkpoint written"], rows["checkpoint read"]
        self.assertEqual(written["bytes"], read["bytes"])
        self.assertGreater(written["file_bytes"], 0)
        # Positions and velocities as floats and the material as 16 bits, and a header.
        for what in ("ply written", "npz written", "vtp written", "bgeo written"):
            self.assertEqual(rows[what]["bytes"], figures["particles"] * 26)
        self.assertGreater(rows["ply written"]["file_bytes"], figures["particles"] * 26)
        self.assertLess(rows["ply written"]["file_bytes"], figures["particles"] * 26 + 1000)
        for row in rows.values():
            self.assertGreater(row["seconds"], 0)
        self.assertEqual([path.name for path in self.folder.glob("firn-bench*")], [])

    def test_flags_belong_to_suites(self):
        self.assertIn("step", self.fail_with(2, "bench", "io", "--sweep"))
        self.assertIn("--scaling", self.fail_with(2, "bench", "--plot", "plot.png"))
        self.assertIn("--folder", self.fail_with(2, "bench", "--folder", "."))
        for suite, flag in (("sort", "--plain"), ("sort", "--side=16"), ("liquid", "--particles=4096"),
                            ("pressure", "--transfer=flip"), ("step", "--side=16"), ("transfer", "--kernel=cubic")):
            self.assertRegex(self.fail_with(2, "bench", suite, flag), f"{flag[:6]}.*the suite {suite} has no use for it; ")
        self.assertIn("exclude", self.fail_with(2, "bench", "--sweep", "--scaling", "threads"))

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

    def test_spray(self):
        self.succeed("bench", "spray", "--device", "cpu", "--threads", 1, "--side", 32, "--steps", 3, "--json",
                     "spray.json")
        figures = json.loads((self.folder / "spray.json").read_text())
        drops = 32**3 // 240
        self.assertEqual(figures["particles"], 8 * (drops + 7 * -(-drops // 6)))
        # Hardly any block is nearly full: a pool has hundreds of particles in each.
        self.assertLess(figures["particles"] / figures["blocks"], 6)
        self.assertGreater(figures["pressure"]["max_iterations"], 0)

    def test_thermal(self):
        text = self.succeed("bench", "thermal", "--device", "cpu", "--threads", 1, "--side", 16, "--steps", 3, "--json",
                            "thermal.json").stdout
        figures = json.loads((self.folder / "thermal.json").read_text())
        self.assertEqual([figures["kernel"], figures["material"]], ["quadratic", "butter"])
        pressure, heat = figures["pressure"], figures["heat"]
        self.assertGreaterEqual(heat["max_iterations"], heat["iterations_per_solve"])
        self.assertGreater(heat["iterations_per_solve"], 0)
        step = figures["seconds"] / figures["steps"]
        self.assertLess(pressure["seconds_per_step"] + heat["seconds_per_step"], step)
        self.assertIn(f"{heat['seconds_per_step']:.4f} s the heat", text)

    def test_implicit(self):
        text = self.succeed("bench", "implicit", "--device", "cpu", "--threads", 1, "--side", 16, "--steps", 10,
                            "--json", "implicit.json").stdout
        figures = json.loads((self.folder / "implicit.json").read_text())
        rows = {(row["youngs_modulus"], row["integrator"]): row for row in figures["rows"]}
        self.assertEqual(len(rows), 3 * 3)
        for (stiffness, integrator), row in rows.items():
            explicit = rows[stiffness, "explicit"]["seconds_per_frame"]
            self.assertAlmostEqual(row["speedup"] * row["seconds_per_frame"] / explicit, 1, places=6)
            if integrator == "optimization":
                # A machine that is busy may be slow; how often it iterates is not its choice.
                self.assertEqual(row["rejected"], 0)
                self.assertLessEqual(row["iterations"], 8 * row["steps_per_frame"] * row["frames"])
        self.assertGreater(rows[2e11, "explicit"]["steps_per_frame"], 1000 * rows[2e11, "optimization"]["steps_per_frame"])
        self.assertGreater(rows[2e11, "optimization"]["speedup"], 5)
        self.assertIn("Newton iterations", text)

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
