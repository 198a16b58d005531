"""Whatever the system refuses to a run once, or wherever it is killed: no checkpoint is lost, the cause is told, and the run
goes on to the same bits. FIRN_FAULTS names the library that makes calls fail (faults.cpp)."""

import os
import shutil
import sys
import unittest

from resume_test import SameResults

FAULTS = os.environ.get("FIRN_FAULTS", "")
if not os.access(FAULTS, os.R_OK):
    sys.exit(f"{FAULTS} is no library; set FIRN_FAULTS to the built one")

# Every one of them takes minutes: one in three unless FIRN_FAULTS_STRIDE says otherwise.
STRIDE = int(os.environ.get("FIRN_FAULTS_STRIDE", 3))
# Checkpoints in every frame, and nothing of other programs.
SETTINGS = ("--frames", 3, "--set", "output.checkpoint_every=1", "--set", "output.resolution=[32, 24]", "--threads", 1)


class Faults(SameResults):
    def setUp(self):
        super().setUp()
        self.settled("run", self.scene, "-o", "whole", *SETTINGS)
        self.settled("run", self.scene, "-o", "begun", *SETTINGS, "--max-time", 0)
        self.settled("resume", "begun", "--max-time", 0)

    def settled(self, *arguments):
        return self.succeed(*arguments, environment={"PATH": "/nowhere"})

    def strike(self, fault, *arguments):
        """Runs with the fault; nothing if the run never came to it."""
        mark = self.folder / "mark"
        mark.unlink(missing_ok=True)
        result = self.firn(*arguments, environment={"PATH": "/nowhere", "LD_PRELOAD": FAULTS, "FIRN_FAULT": fault,
                                                    "FIRN_FAULT_MARK": str(mark)})
        return result if mark.exists() else None

    def checkpoints(self):
        return sorted((self.folder / "struck/checkpoints").glob("*.firn"))

    def check_goes_on(self, had_checkpoint):
        if had_checkpoint:
            self.assertTrue(self.checkpoints())
        if self.checkpoints():
            self.settled("resume", "struck")
        else:
            self.settled("run", self.scene, "-o", "struck", "--overwrite", *SETTINGS)
        self.assert_same_results("whole", "struck")

    def sweep(self, kind, action, check, stride=STRIDE):
        """The faults of a kind, in a new run and in one that goes on."""
        struck = 0
        for begun in (False, True):
            command = ("resume", "struck") if begun else ("run", self.scene, "-o", "struck", *SETTINGS)
            for number in range(1 if begun and stride > 1 else 0, 1_000_000, stride):
                shutil.rmtree(self.folder / "struck", ignore_errors=True)
                if begun:
                    shutil.copytree(self.folder / "begun", self.folder / "struck")
                fault = f"{kind}:{number}:{action}"
                with self.subTest(fault=fault, begun=begun):
                    result = self.strike(fault, *command)
                    if result is None:
                        break
                    struck += 1
                    check(result)
                    self.check_goes_on(begun)
        return struck

    def check_file_error(self, result):
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertRegex(result.stderr, "error: .*(No space left on device|Input/output error)")

    def test_of_files(self):
        for kind, least in (("open", 20), ("write", 20), ("fsync", 20), ("rename", 20), ("ftruncate", 2)):
            self.assertGreaterEqual(self.sweep(kind, "fail", self.check_file_error), least // STRIDE, kind)

    def test_file_systems_without_locks(self):
        """Some know of none: the run goes on, and says so."""
        result = self.strike("flock:0:fail", "run", self.scene, "-o", "struck", *SETTINGS)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("knows of no locks", result.stderr)
        self.assert_same_results("whole", "struck")

    def test_threads_that_the_system_has_not(self):
        """What they were to do is done without them."""
        struck = 0
        for number in range(4):
            shutil.rmtree(self.folder / "struck", ignore_errors=True)
            result = self.strike(f"thread:{number}:fail", "run", self.scene, "-o", "struck", *SETTINGS)
            if result is None:
                break
            struck += 1
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assert_same_results("whole", "struck")
        self.assertGreater(struck, 1)

    def test_kills(self):
        for kind in ("write", "fsync", "rename"):
            struck = self.sweep(kind, "kill", lambda result: self.assertEqual(result.returncode, -9))
            self.assertGreaterEqual(struck, 20 // STRIDE, kind)

    def check_memory_error(self, result):
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("out of memory", result.stderr)

    def test_of_allocations(self):
        self.assertGreater(self.sweep("new", "fail", self.check_memory_error, stride=997), 20)

    def test_a_kill_after_going_back_leaves_no_gap(self):
        for number in range(0, 1000, STRIDE):
            shutil.rmtree(self.folder / "struck", ignore_errors=True)
            shutil.copytree(self.folder / "whole", self.folder / "struck")
            if self.strike(f"write:{number}:kill", "resume", "struck", "--from", 2) is None:
                break
            self.settled("resume", "struck")
            self.assert_same_results("whole", "struck")
        self.assertGreater(number, 10)


if __name__ == "__main__":
    unittest.main()
