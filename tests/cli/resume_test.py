"""Stopping and going on: the files must be those of a run that never stopped."""

import json
import re
import shlex
import shutil
import signal
import struct
import time
import unittest
import zlib

from support import CliTest

# Wall times and what follows from them, which differ between any two runs.
TIMES = re.compile(r'"((?:wall_|correction_)?seconds|times|particle_steps_per_second|memory_bytes|grown)": ?(\{[^}]*\}|[^,}]*),?')


def grey_png(width, height, grey):
    """The bytes of an even picture."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + bytes([grey]) * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


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

    def test_a_checkpoint_from_beyond_the_tables_leaves_a_gap_that_is_told(self):
        self.succeed("run", self.scene, "-o", "again")
        last = self.folder / "again/checkpoints/checkpoint_000006.firn"
        elsewhere = self.folder / "kept.firn"
        elsewhere.write_bytes(last.read_bytes())
        self.succeed("resume", "again", "--from", 4, "--frames", 4)
        self.assertEqual(self.succeed("resume", "again", "--from", 4, "--frames", 4).stderr, "")
        error = self.succeed("resume", "again", "--checkpoint", elsewhere, "--frames", 7).stderr
        for table in ("stats.jsonl", "ledger.csv"):
            self.assertIn(f"again/{table}: 2 rows are missing of frames 0 to 6", error)
            self.assertIn("of frame 5 first", error)

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


class ChangedScene(SameResults):
    """The scene in the folder of a run is the one that goes on, and must be one that can."""

    def setUp(self):
        super().setUp()
        self.succeed("run", self.scene, "-o", "run", "--frames", 4)
        self.copy = self.folder / "run/scene.toml"

    def edit(self, old, new):
        text = self.copy.read_text()
        self.assertIn(old, text)
        self.copy.write_text(text.replace(old, new))

    def test_an_edited_key_that_matters_is_refused_by_name(self):
        self.edit("dx = 0.05", "dx = 0.08")
        before = self.files("run/**/*")
        error = self.fail_with(2, "resume", "run")
        self.assertRegex(error, r"run/scene\.toml:\d+:6: .*'grid\.dx': it was 0\.05, and is 0\.08")
        self.assertEqual(self.files("run/**/*"), before)

    def test_a_checkpoint_of_another_run_is_refused_by_name(self):
        self.succeed("run", self.scene, "-o", "other", "--set", "grid.dx=0.08", "--frames", 4)
        before = self.files("run/**/*")
        other = "other/checkpoints/checkpoint_000004.firn"
        self.assertIn("'grid.dx'", self.fail_with(2, "resume", "run", "--checkpoint", other, "--frames", 8))
        self.assertEqual(self.files("run/**/*"), before)

    def test_what_may_change_is_used_and_kept(self):
        self.succeed("run", self.scene, "-o", "whole", "--set", "output.image=false")
        self.edit("frames = 4", "frames = 5")
        self.succeed("resume", "run", "--set", "output.particles=[\"npz\"]", "--set", "output.image=false")
        self.assertEqual([p.name for p in sorted((self.folder / "run/particles").glob("*5.*"))],
                         ["particles_000005.npz"])
        self.assertFalse((self.folder / "run/frames/frame_000005.png").exists())
        self.succeed("resume", "run", "--frames", 6)
        for name in ("ledger.csv", "particles/particles_000006.npz"):
            self.assertEqual((self.folder / "run" / name).read_bytes(), (self.folder / "whole" / name).read_bytes())

    def test_what_pictures_hide_may_change(self):
        text = self.scene.read_text()
        self.scene.write_text(text + '[[collider]]\nname = "post"\nshape = { type = "sphere", center = [9, 9], radius = 0.1 }\n')
        self.succeed("run", self.scene, "-o", "shown", "--frames", 1)
        self.succeed("resume", "shown", "--frames", 2, "--set", "collider.0.visible=false")

    def test_an_override_that_matters_is_refused(self):
        self.assertIn("--set grid.dx: ", self.fail_with(2, "resume", "run", "--set", "grid.dx=0.04"))
        self.assertIn("'cfl'", self.fail_with(2, "resume", "run", "--set", "time.cfl=9"))

    def test_a_scene_that_cannot_be_read_is_an_error(self):
        self.edit("[grid]", "[grid")
        self.assertRegex(self.fail_with(2, "resume", "run"), r"error: run/scene\.toml:\d+:\d+: ")
        self.copy.unlink()
        self.assertIn("scene.toml", self.fail_with(3, "resume", "run"))

    def test_another_file_under_the_same_path_is_refused_by_name(self):
        hill = self.folder / "hill.png"
        hill.write_bytes(grey_png(8, 8, 40))
        text = self.scene.read_text().replace("[output]", """
[[collider]]
name = "hill"
shape = { type = "height_field", file = "hill.png", low = -1.0, high = 1.0, min = -1.0, max = 2.0 }

[output]""")
        self.scene.write_text(text)
        self.succeed("run", self.scene, "-o", "hilly", "--frames", 4)
        whole = hill.read_bytes()
        hill.write_bytes(grey_png(8, 8, 41))
        before = self.files("hilly/**/*")
        error = self.fail_with(2, "resume", "hilly", "--frames", 6)
        self.assertRegex(error, r"hill\.png: a run cannot go on with another file: it had \d+ bytes, CRC-32 \w+, and has")
        self.assertEqual(self.files("hilly/**/*"), before)
        hill.write_bytes(whole)
        self.succeed("resume", "hilly", "--frames", 6)

    def test_a_project_that_has_moved_takes_its_files_along(self):
        for name in ("one", "two"):
            (self.folder / name / "geo").mkdir(parents=True)
            (self.folder / name / "geo/hill.png").write_bytes(grey_png(8, 8, 40))
            (self.folder / name / "hilly.toml").write_text(self.scene.read_text().replace("[output]", """
[[collider]]
name = "hill"
shape = { type = "height_field", file = "geo/hill.png", low = -1.0, high = 1.0, min = -1.0, max = 2.0 }

[output]"""))
            self.succeed("run", f"{name}/hilly.toml", "-o", f"{name}/out", "--frames", 4)
        (self.folder / "one").rename(self.folder / "moved")
        self.succeed("convert", "moved/out", "--to", "vtp")
        self.succeed("render", "moved/out", "-o", "pictures", "--frames", 2)
        self.succeed("resume", "moved/out", "--frames", 6)
        self.succeed("resume", "two/out", "--frames", 6)
        for name in ("ledger.csv", "particles/particles_000006.ply", "frames/frame_000006.png"):
            self.assertEqual(self.files(f"moved/out/{name}").popitem()[1], self.files(f"two/out/{name}").popitem()[1], name)
        # What is there is what it was, or the run does not go on; what needs no file of the scene asks for none.
        hill = self.folder / "moved/geo/hill.png"
        hill.rename(self.folder / "slope.png")
        self.assertIn("hill.png", self.fail_with(3, "resume", "moved/out", "--frames", 8))
        self.succeed("convert", "moved/out", "--to", "vtp")
        override = ("--set", "collider.1.shape.file=slope.png")
        self.succeed("resume", "moved/out", "--frames", 7, *override)
        (self.folder / "slope.png").write_bytes(grey_png(8, 8, 41))
        self.assertIn("another file", self.fail_with(2, "resume", "moved/out", "--frames", 8, *override))

    def test_fewer_frames_in_the_file(self):
        self.edit("frames = 4", "frames = 3")
        self.assertIn("already at frame 4", self.fail_with(2, "resume", "run"))


class KeptCheckpoints(SameResults):
    def frames(self, folder):
        return [int(path.stem[-6:]) for path in sorted((self.folder / folder / "checkpoints").glob("*.firn"))]

    def test_from_a_kept_frame(self):
        keep = ("--set", "output.checkpoint_every=1", "--set", "output.keep_checkpoints=4")
        self.succeed("run", self.scene, "-o", "whole", *keep)
        self.succeed("run", self.scene, "-o", "again", *keep)
        self.assertEqual(self.frames("again"), [3, 4, 5, 6])
        self.assertIn("3, 4, 5, 6", self.fail_with(3, "resume", "again", "--from", 2))
        self.fail_with(2, "resume", "again", "--from", 4, "--checkpoint", "x")
        self.assertIn("resumed after frame 4", self.succeed("resume", "again", "--from", 4).stdout)
        self.assert_same_results("whole", "again")
        self.assertEqual(self.frames("again"), [3, 4, 5, 6])

    def test_frames_that_are_given_up_are_gone(self):
        self.succeed("run", self.scene, "-o", "run", "--set", "output.checkpoint_every=1", "--set",
                     "output.keep_checkpoints=4", "--set", 'output.particles=["ply", "vtp"]')
        self.succeed("resume", "run", "--from", 3, "--frames", 4)
        for folder, pattern in (("frames", "*.png"), ("particles", "*.ply"), ("particles", "*.vtp"), ("checkpoints", "*")):
            last = max(int(path.stem[-6:]) for path in (self.folder / "run" / folder).glob(pattern))
            self.assertEqual(last, 4, folder)


    def test_what_cannot_go_on_loses_nothing(self):
        self.scene.write_text(self.scene.read_text() + '''
[[sensor]]
name = "gauge"
type = "collider"
collider = "floor"
rate = 48
''')
        self.succeed("run", self.scene, "-o", "whole", "--set", "output.keep_checkpoints=4")
        for table in ("ledger.csv", "sensors/gauge.csv"):
            with self.subTest(table=table):
                shutil.rmtree(self.folder / "run", ignore_errors=True)
                shutil.copytree(self.folder / "whole", self.folder / "run")
                path = self.folder / "run" / table
                path.write_text("of_another_version," + path.read_text())
                before = self.files("run/**/*")
                self.assertIn(f"{table}:1: cannot continue",
                              self.fail_with(3, "resume", "run", "--from", 2, "--set", "output.legend=\"never\""))
                self.assertEqual(self.files("run/**/*"), before)

    def test_tables_that_are_lost_are_told_of(self):
        self.succeed("run", self.scene, "-o", "run")
        self.assertEqual(self.succeed("resume", "run", "--frames", 7).stderr, "")
        (self.folder / "run/ledger.csv").unlink()
        error = self.succeed("resume", "run", "--frames", 8).stderr
        self.assertIn("run/ledger.csv: there are no rows of frames 0 to 7", error)
        self.assertNotIn("stats.jsonl", error)

    def test_tables_that_a_spreadsheet_has_saved_go_on(self):
        self.succeed("run", self.scene, "-o", "whole")
        self.succeed("run", self.scene, "-o", "run")
        path = self.folder / "run/ledger.csv"
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        self.succeed("resume", "run", "--from", 4)
        self.assertEqual(path.read_bytes().replace(b"\r\n", b"\n"), (self.folder / "whole/ledger.csv").read_bytes())


class Camera(SameResults):
    """What the camera of a run has followed goes on with it."""

    def test_that_has_moved_goes_on(self):
        self.edit_scene("velocity = [0.5, -1.0]", "velocity = [12.0, 4.0]")
        keep = ("--frames", 24, "--set", "output.checkpoint_every=1", "--set", "output.keep_checkpoints=20")
        self.succeed("run", self.scene, "-o", "whole", *keep)
        self.succeed("run", self.scene, "-o", "again", *keep)
        self.succeed("resume", "again", "--from", 12)
        self.assert_same_results("whole", "again")
        self.succeed("run", self.scene, "-o", "still", *keep, "--set", "output.follow=false")
        still, moved = (self.files(f"{folder}/frames/*") for folder in ("still", "whole"))
        self.assertEqual(still["still/frames/frame_000000.png"], moved["whole/frames/frame_000000.png"])
        self.assertNotEqual(still["still/frames/frame_000012.png"], moved["whole/frames/frame_000012.png"])

    def edit_scene(self, old, new):
        text = self.scene.read_text()
        self.assertIn(old, text)
        self.scene.write_text(text.replace(old, new))


class Stop(SameResults):
    def test_interrupt(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            with self.subTest(signal=number):
                folder = f"stopped-{number}"
                process = self.start("run", self.scene, "-o", folder, "--frames", 100000, "--set",
                                     "output.image=false", "--set", "output.particles=[\"ply\"]")
                while not process.stdout.readline().startswith("frame 2/"):
                    self.assertIsNone(process.poll())
                process.send_signal(number)
                error = process.communicate(timeout=60)[1]
                self.assertEqual(process.returncode, 128 + number, error)
                self.assertIn(f"firn resume {folder}", error)
                summary = json.loads((self.folder / folder / "summary.json").read_text())
                self.assertFalse(summary["completed"])
                done = summary["frames"]
                self.succeed("resume", folder, "--frames", done + 2)
                self.succeed("run", self.scene, "-o", f"whole-{number}", "--frames", done + 2, "--set",
                             "output.image=false", "--set", "output.particles=[\"ply\"]")
                self.assert_same_results(f"whole-{number}", folder)

    def test_nohup_holds(self):
        process = self.start("run", self.scene, "--frames", 100000, "--set", "output.image=false",
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        while not process.stdout.readline().startswith("frame 2/"):
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGHUP)
        while not process.stdout.readline().startswith("frame 20/"):
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)

    def test_max_time(self):
        start = time.monotonic()
        result = self.succeed("run", self.scene, "--frames", 100000, "--max-time", 1.5, "--set", "output.image=false")
        self.assertLess(time.monotonic() - start, 30)
        self.assertIn("--max-time", result.stderr)
        self.assertIn("firn resume out/square", result.stderr)
        summary = json.loads((self.folder / "out/square/summary.json").read_text())
        self.assertFalse(summary["completed"])
        self.assertTrue(list((self.folder / "out/square/checkpoints").glob("*.firn")))

    def test_one_that_stopped_within_a_frame_does_not_end_before_it(self):
        self.succeed("run", self.scene, "-o", "part", "--frames", 1)
        self.succeed("resume", "part", "--frames", 6, "--max-time", 0)
        self.assertEqual(json.loads((self.folder / "part/summary.json").read_text())["frames"], 1)
        self.assertIn("on its way to frame 2", self.fail_with(2, "resume", "part", "--frames", 1))
        self.succeed("resume", "part", "--frames", 2)

    def test_the_command_that_goes_on_is_one_for_a_shell(self):
        folder = "it's $HOME; here"
        error = self.succeed("run", self.scene, "-o", folder, "--max-time", 0).stderr
        command = next(line for line in error.splitlines() if line.startswith("  firn resume "))
        self.assertEqual(shlex.split(command), ["firn", "resume", folder])

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
