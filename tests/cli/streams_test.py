"""What is told of long beginnings, output that cannot be written, files that may not be read, and videos of runs that were stopped."""

import json
import os
import pty
import re
import resource
import signal
import subprocess
import time
import unittest

from support import CliTest, command_line

# Root may read and write everything, but for a process that has given that up.
AS_USER = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search") if os.geteuid() == 0 else ()


class StandardOutput(CliTest):
    def into(self, out, *arguments, **keywords):
        """The exit code, and what was said on stderr."""
        result = subprocess.run(command_line(arguments), cwd=self.folder, stdout=out, stderr=subprocess.PIPE, text=True,
                                stdin=subprocess.DEVNULL, timeout=240, **keywords)
        return result.returncode, result.stderr

    def full(self, *arguments):
        with open("/dev/full", "w") as out:
            return self.into(out, *arguments)

    def test_what_cannot_be_written_is_an_error(self):
        self.succeed("run", self.scene, "-o", "done", "--frames", 1)
        for words in (["info", self.scene], ["info", self.scene, "--json"], ["scenes"], ["materials"],
                      ["materials", "--json"], ["devices"], ["schema"], ["schema", "--markdown"], ["--help"], ["--version"],
                      ["run", "--help"], ["run", self.scene, "--frames", 2], ["resume", "done"],
                      ["run", self.scene, "-o", "json", "--json"], ["video", "done"],
                      ["compare", self.scene, "--vary", "grid.dx=0.05,0.06", "--frames", 1]):
            with self.subTest(words=words):
                code, error = self.full(*words)
                self.assertEqual(code, 3, error)
                self.assertIn("error: standard output: cannot write: No space left on device", error)

    def test_a_run_is_complete_all_the_same(self):
        self.assertEqual(self.full("run", self.scene, "-v")[0], 3)
        self.assertTrue(json.loads((self.folder / "out/square/summary.json").read_text())["completed"])

    def test_nothing_to_say_cannot_fail(self):
        self.assertEqual(self.full("run", self.scene, "-q"), (0, ""))

    def test_an_error_keeps_its_code(self):
        self.assertEqual(self.full("info", "nowhere")[0], 3)
        self.assertEqual(self.full("run", self.scene, "--set", "grid.dx=-1")[0], 2)

    def test_closed_streams_are_not_taken_for_files(self):
        code, error = self.into(None, "run", self.scene, preexec_fn=lambda: os.close(1))
        self.assertEqual(code, 3, error)
        self.assertTrue((self.folder / "out/square/ledger.csv").read_text().startswith("frame,time"))
        self.assertRegex((self.folder / "out/square/.firn-run").read_text(), r"\A[0-9a-f]{16}\n\Z")

    def test_errors_that_nobody_hears_keep_their_code(self):
        with open("/dev/full", "w") as out:
            result = subprocess.run(command_line(["info", "nowhere"]), cwd=self.folder, stdout=out, stderr=out)
            self.assertEqual(result.returncode, 3)

    def test_a_reader_that_goes_away_stops_the_run_with_a_checkpoint(self):
        process = self.start("run", self.scene, "--frames", 100000, "--set", "output.image=false")
        while not process.stdout.readline().startswith("frame 2/"):
            self.assertIsNone(process.poll())
        process.stdout.close()
        error = process.stderr.read()
        self.assertEqual(process.wait(timeout=60), 141, error)
        self.assertIn("firn resume out/square", error)
        self.assertTrue(self.files("out/square/checkpoints/*.firn"))

    def test_a_report_to_a_device(self):
        full = self.folder / "full"  # a link: a program that replaces what it writes must not reach the device
        full.symlink_to("/dev/full")
        self.assertIn("full: cannot write: No space left",
                      self.fail_with(3, "bench", "sort", "--particles", 1000, "--steps", 1, "--json", full))
        self.assertTrue(full.is_symlink())


class Filling(CliTest):
    # 64 million particles, of which the first second finds some.
    LARGE = ("--set", "grid.dx=0.0001", "--set", "body.0.sampling=\"random\"")
    TEXT = r'filling body "square" \(1 of 1\) with particles: (\d+) %, [\d.]+ [kM] so far'

    def test_of_large_bodies_is_told_of_once_and_can_be_stopped(self):
        process = self.start("run", self.scene, *self.LARGE)
        start = time.monotonic()
        self.assertRegex(process.stdout.readline(), self.TEXT)
        self.assertGreater(time.monotonic() - start, 0.9)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=5)
        self.assertEqual((process.returncode, out, error), (-signal.SIGINT, "", ""))

    def test_is_redrawn_on_a_terminal(self):
        reader, writer = pty.openpty()
        self.addCleanup(os.close, reader)
        process = subprocess.Popen(command_line(["run", self.scene, *self.LARGE]), cwd=self.folder, stdout=writer,
                                   stderr=writer, stdin=subprocess.DEVNULL)
        os.close(writer)
        parts, text = [], ""
        while len(parts) < 4:
            text += os.read(reader, 4096).decode()
            parts = [int(part) for part in re.findall(self.TEXT, text)]
        process.kill()
        process.wait(timeout=60)
        self.assertEqual(parts, sorted(parts))
        self.assertLessEqual(parts[-1], 100)
        self.assertNotIn("\n", text)
        self.assertGreaterEqual(text.count("\r\x1b[K"), 3)

    def test_of_small_bodies_is_not_worth_a_word(self):
        self.assertNotIn("filling", self.succeed("run", self.scene, "--frames", 1).stdout)

    def test_quiet(self):
        process = self.start("run", self.scene, "-q", *self.LARGE)
        time.sleep(1.5)
        process.kill()
        self.assertEqual(process.communicate(timeout=60), ("", ""))


class RemadeFrames(CliTest):
    """How far convert, render and mesh are, and what they have made."""

    COMMANDS = (("convert", "run", "--to", "vtp", "-o", "vtp"), ("render", "run", "-o", "pictures"))

    def setUp(self):
        super().setUp()
        self.succeed("run", self.scene, "-o", "run", "--frames", 3)

    def on_a_terminal(self, *arguments):
        reader, writer = pty.openpty()
        self.addCleanup(os.close, reader)
        process = subprocess.Popen(command_line(arguments), cwd=self.folder, stdout=writer, stderr=writer,
                                   stdin=subprocess.DEVNULL)
        os.close(writer)
        text = b""
        try:
            while part := os.read(reader, 4096):
                text += part
        except OSError:  # the program has closed its end
            pass
        self.assertEqual(process.wait(timeout=120), 0, text)
        return text.decode()

    def test_are_counted_on_a_terminal_alone(self):
        for command in self.COMMANDS:
            with self.subTest(command=command[0]):
                text = self.on_a_terminal(*command)
                done = [int(frame) for frame in re.findall(r"\] (\d)/4", text)]
                self.assertEqual(done, [0, 1, 2, 3, 4])
                self.assertIn("ETA", text)
                self.assertRegex(text.split("\r\x1b[K")[-1], r"^4 (frames|pictures) in ")
                self.assertNotIn("ETA", self.succeed(*command).stdout)
                self.assertEqual(self.on_a_terminal(*command, "-q"), "")

    def test_are_told_as_json(self):
        for command, made in zip(self.COMMANDS, ("particles", "pictures")):
            result = self.succeed(*command, "--json", "--frames", "1:3")
            told = json.loads(result.stdout)
            self.assertEqual((told["made"], told["frames"]), (made, [1, 2, 3]))
            self.assertTrue((self.folder / told["folder"]).is_dir())
            self.assertIn("3 ", result.stderr)

    def test_take_as_many_threads_as_they_may(self):
        before = None
        for threads in (1, 2):
            self.succeed("render", "run", "-o", f"by-{threads}", "--threads", threads)
            pictures = [path.read_bytes() for path in sorted((self.folder / f"by-{threads}/frames").iterdir())]
            self.assertEqual(pictures, before or pictures)
            before = pictures
        self.assertIn("--threads", self.fail_with(2, "render", "run", "--threads", 0))


class Files(CliTest):
    def limited(self, *arguments, size):
        """Where no file may grow beyond `size` bytes."""
        return subprocess.run(command_line(arguments), cwd=self.folder, capture_output=True, text=True, timeout=240,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))

    def test_a_limit_on_the_size_of_files(self):
        result = self.limited("run", self.scene, "--set", "output.image=false", size=4000)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertRegex(result.stderr, r"error: out/square/.*File too large; raise the limit")
        self.succeed("run", self.scene, "--overwrite", "--frames", 2)
        result = self.limited("resume", "out/square", "--frames", 4, size=1000)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.succeed("resume", "out/square", "--frames", 4)

    def test_the_frame_that_could_not_be_written_is_not_the_last_good_one(self):
        result = self.limited("run", self.scene, "--frames", 60, "--set", "output.image=false", "--set",
                              "output.particles=[]", "--set", "output.checkpoint_every=0", size=9000)
        self.assertEqual(result.returncode, 3, result.stderr)
        rows = [json.loads(line)["frame"] for line in (self.folder / "out/square/stats.jsonl").read_text().splitlines()]
        self.assertIn(f"the last good frame is {rows[-1]}; ", result.stderr)
        self.assertEqual(json.loads((self.folder / "out/square/summary.json").read_text())["frames"], rows[-1])

    def locked(self, path):
        os.chmod(path, 0)
        self.addCleanup(os.chmod, path, 0o755)

    def test_a_scene_that_may_not_be_read(self):
        self.locked(self.scene)
        for words in (["run", self.scene], ["info", self.scene]):
            error = self.fail_with(3, *words, through=AS_USER)
            self.assertRegex(error, r"square\.toml: cannot be read: Permission denied; ask its owner")
        hidden = self.folder / "hidden"
        hidden.mkdir()
        self.locked(hidden)
        error = self.fail_with(3, "info", hidden / "x.toml", through=AS_USER)
        self.assertRegex(error, r"x\.toml: cannot be read: Permission denied; ask its owner")

    def test_a_run_that_may_not_be_read_or_written(self):
        self.succeed("run", self.scene, "-o", "run", "--frames", 2)
        for path, names in (("run", "run"), ("run/scene.toml", "scene.toml"), ("run/checkpoints", "checkpoints")):
            with self.subTest(path=path):
                os.chmod(self.folder / path, 0)
                error = self.fail_with(3, "resume", "run", "--frames", 3, through=AS_USER)
                os.chmod(self.folder / path, 0o755)
                self.assertRegex(error, rf"{names}.*: Permission denied; (ask its owner|choose a folder)")
                self.assertNotIn("--overwrite", error)
        self.locked(self.folder / "run")
        self.assertIn("Permission denied; ", self.fail_with(3, "run", self.scene, "-o", "run", through=AS_USER))


class Video(CliTest):
    def is_film(self, folder):
        return (self.folder / folder / "video.mp4").read_bytes()[4:8] == b"ftyp"

    def test_of_a_stopped_run(self):
        self.succeed("run", self.scene, "-o", "run", "--max-time", 0)
        self.succeed("resume", "run", "--frames", 3, "--set", "output.video=false")
        self.assertFalse((self.folder / "run/video.mp4").exists())
        self.assertIn("run/video.mp4", self.succeed("video", "run").stdout)
        self.assertTrue(self.is_film("run"))

    def test_of_a_killed_run_and_again(self):
        process = self.start("run", self.scene, "-o", "run", "--frames", 100000)
        while not process.stdout.readline().startswith("frame 3/"):
            self.assertIsNone(process.poll())
        process.kill()
        process.communicate(timeout=60)
        for _ in range(2):
            self.succeed("video", "run")
            self.assertTrue(self.is_film("run"))

    def test_of_pictures_that_begin_late_or_have_a_gap(self):
        self.succeed("run", self.scene, "-o", "run")
        (self.folder / "run/frames/frame_000000.png").unlink()
        self.assertEqual(self.succeed("video", "run").stderr, "")
        (self.folder / "run/frames/frame_000004.png").unlink()
        self.assertIn("the video ends with frame 3", self.succeed("video", "run").stderr)
        self.assertTrue(self.is_film("run"))

    def test_without_pictures_or_ffmpeg(self):
        self.succeed("run", self.scene, "-o", "run", "--frames", 1, "--set", "output.image=false")
        self.assertIn("no pictures", self.fail_with(3, "video", "run"))
        self.assertIn("nowhere", self.fail_with(3, "video", "nowhere"))
        self.succeed("run", self.scene, "-o", "pictures", "--frames", 1)
        self.assertIn("ffmpeg", self.fail_with(3, "video", "pictures", environment={"PATH": "/nowhere"}))


if __name__ == "__main__":
    unittest.main()
