"""What those who run programs for others meet: folders that are moved, sessions that are short, records that are asked for
again."""

import json
import pathlib
import signal
import time
import unittest

from support import CliTest

# Steps without end, each of which takes next to no time.
SLOW = ["--set", "time.dt_max=2e-7", "--threads", 1]


class Operation(CliTest):
    def started(self, *arguments, until):
        """A run that has written such a file into the folder `run`."""
        process = self.start("run", self.scene, "-o", "run", "--set", "output.checkpoint_every=1", *arguments)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        while not list(self.folder.glob(f"run/{until}")):
            self.assertIsNone(process.poll(), process.stderr)
            time.sleep(0.01)
        return process

    def test_a_folder_that_is_moved_is_not_looked_for_by_its_name(self):
        process = self.started("--set", "time.dt_max=1e-6", "--frames", 1000, until="checkpoints/*_000001.firn")
        (self.folder / "run").rename(self.folder / "moved")
        self.succeed("run", self.scene, "-o", "run", "--frames", 2)
        kept = self.files("run/**/*")
        error = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 3, error)
        self.assertIn("moved or removed", error)
        self.assertEqual(self.files("run/**/*"), kept)
        self.succeed("resume", "moved", "--frames", 2)

    def test_times_of_a_frame_are_those_of_all_sessions(self):
        spent, sessions = 0, 0
        while sessions < 6:
            self.succeed("run", self.scene, "-o", "run", "--resume", "--frames", 1, "--max-time", 0.3, *SLOW)
            summary = json.loads((self.folder / "run/summary.json").read_text())
            spent += summary["seconds"]["steps"]
            sessions += 1
            if summary["completed"]:
                break
        self.succeed("run", self.scene, "-o", "run", "--resume", "--frames", 1, *SLOW)
        summary = json.loads((self.folder / "run/summary.json").read_text())
        spent += summary["seconds"]["steps"]
        self.assertGreater(sessions, 1)
        self.assertAlmostEqual(summary["wall_seconds"] / spent, 1, delta=0.1)

    def test_a_run_that_is_whole_keeps_its_records(self):
        self.succeed("run", self.scene, "-o", "run", "--frames", 2)
        kept = self.files("run/summary.json", "run/stats.jsonl")
        told = json.loads(self.succeed("resume", "run", "--json").stdout)
        self.assertEqual(self.files("run/summary.json", "run/stats.jsonl"), kept)
        self.assertTrue(told["completed"])
        self.succeed("resume", "run", "--frames", 3)
        self.assertNotEqual(self.files("run/summary.json"), kept)

    def test_a_comparison_that_is_stopped_tells_what_is_done(self):
        process = self.start("compare", self.scene, "-o", "two", "--vary", "time.dt_max=1e-2,2e-7,1e-3", "--frames", 1, "--json")
        while not (self.folder / "two/dt_max-2e-7/frames/frame_000000.png").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        told = process.communicate(timeout=60)[0]
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        done, stopped, waiting = json.loads(told)["variants"]
        self.assertTrue(done["summary"]["completed"])
        self.assertFalse(stopped["summary"]["completed"])
        self.assertNotIn("summary", waiting)

    def test_a_variant_that_fails_is_named(self):
        (self.folder / "heights.png").write_text("no picture")
        error = self.fail_with(3, "compare", self.scene, "-o", "two", "--frames", 1, "--vary", "grid.dx=0.1,0.05", "--set",
                               "output.particles=['npz']", "--set", "output.checkpoint_every=1",
                               through=["sh", "-c", 'ulimit -f 8; exec "$@"', "sh"])
        self.assertRegex(error, r"error: dx=0\.1: ")

    def test_the_process_has_the_name_of_the_program(self):
        process = self.started(*SLOW, until="frames/*.png")
        self.assertEqual(pathlib.Path(f"/proc/{process.pid}/comm").read_text(), "firn\n")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)

    def test_a_scene_from_a_pipe(self):
        told = self.firn("info", "/dev/stdin", "--json", through=["sh", "-c", f'cat {self.scene} | "$@"', "sh"])
        self.assertGreater(json.loads(told.stdout)["particles"], 0, told.stderr)
        (self.folder / "folder").mkdir()
        self.assertIn("is a directory", self.fail_with(3, "info", "folder"))


if __name__ == "__main__":
    unittest.main()
