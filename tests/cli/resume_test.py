"""Stopping and going on: the files must be those of a run that never stopped."""

import json
import re
import signal
import subprocess
import time
import unittest

from support import CliTest, command_line

# Wall times and what follows from them, which differ between any two runs.
TIMES = re.compile(r'"((?:wall_|correction_)?seconds|times|particle_steps_per_second|memory_bytes|grown)": ?(\{[^}]*\}|[^,}]*),?')


class SameResults(CliTest):
    def results(self, folder, pictures=True):
        """Everything that must not depend on interruptions, by name within the run."""
        names = ["particles/*", "ledger.csv", "scene.toml"] + ["frames/*"] * pictures
        files = self.files(*(f"{folder}/{name}" for name in names))
        result = {name.split("/", 1)[1]: data for name, data in files.items()}
        result["stats"] = TIMES.sub("", (self.folder / folder / "stats.jsonl").read_text())
        return result

    def assert_same_results(self, one, other, pictures=True):
        a, b = self.results(one, pictures), self.results(other, pictures)
        self.assertEqual(a.keys(), b.keys())
        for name in a:
            self.assertEqual(a[name], b[name], name)


class Resume(SameResults):
    def test_three_frames_and_three_more_equal_six(self):
        self.succeed("run", self.scene, "-o", "whole")
        self.succeed("run", self.scene, "-o", "parts", "--frames", 3)
        self.succeed("resume", "parts", "--frames", 6)
        self.assert_same_results("whole", "parts", pictures=False)  # framed for three frames and for six
        whole, parts = (json.loads((self.folder / f / "summary.json").read_text()) for f in ("whole", "parts"))
        for key in ("scene", "completed", "frames", "frames_of_scene", "steps", "particle_steps", "totals", "drift"):
            self.assertEqual(whole[key], parts[key], key)

    def test_from_an_earlier_checkpoint(self):
        self.succeed("run", self.scene, "-o", "whole")
        self.succeed("run", self.scene, "-o", "again")
        checkpoints = sorted((self.folder / "again/checkpoints").glob("*.firn"))
        self.assertEqual([path.name for path in checkpoints],
                         ["checkpoint_000004.firn", "checkpoint_000006.firn"])
        self.succeed("resume", "again", "--checkpoint", checkpoints[0])
        self.assert_same_results("whole", "again")

    def test_a_complete_run_needs_nothing(self):
        self.succeed("run", self.scene)
        before = self.results("out/square")
        self.assertIn("--frames", self.succeed("resume", "out/square").stdout)
        self.assertEqual(self.results("out/square"), before)

    def test_fewer_frames_than_there_are(self):
        self.succeed("run", self.scene)
        before = self.files("out/**/*")
        self.fail_with(2, "resume", "out/square", "--frames", 2)
        self.assertEqual(self.files("out/**/*"), before)

    def test_damaged_checkpoints_are_refused_by_name(self):
        self.succeed("run", self.scene)
        last = self.folder / "out/square/checkpoints/checkpoint_000006.firn"
        data = bytearray(last.read_bytes())
        data[len(data) // 2] ^= 1
        last.write_bytes(data)
        self.assertIn(last.name, self.fail_with(3, "resume", "out/square", "--checkpoint", last))
        result = self.succeed("resume", "out/square", "--frames", 7)
        self.assertIn(last.name, result.stderr)  # a warning; the one before it serves
        self.assertIn("resumed after frame 4", result.stdout)

    def test_folders_without_a_run(self):
        self.assertIn("nowhere", self.fail_with(3, "resume", "nowhere"))
        self.assertFalse((self.folder / "nowhere").exists())
        (self.folder / "empty").mkdir()
        self.fail_with(3, "resume", "empty")


class Stop(SameResults):
    def start(self, *arguments):
        process = subprocess.Popen(command_line(arguments), cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def test_interrupt(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                folder = f"stopped-{number}"
                process = self.start("run", self.scene, "-o", folder, "--frames", 100000, "--set",
                                     "output.image=false", "--set", "output.particles=[\"ply\"]")
                while not process.stdout.readline().startswith("frame 2/"):
                    self.assertIsNone(process.poll())
                process.send_signal(number)
                error = process.communicate(timeout=60)[1]
                self.assertEqual(process.returncode, 130, error)
                self.assertIn(f"firn resume {folder}", error)
                summary = json.loads((self.folder / folder / "summary.json").read_text())
                self.assertFalse(summary["completed"])
                done = summary["frames"]
                self.succeed("resume", folder, "--frames", done + 2)
                self.succeed("run", self.scene, "-o", f"whole-{number}", "--frames", done + 2, "--set",
                             "output.image=false", "--set", "output.particles=[\"ply\"]")
                self.assert_same_results(f"whole-{number}", folder)

    def test_max_time(self):
        start = time.monotonic()
        result = self.succeed("run", self.scene, "--frames", 100000, "--max-time", 1.5, "--set", "output.image=false")
        self.assertLess(time.monotonic() - start, 30)
        self.assertIn("--max-time", result.stderr)
        self.assertIn("firn resume out/square", result.stderr)
        summary = json.loads((self.folder / "out/square/summary.json").read_text())
        self.assertFalse(summary["completed"])
        self.assertTrue(list((self.folder / "out/square/checkpoints").glob("*.firn")))

    def test_many_short_sessions_arrive_where_one_long_one_does(self):
        self.succeed("run", self.scene, "-o", "whole")
        self.succeed("run", self.scene, "-o", "parts", "--max-time", 0)
        sessions = 1
        while not json.loads((self.folder / "parts/summary.json").read_text())["completed"]:
            # The first ones take a single step each, so that checkpoints fall within frames.
            limit = ("--max-time", 0) if sessions < 5 else ("--max-time", 0.3)
            self.succeed("resume", "parts", *limit)
            sessions += 1
        self.assertGreater(sessions, 5)
        self.assert_same_results("whole", "parts")

    def test_killed_at_any_instant(self):
        for delay in (0.1, 0.3, 0.6):
            folder = f"killed-{delay}"
            process = self.start("run", self.scene, "-o", folder, "--frames", 100000, "--set",
                                 "output.image=false", "--set", "output.checkpoint_every=1")
            while not process.stdout.readline().startswith("frame 2/"):
                self.assertIsNone(process.poll())
            time.sleep(delay)
            process.kill()
            process.communicate(timeout=60)
            done = json.loads(self.resume_nothing(folder).stdout)["frames"]
            self.assertGreaterEqual(done, 1)
            self.assertEqual(self.ledger_frames(folder), list(range(done + 1)))

    def resume_nothing(self, folder):
        """Reads the last checkpoint and stops at once, which cuts the tables to it."""
        return self.succeed("resume", folder, "--max-time", 0, "--json")

    def ledger_frames(self, folder):
        rows = (self.folder / folder / "ledger.csv").read_text().splitlines()[1:]
        return [int(row.split(",")[0]) for row in rows]


if __name__ == "__main__":
    unittest.main()
