"""Orders that `firn view` gets from its page: which wait, which meet others, which come when nothing can follow them."""

import os
import re
import signal
import socket
import threading
import time
import unittest

from support import CliTest
from viewer import Viewer

PAUSED = ("--paused", "--threads", "1", "--set", "output.image=false")
SLOW = "grid.dx=0.0008"  # a million particles, which take their time to be filled


class Orders(CliTest):
    def begun_again_slowly(self, viewer):
        """Filling, with time for other orders."""
        viewer.wait_for("paused")
        self.assertEqual(viewer.post("set", {"set": [SLOW], "again": True}), (200, {}))
        while viewer.state()["phase"] != "filling":
            time.sleep(0.01)

    def test_what_waits_still_begins_again_where_another_order_follows(self):
        viewer = Viewer(self, self.scene, *PAUSED)
        self.begun_again_slowly(viewer)
        for keys, again in ((["grid.dx=0.04"], True), (["simulation.frames=9"], False)):
            self.assertEqual(viewer.post("set", {"set": keys, "again": again}), (200, {}))
        self.assertEqual(viewer.state()["phase"], "filling")
        viewer.post("play")
        self.assertEqual(len(viewer.wait_for("ended")["rows"]), 10)
        self.assertEqual(viewer.get("/api/scene")["dx"], 0.04)
        viewer.end()

    def test_what_is_set_while_bodies_fill_is_held_against_this_beginning(self):
        viewer = Viewer(self, self.scene, *PAUSED)
        viewer.wait_for("paused")
        viewer.post("play")
        viewer.wait_for("ended")
        viewer.post("pause")
        self.assertEqual(viewer.post("set", {"set": [SLOW], "again": True}), (200, {}))
        while viewer.state()["phase"] != "filling":
            time.sleep(0.01)
        self.assertEqual(viewer.post("set", {"set": ["simulation.frames=2"]}), (200, {}))
        viewer.end()

    def test_of_two_that_come_at_once_none_is_lost(self):
        # Reading this scene takes a while.
        self.scene.write_text(self.scene.read_text() + "".join(
            f'\n[[body]]\nname = "s{i}"\nmaterial = "jelly"\n'
            f'shape = {{ type = "box", min = [{i}, 2.0], max = [{i}.1, 2.1] }}\n' for i in range(2, 300)))
        viewer = Viewer(self, self.scene, *PAUSED, "-o", "out")
        viewer.wait_for("paused")
        written = self.folder / "out/scene.toml"
        for k in range(6):
            color, legend = ("speed", "body")[k % 2], ("never", "always")[k % 2]
            together, answers = threading.Barrier(2), []

            def order(assignment):
                together.wait()
                answers.append(viewer.post("set", {"set": [assignment]}))
            both = [threading.Thread(target=order, args=(f'output.{key}="{value}"',))
                    for key, value in (("color", color), ("legend", legend))]
            for thread in both:
                thread.start()
            for thread in both:
                thread.join()
            self.assertEqual(answers, [(200, {})] * 2)
            until = time.monotonic() + 20
            wanted = {f'color = "{color}"', f'legend = "{legend}"'}
            while not wanted <= set(re.findall(r'^(?:color|legend) = "\w+"', written.read_text(), re.MULTILINE)):
                self.assertLess(time.monotonic(), until, wanted)
                time.sleep(0.05)
        viewer.end()


class Beginnings(CliTest):
    def opened_by(self, script):
        opener = self.folder / "bin/xdg-open"
        opener.parent.mkdir(exist_ok=True)
        opener.write_text("#!/bin/sh\n" + script)
        opener.chmod(0o755)
        return {**os.environ, "PATH": f"{opener.parent}:{os.environ['PATH']}"}

    def end_with_complaint(self, viewer, words):
        viewer.wait_for("paused")
        time.sleep(0.5)
        viewer.process.send_signal(signal.SIGINT)
        _, complaints = viewer.process.communicate(timeout=60)
        self.assertEqual(viewer.process.returncode, 130, complaints)
        self.assertRegex(complaints, words)

    def test_a_browser_that_stays_is_not_waited_for(self):
        viewer = Viewer(self, self.scene, *PAUSED, "--open", env=self.opened_by("exec sleep 60\n"))
        viewer.wait_for("paused")
        begin = time.monotonic()
        viewer.end()
        self.assertLess(time.monotonic() - begin, 30)

    def test_without_a_browser_the_view_goes_on(self):
        viewer = Viewer(self, self.scene, *PAUSED, "--open", env=self.opened_by("exit 3\n"))
        self.end_with_complaint(viewer, "no browser could be opened \\(xdg-open\\)")
        viewer = Viewer(self, self.scene, *PAUSED, "--open", env={**os.environ, "TMPDIR": "/nonexistent"})
        self.end_with_complaint(viewer, "no browser could be opened \\(TMPDIR: ")

    def test_a_view_that_cannot_be_served_leaves_what_is_there(self):
        self.succeed("run", self.scene, "-o", "out")
        before = self.files("out/**/*")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            for output, more in (("out", ["--overwrite"]), ("new", [])):
                error = self.fail_with(3, "view", self.scene, "-o", output, *more, "--port", port)
                self.assertIn(f"port {port}", error)
        self.assertEqual(self.files("out/**/*"), before)
        self.assertEqual([path for path in self.files("new/**/*") if not path.endswith(".firn-run")], [])
        self.succeed("run", self.scene, "-o", "new")  # which holds no run


if __name__ == "__main__":
    unittest.main()
