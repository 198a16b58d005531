"""What job scripts count on: one command that begins a run or goes on with it, checkpoints by the clock, the signals that
batch systems announce limits with, and records that say what was lost."""

import json
import re
import signal
import unittest

from support import CliTest

SOLVED = """
[simulation]
integrator = "optimization"
dimension = 2
frames = 2
fps = 24
gravity = [0.0, -9.81]

[grid]
dx = 0.05

[time]
dt_max = 0.005

[material.jelly]
model = "neo_hookean"
density = 1000.0
youngs_modulus = 1.0e5
poisson_ratio = 0.3

[[body]]
material = "jelly"
shape = { type = "box", min = [0.3, 0.1], max = [0.7, 0.3] }

[[collider]]
shape = { type = "half_space", point = [0.0, 0.1], normal = [0.0, 1.0] }

[output]
image = false
video = false
"""

QUIET = ["--set", "output.image=false", "--set", "output.particles=[]"]


class RunOrResume(CliTest):
    command = ["-o", "run", "--resume", *QUIET]

    def summary(self):
        return json.loads((self.folder / "run/summary.json").read_text())

    def test_the_same_command_begins_goes_on_and_is_done(self):
        first = self.succeed("run", self.scene, *self.command, "--max-time", 0)
        self.assertFalse(self.summary()["completed"], first.stderr)
        self.assertIn("resumed", self.succeed("run", self.scene, *self.command).stdout)
        self.assertTrue(self.summary()["completed"])
        self.assertIn("has all its frames", self.succeed("run", self.scene, *self.command).stdout)

    def test_what_was_stopped_before_a_checkpoint_begins_again(self):
        self.succeed("run", self.scene, *self.command, "--frames", 1)
        for checkpoint in (self.folder / "run/checkpoints").iterdir():
            checkpoint.unlink()
        self.assertNotIn("resumed", self.succeed("run", self.scene, *self.command, "--frames", 1).stdout)
        self.assertEqual(self.summary()["frames"], 1)

    def test_another_scene_is_refused_by_name(self):
        self.succeed("run", self.scene, *self.command, "--frames", 2)
        before = self.files("run/**/*")
        self.assertIn("grid.dx", self.fail_with(2, "run", self.scene, *self.command, "--set", "grid.dx=0.08"))
        self.assertEqual(self.files("run/**/*"), before)
        for checkpoint in (self.folder / "run/checkpoints").iterdir():
            checkpoint.unlink()
        self.fail_with(3, "run", self.scene, *self.command, "--set", "grid.dx=0.08")

    def test_damaged_checkpoints_are_no_reason_to_begin_again(self):
        self.succeed("run", self.scene, *self.command, "--frames", 1)
        for checkpoint in (self.folder / "run/checkpoints").iterdir():
            checkpoint.write_bytes(b"damaged")
        self.assertIn("none of its checkpoints can be read", self.fail_with(3, "run", self.scene, *self.command))

    def test_what_would_contradict_it(self):
        for flag in ("--watch", "--overwrite"):
            self.assertIn("--resume", self.fail_with(2, "run", self.scene, *self.command, flag))
        self.assertIn("--output", self.fail_with(2, "run", self.scene, "-o", ""))


class Checkpoints(CliTest):
    def frames(self):
        return sorted(int(path.stem[-6:]) for path in (self.folder / "run/checkpoints").iterdir())

    def test_come_by_the_clock_as_well(self):
        every = ["-o", "run", "--overwrite", *QUIET, "--set", "output.keep_checkpoints=10"]
        self.succeed("run", self.scene, *every, "--set", "output.checkpoint_every=4")
        self.assertEqual(self.frames(), [4, 6])
        self.succeed("run", self.scene, *every, "--set", "output.checkpoint_every=4", "--checkpoint-time", 0)
        self.assertEqual(self.frames(), [1, 2, 3, 4, 5, 6])
        self.succeed("run", self.scene, *every, "--set", "output.checkpoint_every=0", "--checkpoint-time", 0)
        self.assertEqual(self.frames(), [6])

    def test_signals_of_batch_systems_leave_one(self):
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU, signal.SIGALRM):
            with self.subTest(signal=number):
                process = self.start("run", self.scene, "-o", f"run-{number}", "--frames", 100000, *QUIET)
                while not process.stdout.readline().startswith("frame 2/"):
                    self.assertIsNone(process.poll())
                process.send_signal(number)
                error = process.communicate(timeout=60)[1]
                self.assertEqual(process.returncode, 128 + number, error)
                self.assertIn(f"firn resume run-{number}", error)


class Records(CliTest):
    def test_solves_of_a_frame_are_those_on_both_sides_of_a_stop(self):
        scene = self.folder / "solved.toml"
        scene.write_text(SOLVED)
        self.succeed("run", scene, "-o", "whole")
        self.succeed("run", scene, "-o", "parts", "--max-time", 0)
        for _ in range(5):  # each makes a step at least, of some ten
            self.succeed("resume", "parts", "--max-time", 0)
        self.succeed("resume", "parts")
        of = {}
        for name in ("whole", "parts"):
            lines = (self.folder / name / "stats.jsonl").read_text().splitlines()
            solves = [json.loads(line)["implicit"] for line in lines]
            of[name] = [{k: v for k, v in frame.items() if k not in ("seconds", "looks")} for frame in solves]
            summary = json.loads((self.folder / name / "summary.json").read_text())["implicit"]
            of[name].append({k: v for k, v in summary.items() if k not in ("seconds", "looks")})
        self.assertGreater(of["whole"][-1]["solves"], 10)
        self.assertEqual(of["parts"], of["whole"])

    def test_torn_rows_are_told_of(self):
        self.scene.write_text(self.scene.read_text() + '\n[[sensor]]\nname = "p"\ntype = "point"\n'
                              "position = [0.5, 0.4]\nrate = 96\n")
        self.succeed("run", self.scene, "-o", "run", "--frames", 4, *QUIET)
        for table in ("run/ledger.csv", "run/stats.jsonl", "run/sensors/p.csv"):
            path = self.folder / table
            path.write_bytes(path.read_bytes()[:-1])
        error = self.succeed("resume", "run", "--frames", 5).stderr
        for table in ("ledger.csv", "stats.jsonl"):
            self.assertRegex(error, re.escape(table) + ": 1 row is missing of frames 0 to 4.*, of frame 4 first")
        self.assertIn("p.csv: its last reading is torn", error)

    def test_a_run_that_fails_prints_its_summary_as_well(self):
        result = self.firn("run", self.scene, "-o", "run", "--json", *QUIET, "--set", "time.dt_min=1", "--set", "time.dt_max=2")
        self.assertEqual(result.returncode, 5, result.stderr)
        summary = json.loads(result.stdout)
        self.assertFalse(summary["completed"])
        self.assertIn("dt_min", summary["message"])
        self.assertEqual(summary["directory"], "run")

    def test_threads_are_those_of_the_environment(self):
        def device(*flags, **environment):
            self.succeed("run", self.scene, "-o", "run", "--overwrite", "--frames", 1, *QUIET, *flags, environment=environment)
            return json.loads((self.folder / "run/summary.json").read_text())["device"]
        self.assertIn("cpu (1 thread,", device(OMP_NUM_THREADS="1"))
        self.assertIn("cpu (2 threads,", device("--threads", 2, OMP_NUM_THREADS="1"))
        self.assertIn("cpu (2 threads,", device(OMP_NUM_THREADS="2,1"))
        every = device(OMP_NUM_THREADS="")
        self.assertEqual(every, device(OMP_NUM_THREADS="many"))

    def test_memory_of_the_process_is_told(self):
        self.succeed("run", self.scene, "-o", "run", "--frames", 1, *QUIET)
        summary = json.loads((self.folder / "run/summary.json").read_text())
        self.assertGreater(summary["process_peak_bytes"], summary["peak_memory_bytes"])
        self.assertLess(summary["process_peak_bytes"], 1 << 33)


class Places(CliTest):
    domain = ["--set", "grid.domain={min=[0,0],max=[1,1]}"]

    def test_a_body_outside_the_domain_is_refused(self):
        error = self.fail_with(2, "run", self.scene, *self.domain, "--set",
                               'body.0.shape={type="box",min=[3,3],max=[4,4]}')
        self.assertIn('body "square" lies outside the domain', error)
        error = self.fail_with(2, "run", self.scene, "--set", 'body.0.shape={type="box",min=[1e8,0],max=[1.00000001e8,1]}')
        self.assertIn("move the scene towards the origin", error)

    def test_a_collider_outside_the_domain_is_told_of(self):
        result = self.succeed("run", self.scene, *self.domain, *QUIET, "--frames", 0, "--set",
                              'collider.0.shape={type="sphere",center=[4,4],radius=0.2}')
        self.assertIn('collider "floor" lies outside the domain: nothing meets it', result.stderr)


if __name__ == "__main__":
    unittest.main()
