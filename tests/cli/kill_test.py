"""Runs that are killed at any instant, two in one folder, and disks that are full: nothing is lost but the frame that was
being made, and what goes on ends in the same bits. FIRN_KILLS_STRIDE thins the instants and the sizes of disks: one in so
many of 200 and of 50."""

import json
import math
import os
import re
import shutil
import subprocess
import time
import unittest

from support import command_line
from resume_test import SameResults

STRIDE = int(os.environ.get("FIRN_KILLS_STRIDE", 10))
INSTANTS, DISKS = 200, 50
# Pictures, particles, plots, a video, and a checkpoint of every frame. Steps so short that half of the time is the frames'.
SETTINGS = ("--frames", 4, "--set", "time.dt_max=1e-5", "--set", "output.checkpoint_every=1", "--set", "output.resolution=[64, 48]", "--set",
            "output.video=true", "--threads", 1)
# Mounts a disk of its own, runs on it until it is full, makes room and goes on.
ON_A_SMALL_DISK = """
mount -t tmpfs -o size=$1 tmpfs disk || exit 99
shift
"$@"
echo "exit code $?" >&2
mount -o remount,size=256m disk
cp -r disk/run full 2>/dev/null
true
"""


class BesideAWhole(SameResults):
    def setUp(self):
        super().setUp()
        start = time.monotonic()
        self.succeed("run", self.scene, "-o", "whole", *SETTINGS)
        self.seconds = time.monotonic() - start

    def results(self, folder, pictures=True):
        return {**super().results(folder, pictures), "video": (self.folder / folder / "video.mp4").read_bytes()}

    def told_frames(self, folder):
        """The last frame whose line of statistics is whole; -1: none."""
        stats = self.folder / folder / "stats.jsonl"
        lines = stats.read_text().split("\n")[:-1] if stats.exists() else []
        return json.loads(lines[-1])["frame"] if lines else -1

    def check_goes_on(self, folder):
        """To the same bits, from the last frame or the one before; how many frames were done."""
        told = self.told_frames(folder)
        if not list((self.folder / folder / "checkpoints").glob("*.firn")):
            self.assertLess(told, 2)
            self.succeed("run", self.scene, "-o", folder, "--overwrite", *SETTINGS)
        else:
            result = self.succeed("resume", folder, "--threads", 1)
            self.assertNotIn("trying the checkpoint before it", result.stderr)
            resumed = int(re.search(r"resumed after frame (\d+)", result.stdout).group(1))
            self.assertGreaterEqual(resumed, told - 1)
        self.assert_same_results("whole", folder)
        half_written = [name for name in self.files(f"{folder}/**/*", f"{folder}/**/.*")
                        if name.endswith((".part", ".firn-tmp"))]
        self.assertEqual(half_written, [])
        return told


class Killed(BesideAWhole):
    def test_at_any_instant(self):
        done = set()
        killed = number = 0
        while killed < INSTANTS // STRIDE:
            number += 1
            self.assertLess(number, 2 * INSTANTS, "most runs end before they are killed")
            shutil.rmtree(self.folder / "killed", ignore_errors=True)
            instant = math.fmod(0.6180339887 * number, 1)  # even over the run, however many there are
            with self.subTest(instant=instant):
                process = self.start("run", self.scene, "-o", "killed", *SETTINGS)
                time.sleep(self.seconds * instant)
                process.kill()
                process.communicate(timeout=60)
                if process.returncode != -9:
                    continue
                killed += 1
                before_its_folder = not (self.folder / "killed").exists()
                done.add(-1 if before_its_folder else self.check_goes_on("killed"))
        print(f"{killed} kills, of runs that had told of frames {sorted(done)}", flush=True)
        self.assertGreater(len(done), 2)

    def test_again_and_again(self):
        """Every continuation of one run is killed, too."""
        self.succeed("run", self.scene, "-o", "often", *SETTINGS, "--max-time", 0)
        kills = 0
        for number in range(0, INSTANTS, 4 * STRIDE):
            process = self.start("resume", "often", "--threads", 1)
            time.sleep(self.seconds * (number + 0.5) / INSTANTS)
            process.kill()
            process.communicate(timeout=60)
            kills += process.returncode == -9
        self.assertGreater(kills, 0)
        self.check_goes_on("often")


class TwoInOneFolder(BesideAWhole):
    def test_the_second_is_refused_whatever_it_is(self):
        process = self.start("run", self.scene, "-o", "shared", "--frames", 100000, "--set", "output.image=false", "--set",
                             "output.checkpoint_every=1")
        while not process.stdout.readline().startswith("frame 2/"):
            self.assertIsNone(process.poll())
        for words in (["run", self.scene, "-o", "shared"], ["run", self.scene, "-o", "shared", "--overwrite"],
                      ["resume", "shared"], ["video", "shared"]):
            with self.subTest(words=words):
                self.assertIn("another run is writing to this folder", self.fail_with(3, *words))
        self.assertIsNone(process.poll())
        process.terminate()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        done = json.loads((self.folder / "shared/summary.json").read_text())["frames"]
        frames = [json.loads(line)["frame"] for line in (self.folder / "shared/stats.jsonl").read_text().splitlines()]
        self.assertEqual(frames, list(range(done + 1)))

    def test_of_two_that_start_at_once_one_runs(self):
        for number in range(0, INSTANTS, 4 * STRIDE):
            shutil.rmtree(self.folder / "raced", ignore_errors=True)
            both = [self.start("run", self.scene, "-o", "raced", *SETTINGS) for _ in range(2)]
            errors = [process.communicate(timeout=120)[1] for process in both]
            self.assertEqual(sorted(process.returncode for process in both), [0, 3], errors)
            self.assertRegex("".join(errors), "another run is writing|already holds a run")
            self.assert_same_results("whole", "raced")


class FullDisk(BesideAWhole):
    def fill(self, size, *arguments):
        """What a run said on a disk of so many bytes, and its exit code; the run is in the folder 'full'."""
        shutil.rmtree(self.folder / "full", ignore_errors=True)
        (self.folder / "disk").mkdir(exist_ok=True)
        command = ["unshare", "-rm", "sh", "-c", ON_A_SMALL_DISK, "sh", str(size), *command_line(arguments)]
        result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                timeout=240)
        if result.returncode != 0:
            self.skipTest(f"no disk of one's own can be mounted here: {result.stderr}")
        return result.stderr, int(re.search(r"exit code (\d+)", result.stderr).group(1))

    def test_of_any_size(self):
        """From a disk on which nothing has room to one on which nearly all of it does."""
        needed = sum(len(data) for data in self.files("whole/**/*", "whole/**/.*").values())
        codes, done = [], set()
        for number in range(0, DISKS, STRIDE // 2 or 1):
            with self.subTest(disk=number):
                size = 4096 + int(0.8 * needed * number / DISKS) // 4096 * 4096
                error, code = self.fill(size, "run", self.scene, "-o", "disk/run", *SETTINGS)
                self.assertIn(code, (0, 3), error)
                codes.append(code)
                if code == 3:
                    self.assertIn("No space left on device", error)
                if not (self.folder / "full/scene.toml").exists():
                    continue
                done.add(self.check_goes_on("full"))
        print(f"{codes.count(3)} full disks of {len(codes)}, of runs that had told of frames {sorted(done)}", flush=True)
        self.assertGreater(codes.count(3), 0.9 * len(codes))


if __name__ == "__main__":
    unittest.main()
