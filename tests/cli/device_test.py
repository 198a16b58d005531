"""Runs on a CUDA device: the same bits whatever its order of work, and every way in which it can fail told and survived.

Needs the device in software (tests/software_device/README.md has its settings): a GPU's failures cannot be ordered.
"""

import json
import os
import pathlib
import subprocess
import unittest

from support import FIRN, CliTest

RUN = ("--device", "cuda", "--set", "simulation.reproducible=true", "--set", "output.image=false", "--set",
       'output.particles=["npz"]')


class DeviceTest(CliTest):
    def particles(self, folder):
        return list(self.files(f"{folder}/particles/*").values())


class Orders(DeviceTest):
    def test_none_changes_a_bit(self):
        """Of warps, blocks and streams; with all blocks in turns, since those of a scan wait for each other."""
        all_blocks = {"EMULATOR_RESIDENT": "4096"}
        orders = {
            "as_written": {},
            "lazy": {"EMULATOR_LAZY": "1"},
            "reversed": {"EMULATOR_WARP_ORDER": "reverse", "EMULATOR_BLOCK_ORDER": "reverse", **all_blocks},
            "random": {"EMULATOR_WARP_ORDER": "random:7", "EMULATOR_BLOCK_ORDER": "random:7", **all_blocks},
            "random_lazy": {"EMULATOR_WARP_ORDER": "random:8", "EMULATOR_BLOCK_ORDER": "random:8", "EMULATOR_LAZY": "1",
                            **all_blocks},
        }
        for name, settings in orders.items():
            self.succeed("run", self.scene, "-o", name, "--frames", 2, *RUN, environment=settings)
            self.assertEqual(len(self.particles(name)), 3)
            self.assertEqual(self.particles(name), self.particles("as_written"), name)


class Races(DeviceTest):
    def test_walls_that_open_beside_others(self):
        """Oblique walls cut faces, and whether one of them opens depends on its neighbours' areas."""
        self.scene.write_text("""
[simulation]
dimension = 2
frames = 2
fps = 24
integrator = "incompressible"
[grid]
dx = 0.03
domain = { min = [-1, 0], max = [8, 6], boundary = { x_min = "separate", x_max = "open", y_min = "separate", y_max = "open" } }
[material.water]
preset = "water"
[[body]]
material = "water"
shape = { type = "box", min = [0, 0.3], max = [0.4, 0.7] }
velocity = ["10*x", "10*y"]
[[body]]
material = "water"
shape = { type = "sphere", center = [1.2, 0.4], radius = 0.2 }
velocity = [-8, 3]
[[collider]]
shape = { type = "half_space", point = [-0.3, 0.0], normal = [1, 2] }
boundary = "separate"
[[collider]]
shape = { type = "box", min = [0.5, 0.9], max = [0.9, 1.0] }
boundary = "separate"
motion = { type = "keyframes", times = [0, 0.4], translation = [[0, 0], [0, -1]], rotation = [0, 90], pivot = [0.7, 0.95] }
""", encoding="utf-8")
        self.succeed("run", self.scene, *RUN, environment={"EMULATOR_STRICT": "1"})


class Failures(DeviceTest):
    def test_no_device(self):
        settings = {"EMULATOR_DEVICES": "0"}
        self.assertIn("no CUDA device was found", self.fail_with(4, "run", self.scene, *RUN, environment=settings))
        listed = self.succeed("devices", environment=settings).stdout
        self.assertIn("cuda   none: no CUDA device was found", listed)

    def test_a_device_by_its_number(self):
        settings = {"EMULATOR_DEVICES": "2"}
        listed = self.succeed("devices", environment=settings).stdout
        for number in range(2):
            self.assertRegex(listed, rf"(?m)^cuda:{number} +software device")
            arguments = [f"cuda:{number}" if word == "cuda" else word for word in RUN]
            self.succeed("run", self.scene, "-o", f"on_{number}", "--frames", 1, *arguments, environment=settings)
        self.assertEqual(self.particles("on_0"), self.particles("on_1"))
        arguments = ["cuda:2" if word == "cuda" else word for word in RUN]
        error = self.fail_with(4, "run", self.scene, *arguments, environment=settings)
        self.assertRegex(error, r"there is no CUDA device 2; there is 0 \(software device.*\), 1 \(software device")

    def test_a_driver_that_is_too_old(self):
        error = self.fail_with(4, "run", self.scene, *RUN, environment={"EMULATOR_DRIVER_VERSION": "12040"})
        self.assertIn("the NVIDIA driver is too old: it knows CUDA 12.4", error)
        self.assertIn("--device cpu", error)

    def test_no_driver(self):
        error = self.fail_with(4, "run", self.scene, *RUN, environment={"EMULATOR_DRIVER_VERSION": "0"})
        self.assertIn("no NVIDIA driver was found", error)

    def test_a_device_without_the_compute_capability(self):
        settings = {"EMULATOR_COMPUTE_CAPABILITY": "7.5"}
        error = self.fail_with(4, "run", self.scene, *RUN, environment=settings)
        self.assertIn("compute capability 7.5", error)
        self.assertIn("-DCMAKE_CUDA_ARCHITECTURES=75", error)
        self.assertIn("7.5", self.succeed("devices", environment=settings).stdout)

    def test_out_of_memory(self):
        """At whatever point the memory ends: an error that says so, or a run that has enough."""
        ends = {}
        for mebibytes in (0, 1, 2, 3, 4, 6, 8, 64):
            memory = str(max(mebibytes << 20, 1 << 16))
            folder = f"with-{mebibytes}"
            result = self.firn("run", self.scene, "-o", folder, "--frames", 2, *RUN,
                               environment={"EMULATOR_MEMORY": memory})
            ends[mebibytes] = result.returncode
            if result.returncode != 0:
                self.assertEqual(result.returncode, 4, result.stderr)
                self.assertIn("out of device memory", result.stderr)
                self.assertRegex(result.stderr, r"\d+ of \d+ MiB|\d+ MiB of \d+ MiB are free")
        self.assertEqual(ends[0], 4)
        self.assertEqual(ends[64], 0)

    def test_a_device_that_is_lost(self):
        """At the first launch, while the scene is set up, in frames; by a failing kernel and by failing memory."""
        run = (*RUN, "--set", "output.checkpoint_every=1")
        self.succeed("run", self.scene, "-o", "whole", *run, environment={"EMULATOR_REPORT": "report.json"})
        whole = self.particles("whole")
        launches = sum(k["launches"] for k in json.loads((self.folder / "report.json").read_text())["kernels"])
        lost_later = 0
        for lost_after in ("0", "30", launches // 2, f"{4 * launches // 5}:214"):
            folder = f"lost-{lost_after}"
            result = self.firn("run", self.scene, "-o", folder, *run,
                               environment={"EMULATOR_LOSE_AFTER": str(lost_after)})
            self.assertEqual(result.returncode, 4, result.stderr)
            self.assertIn("the device no longer works for this process", result.stderr)
            if not list(self.folder.glob(f"{folder}/checkpoints/*.firn")):
                continue
            lost_later += 1
            self.assertIn(f"firn resume {folder}", result.stderr)
            self.succeed("resume", folder, "--device", "cuda")
            self.assertEqual(self.particles(folder), whole)
        self.assertEqual(lost_later, 2)


class GpuCheck(DeviceTest):
    """scripts/gpu-check, which a GPU is to meet in working order."""
    SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/gpu-check"

    def check(self, seconds):
        return subprocess.run([self.SCRIPT, "results", FIRN], cwd=self.folder, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=600, check=False,
                              env={**os.environ, "GPU_CHECK_SECONDS": str(seconds)})

    def test_goes_on_where_its_time_ended(self):
        cut = self.check(8)
        self.assertEqual(cut.returncode, 1, cut.stdout)
        self.assertIn("no time left", cut.stdout)
        whole = self.check(400)
        self.assertEqual(whole.returncode, 0, whole.stdout + whole.stderr)
        self.assertIn("gpu-check: passed", whole.stdout)
        self.assertNotIn("== tests", whole.stdout)  # done in the first call
        reports = {path.name for path in self.folder.glob("results/bench/*.json")}
        self.assertIn("software-device-trial-step-moving.json", reports)
        self.assertGreaterEqual(len(reports), 12)
        again = self.check(400)
        self.assertEqual(again.returncode, 0)
        self.assertNotIn("==", again.stdout)


class Commands(DeviceTest):
    def test_devices_names_it_for_what_it_is(self):
        self.assertIn("software device", self.succeed("devices").stdout)
        self.assertIn("software device", json.loads(self.succeed("devices", "--json").stdout)["cuda"][0])

    def test_nobody_gets_it_without_asking(self):
        self.assertIn("device: cpu", self.succeed("run", self.scene, "--frames", 1, "--device", "auto").stdout)

    def test_info_needs_no_device(self):
        self.succeed("info", self.scene, environment={"EMULATOR_DEVICES": "0"})

    def test_a_run_that_begins_here_ends_there(self):
        self.succeed("run", self.scene, "-o", "both", "--frames", 3, *RUN)
        self.succeed("resume", "both", "--frames", 6, "--device", "cpu")
        self.assertEqual(len(self.particles("both")), 7)

    def test_bench_counts(self):
        for suite, unit in (("step", "particle"), ("liquid", "particle"), ("thermal", "particle"), ("pressure", "cell")):
            small = {"step": ("--particles", 512, "--steps", 2), "pressure": ("--side", 16)}.get(
                suite, ("--side", 16, "--steps", 1))
            text = self.succeed("bench", suite, *small, "--device", "cuda", "--json", f"{suite}.json").stdout
            self.assertIn("counted, not measured", text)
            report = json.loads((self.folder / f"{suite}.json").read_text())
            self.assertEqual(report["unit"], unit)
            self.assertGreater(report["total"]["warp_instructions"], 1)
            self.assertGreater(report["total"]["launches"], 4)
            self.assertLessEqual(report["total"]["active_lanes"], 32)
            parts = sum(kernel["warp_instructions"] for kernel in report["kernels"])
            self.assertAlmostEqual(parts / report["total"]["warp_instructions"], 1, places=3)
            self.assertNotIn("seconds", report)
        self.assertIn("it counts", self.fail_with(2, "bench", "sort", "--device", "cuda"))


if __name__ == "__main__":
    unittest.main()
