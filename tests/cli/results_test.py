"""The script that makes the documents' tables from the reports of `firn bench`."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/results-table"
STEP = {
    "device": "cpu (2 threads, 512-bit vectors)", "cpu": "A processor", "threads": 2, "precision": "single",
    "kernel": "quadratic", "transfer": "apic", "material": "elastic", "particles": 1000000,
    "particle_steps_per_second": 9.6e6, "baseline": {"ratio": 2.54}, "motion": "settled",
    "ns_per_particle": {"rebuild": 20.04, "p2g": 30.06, "grid": 0.5, "g2p": 40.5, "constitutive": 13.0, "step": 104.1},
}
LIQUID = {**STEP, "material": "water", "seconds": 6.0, "steps": 15,
          "ns_per_particle": {**STEP["ns_per_particle"], "constitutive": 0.0},
          "pressure": {"seconds_per_step": 0.0316, "iterations_per_solve": 12.7, "max_iterations": 13,
                       "density_seconds_per_step": 0.0077}}
THERMAL = {**LIQUID, "material": "butter", "particle_steps_per_second": 1.4e6,
           "heat": {"seconds_per_step": 0.0027, "iterations_per_solve": 2.0, "max_iterations": 2}}
PRESSURE = {"device": "cpu (1 thread, 512-bit vectors)", "cpu": "A processor", "precision": "single",
            "sizes": [{"cells": 262144, "iterations": 12, "seconds": 0.02, "ns_per_cell_and_iteration": 6.36}]}
COUNTED = {"device": "cuda: software device", "suite": "step", "precision": "single", "kernel": "quadratic",
           "transfer": "apic", "material": "elastic", "motion": "moving", "particles": 32768, "unit": "particle",
           "total": {"launches": 40.5, "warp_instructions": 120.0, "active_lanes": 24.91, "sectors": 9.5,
                     "wavefronts": 20.0, "dram_bytes": 126.0, "h100_bound_ns": 0.143, "bound_by": "issue"},
           "kernels": [{"name": "firn::G2P2G", "warp_instructions": 90.0}]}
IMPLICIT = {"device": "cpu (2 threads, 512-bit vectors)", "cpu": "A processor", "threads": 2, "suite": "implicit",
            "rows": [{"youngs_modulus": 2e11, "integrator": "explicit", "seconds_per_frame": 80.04, "speedup": 1,
                      "steps_per_frame": 41000.4},
                     {"youngs_modulus": 2e11, "integrator": "semi_implicit", "diverged": True},
                     {"youngs_modulus": 2e11, "integrator": "optimization", "seconds_per_frame": 4.002, "speedup": 20,
                      "steps_per_frame": 7.0, "linear_iterations": 900, "frames": 3}]}
GPU = {key: value for key, value in STEP.items() if key != "threads"}
GPU["device"] = "cuda: A card"


class ResultsTable(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="firn-results-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.summary = self.folder / "README.md"
        self.summary.write_text("<!-- summary:begin -->\n<!-- summary:end -->\n"
                                "<!-- implicit:begin -->\n<!-- implicit:end -->\n")
        self.tables = self.folder / "benchmarks.md"
        self.tables.write_text("before\n<!-- results:begin -->\nold\n<!-- results:end -->\n"
                               "between\n<!-- implicit:begin -->\n<!-- implicit:end -->\n"
                               "<!-- counts:begin -->\n<!-- counts:end -->\nafter\n")
        for name, report in {"step": STEP, "liquid": LIQUID, "thermal": THERMAL, "pressure": PRESSURE}.items():
            self.keep(name, report)

    def keep(self, name, report):
        (self.folder / f"{name}.json").write_text(json.dumps(report))

    def table(self, *arguments, status=0):
        result = subprocess.run([sys.executable, SCRIPT, "--summary", self.summary, "--tables", self.tables, "--results", self.folder,
                                 *arguments],
                                text=True, capture_output=True, timeout=60, check=False)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stderr

    def text(self):
        self.table()
        return self.tables.read_text()

    def test_tells_what_the_reports_hold(self):
        text = self.text()
        self.assertIn("| A processor | 2 | step | single, quadratic apic, elastic, stages one by one | 10⁶ particles | 104 | **9.60·10⁶** "
                      "| 2.5 |", text)
        self.assertIn("| A processor | 1 | pressure | single, 12 iterations | 64³ cells | 6.36 | **1.57·10⁸** |", text)
        self.assertIn("| A processor | 2 | step | 20.0 | 30.1 | 0.500 | 40.5 | 13.0 |  | 104 |", text)
        self.assertIn("| A processor | 2 | 0.400 | 0.0316 | 12.7 | 13 | 0.00770 |", text)
        self.assertIn("| A processor | 2 | thermal | single, quadratic apic, butter | 10⁶ particles | 104 | **1.40·10⁶** |",
                      text)
        self.assertEqual(text.count("not measured | not measured"), 4)

    def test_settings_that_cost_are_named(self):
        self.keep("gpu", {**GPU, "reproducible": True, "motion": "moving",
                          "ns_per_particle": {"rebuild": 0.07, "fused": 0.2, "step": 0.27}})
        self.assertIn("| A card | GPU | step | single, quadratic apic, elastic, moving, reproducible | 10⁶ particles | 0.270 |",
                      self.text())

    def test_long_steps(self):
        self.keep("implicit", IMPLICIT)
        self.keep("implicit-1", {**IMPLICIT, "device": "cpu (1 thread, 512-bit vectors)", "threads": 1})
        tables = self.text()
        text = self.summary.read_text()
        self.assertIn("| A processor | 1 | 2·10¹¹ | explicit |", tables)
        self.assertNotIn("| A processor | 1 | 2·10¹¹ |", text)  # a summary has the most threads only
        self.assertIn("| A processor | 2 | 2·10¹¹ | explicit | 80.0 | **1.00** | 41000 |  |", text)
        self.assertIn("| A processor | 2 | 2·10¹¹ | semi_implicit | diverged |  |  |  |", text)
        self.assertIn("| A processor | 2 | 2·10¹¹ | optimization | 4.00 | **20.00** | 7 | 300 |", text)

    def test_replaces_only_what_is_between_the_markers(self):
        text = self.text()
        self.assertTrue(text.startswith("before\n<!-- results:begin -->\n"))
        self.assertIn("\n<!-- results:end -->\nbetween\n<!-- implicit:begin -->\n", text)
        self.assertIn("\n<!-- implicit:end -->\n<!-- counts:begin -->\n", text)
        self.assertTrue(text.endswith("\n<!-- counts:end -->\nafter\n"))
        self.assertNotIn("old", text)
        self.assertEqual(self.text(), text)

    def test_rows_of_a_gpu_take_the_place_of_not_measured(self):
        self.keep("gpu", GPU)
        text = self.text()
        self.assertIn("| A card | GPU | step |", text)
        self.assertNotIn("| any | GPU | step |", text)
        self.assertIn("| any | GPU | liquid |", text)

    def test_check_fails_where_a_report_has_changed(self):
        self.table("--check", status=1)
        text = self.text()
        self.table("--check")
        self.keep("step", {**STEP, "particle_steps_per_second": 9.7e6})
        self.assertIn("run scripts/results-table", self.table("--check", status=1))
        self.assertEqual(self.tables.read_text(), text)

    def test_summary_has_the_fastest_of_each_suite(self):
        self.keep("slower", {**STEP, "particle_steps_per_second": 9.5e6, "threads": 1})
        self.keep("gpu", GPU)
        self.table()
        text = self.summary.read_text()
        plain = "| step | single, quadratic apic, elastic, stages one by one | 10⁶ particles |"
        self.assertIn(f"{plain} A processor | 2 | **9.60·10⁶** |", text)
        self.assertIn(f"{plain} A card | GPU | **9.60·10⁶** |", text)
        self.assertNotIn("9.50", text)
        self.assertEqual(text.count("| any | GPU | not measured |"), 3)

    def test_counts_stand_apart_from_what_was_measured(self):
        before = self.text().partition("between")[0]
        self.keep("counted", COUNTED)
        self.assertIn("benchmarks.md", self.table("--check", status=1))
        self.assertEqual(self.text().partition("between")[0], before)
        self.assertIn("| step | single, quadratic apic, elastic, moving | 32\u202f768 particles | 40.5 | 120 | 24.9 | 9.5 | 20 "
                      "| 126 | 0.143 (issue) | `G2P2G` 75 % |", self.tables.read_text())

    def test_names_what_it_cannot_use(self):
        self.keep("other", {"sweep": []})  # another suite's report is no error
        self.table()
        self.keep("step", {key: value for key, value in STEP.items() if key != "precision"})
        self.assertIn("'precision'", self.table(status=1))
        (self.folder / "step.json").write_text("{")
        self.assertIn("step.json", self.table(status=1))
        (self.folder / "step.json").unlink()
        self.tables.write_text("no markers\n")
        self.assertIn("benchmarks.md: needs one line", self.table(status=1))


if __name__ == "__main__":
    unittest.main()
