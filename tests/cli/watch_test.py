"""`firn run --watch`: runs again whenever a file of the scene changes."""

import json
import os
import queue
import signal
import threading
import time
import unittest

from support import CliTest
from viewer import Viewer


class Watch(CliTest):
    def watch(self, *arguments):
        self.process = self.start("run", self.scene, "--watch", "--set", "output.image=false", *arguments)
        self.addCleanup(self.process.kill)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, args=(self.process.stdout,), daemon=True).start()

    def read(self, stream):
        for line in stream:
            self.lines.put(line)

    def wait_for(self, text):
        """The lines up to one with this text."""
        seen = []
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                seen.append(self.lines.get(timeout=1))
            except queue.Empty:
                self.assertIsNone(self.process.poll(), "".join(seen))
                continue
            if text in seen[-1]:
                return "".join(seen)
        self.fail(f"no {text!r} in\n" + "".join(seen))

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.process.wait(timeout=60), 128 + signal.SIGINT)

    def replace(self, old, new):
        """As an editor does that writes another file and renames it."""
        text = self.scene.read_text()
        self.assertIn(old, text)
        other = self.scene.with_suffix(".new")
        other.write_text(text.replace(old, new))
        os.replace(other, self.scene)

    def frames(self):
        return json.loads((self.folder / "out/square/summary.json").read_text())["frames"]

    def test_runs_again_and_ends_by_a_signal(self):
        self.watch()
        self.wait_for("watching")
        self.assertEqual(self.frames(), 6)
        self.replace("frames = 6", "frames = 8")
        self.assertIn("has changed", self.wait_for("watching"))
        self.assertEqual(self.frames(), 8)
        self.stop()

    def test_a_folder_that_is_being_looked_at_is_told_of(self):
        self.watch()
        self.wait_for("watching")
        viewer = Viewer(self, "out/square")
        self.replace("frames = 6", "frames = 8")
        self.wait_for("watching")
        self.assertEqual(self.frames(), 6)
        self.assertIn("another program reads this folder", self.fail_with(3, "resume", "out/square"))
        viewer.end()
        self.replace("frames = 8", "frames = 9")
        self.wait_for("watching")
        self.assertEqual(self.frames(), 9)
        self.stop()

    def test_a_run_in_progress_begins_anew(self):
        self.replace("frames = 6", "frames = 1000000")
        self.watch()
        self.wait_for("frame 2/")
        self.replace("frames = 1000000", "frames = 4")
        self.assertIn("4 frames", self.wait_for("watching"))
        self.assertEqual(self.frames(), 4)
        self.stop()

    def test_a_mistake_is_told_of_and_may_be_mended(self):
        self.watch()
        self.wait_for("watching")
        self.replace("frames = 6", "frames = -6")
        self.wait_for("watching")
        self.assertEqual(self.frames(), 6)  # of the run before
        self.replace("frames = -6", "frames = 3")
        self.wait_for("watching")
        self.assertEqual(self.frames(), 3)
        self.stop()
        self.assertIn("frames", self.process.stderr.read())

    def test_files_that_the_scene_names_count(self):
        mesh = self.folder / "wedge.obj"
        corners = "v 0 0 0\nv 1 0 0\nv 0 %s 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        mesh.write_text(corners % 1)
        self.scene.write_text("""
[simulation]
frames = 1
[grid]
dx = 0.2
[material.jelly]
model = "fixed_corotated"
density = 1000.0
youngs_modulus = 1.0e4
poisson_ratio = 0.3
[[body]]
material = "jelly"
shape = { type = "mesh", file = "wedge.obj" }
""")
        self.watch()
        self.wait_for("watching")
        mesh.write_text(corners % 1.5)
        self.assertIn("wedge.obj has changed", self.wait_for("watching"))
        self.stop()

    def test_the_run_of_another_is_not_replaced(self):
        self.succeed("run", self.scene, "--set", "output.image=false")
        self.assertIn("--overwrite", self.fail_with(3, "run", self.scene, "--watch"))


if __name__ == "__main__":
    unittest.main()
