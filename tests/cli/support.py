"""What the tests of the command line share: running the program in a scratch folder, and small scenes.

FIRN names the program to test, FIRN_TEST_DEVICE the device that scenes run on (cpu if it is not set).
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

FIRN = os.path.abspath(os.environ.get("FIRN", "build/firn"))
if not os.access(FIRN, os.X_OK):
    sys.exit(f"{FIRN} is no program; set FIRN to the built firn")

DEVICE = os.environ.get("FIRN_TEST_DEVICE", "cpu")
TIMEOUT = 240 if DEVICE == "cpu" else 3600  # a device in software takes its time

# Threads that wait for each other's next loop by spinning take the processor from whatever else runs, which may be
# the other tests.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# A jelly square falling on the floor: some 250 particles, six frames, a fraction of a second to run.
SCENE = """
title = "Falling square"
source = "test"

[simulation]
dimension = 2
frames = 6
fps = 48
gravity = [0.0, -9.81]

[grid]
dx = 0.05

[material.jelly]
model = "fixed_corotated"
density = 1000.0
youngs_modulus = 1.0e6
poisson_ratio = 0.3

[[body]]
name = "square"
material = "jelly"
shape = { type = "box", min = [0.3, 0.2], max = [0.7, 0.6] }
velocity = [0.5, -1.0]

[[collider]]
name = "floor"
shape = { type = "half_space", point = [0.0, 0.1], normal = [0.0, 1.0] }
boundary = "separate"
friction = 0.2

[output]
particles = ["ply", "npz"]
resolution = [160, 120]
video = false
checkpoint_every = 2
"""


def command_line(arguments):
    """The program and its arguments, and for what runs scenes the device; on CUDA with sums in a fixed order, so that
    runs can be compared bit for bit."""
    words = [FIRN, *map(str, arguments)]
    if arguments and arguments[0] in ("run", "resume", "compare") and "--device" not in words:
        words += ["--device", DEVICE]
        if DEVICE != "cpu" and arguments[0] != "resume":
            words += ["--set", "simulation.reproducible=true"]
    return words


class CliTest(unittest.TestCase):
    """Each test has an empty folder of its own, which is the working directory of the program."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="firn-cli-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.scene = self.folder / "square.toml"
        self.scene.write_text(SCENE)

    def firn(self, *arguments, environment=None, through=()):
        """`through`: a command that runs the program."""
        return subprocess.run([*through, *command_line(arguments)], cwd=self.folder, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT, env={**os.environ, **(environment or {})})

    def succeed(self, *arguments, **keywords):
        result = self.firn(*arguments, **keywords)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def fail_with(self, code, *arguments, **keywords):
        """The program must exit with `code` and say why, in lines that all begin with `error: `."""
        result = self.firn(*arguments, **keywords)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        lines = [line for line in result.stderr.splitlines() if not line.startswith("warning: ")]
        self.assertTrue(lines)
        for line in lines:
            self.assertTrue(line.startswith("error: "), line)
        return result.stderr

    def start(self, *arguments, **keywords):
        """A run that goes on beside the test."""
        process = subprocess.Popen(command_line(arguments), cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, **keywords)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def files(self, *patterns):
        """Contents by path below the scratch folder."""
        return {str(path.relative_to(self.folder)): path.read_bytes()
                for pattern in patterns for path in sorted(self.folder.glob(pattern)) if path.is_file()}
