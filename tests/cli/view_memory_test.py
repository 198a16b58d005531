"""A run that is begun again in `firn view` and does not fit into memory."""

import resource
import time
import unittest

from support import CliTest
from viewer import Viewer


class BegunAgain(CliTest):
    def test_what_waits_to_go_on_with_a_run_that_fails_is_given_up(self):
        viewer = Viewer(self, self.scene, "--paused", "--threads", "1")
        viewer.wait_for("paused")
        with open(f"/proc/{viewer.process.pid}/statm", encoding="ascii") as sizes:
            taken = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.prlimit(viewer.process.pid, resource.RLIMIT_AS, (taken + (400 << 20), resource.RLIM_INFINITY))
        self.assertEqual(viewer.post("set", {"set": ["grid.dx=0.0002"], "again": True}), (200, {}))
        until = time.monotonic() + 60
        while viewer.state()["phase"] != "filling":
            self.assertLess(time.monotonic(), until)
        epoch = viewer.state()["epoch"]
        self.assertEqual(viewer.post("set", {"set": ["simulation.frames=9"]}), (200, {}))
        while viewer.state()["phase"] != "failed":
            self.assertLess(time.monotonic(), until)
        time.sleep(0.2)
        self.assertIn("out of memory", viewer.state()["message"])
        self.assertEqual(viewer.state()["epoch"], epoch)
        self.assertEqual(viewer.post("set", {"set": ["simulation.frames=8"]})[0], 422)
        self.assertEqual(viewer.post("set", {"set": ["grid.dx=0.05"], "again": True}), (200, {}))
        viewer.post("play")
        while viewer.state()["phase"] != "ended":
            self.assertLess(time.monotonic(), until)
        viewer.end()


if __name__ == "__main__":
    unittest.main()
