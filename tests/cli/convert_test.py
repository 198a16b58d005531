"""What `firn convert` makes of a run afterwards, and what it and exports refuse."""

import io
import unittest

import numpy
from exports_test import CHANNELS, FORMATS, TRACED, VDB_CONTENTS, VOLUMES, ExportsTest, settings


class Convert(ExportsTest):
    def same_as_written(self, folder, pattern):
        """Files of the folder are those that the run itself writes, byte by byte."""
        written = {name.split("/", 1)[1]: data for name, data in self.files(f"direct/{pattern}").items()}
        made = {name.split("/", 1)[1]: data for name, data in self.files(f"{folder}/{pattern}").items()}
        self.assertTrue(written)
        self.assertEqual(written, made)

    def test_makes_what_the_run_would_have_written(self):
        self.succeed("run", self.scene, "-o", "direct", *settings(["npz", "ply", *FORMATS], CHANNELS, VOLUMES))
        for source in ("npz", "ply"):
            with self.subTest(source=source):
                self.succeed("run", self.scene, "-o", source, *settings([source], CHANNELS))
                wanted = [*FORMATS, *(["volumes"] if VDB_CONTENTS else [])]
                said = self.succeed("convert", source, "--to", ",".join(wanted)).stdout
                self.assertIn("7 frames", said)
                for pattern in [f"particles/*.{extension}" for extension in FORMATS] + ["*.pvd", "volumes/*"][:len(wanted) - 1]:
                    self.same_as_written(source, pattern)
        self.succeed("convert", "ply", "--to", "npz", "-o", "elsewhere")
        self.same_as_written("elsewhere", "particles/*.npz")

    def test_frames_of_another_run_are_not_mixed_in(self):
        self.succeed("run", self.scene, "-o", "one", *settings(["npz"], CHANNELS))
        self.succeed("run", self.scene, "-o", "two", *settings(["npz"], CHANNELS), "--frames", "2", "--set",
                     "simulation.gravity=[0, -1]")
        self.succeed("convert", "one", "--to", "vtp", "-o", "vtk")
        self.succeed("convert", "one", "--to", "vtp", "-o", "vtk", "--frames", "1")
        error = self.fail_with(3, "convert", "two", "--to", "vtp", "-o", "vtk")
        self.assertIn("made of another run", error)
        self.succeed("convert", "two", "--to", "vtp", "-o", "vtk", "--overwrite")
        self.assertEqual((self.folder / "vtk/particles.pvd").read_text().count("<DataSet"), 3)
        self.assertIn("made of another run", self.fail_with(3, "render", "one", "-o", "vtk"))
        # Nor into the folder of another run, which nothing replaces.
        before = {path: path.read_bytes() for path in sorted((self.folder / "one").rglob("*")) if path.is_file()}
        for command in (("convert", "two", "--to", "npz"), ("render", "two")):
            for more in ((), ("--overwrite",)):
                with self.subTest(command=command, more=more):
                    self.assertIn("another run is in this folder", self.fail_with(3, *command, "-o", "one", *more))
        self.assertEqual(before, {path: path.read_bytes() for path in before})
        # The same run, gone on with, is no other one.
        self.succeed("resume", "two", "--frames", "4")
        self.succeed("convert", "two", "--to", "vtp", "-o", "vtk")
        self.assertEqual((self.folder / "vtk/particles.pvd").read_text().count("<DataSet"), 5)

    def test_a_run_that_goes_back_lists_no_frame_that_is_gone(self):
        self.succeed("run", self.scene, "-o", "one", *settings(["npz"], CHANNELS), "--set", "output.keep_checkpoints=9")
        self.succeed("convert", "one", "--to", "vtp")
        self.succeed("resume", "one", "--from", "2", "--frames", "4")
        listed = (self.folder / "one/particles.pvd").read_text()
        self.assertEqual(listed.count("<DataSet"), 3)
        self.assertEqual(len(list((self.folder / "one/particles").glob("*.vtp"))), 3)

    @unittest.skipUnless(VDB_CONTENTS, "of builds with OpenVDB")
    def test_volumes_of_files_without_mass(self):
        """Which follows from who the particles are: a block, and what a source has emitted since."""
        self.scene.write_text(self.scene.read_text().replace("source =", "reference =") + """
            [[source]]
            material = "jelly"
            shape = { type = "box", min = [1.0, 0.2], max = [1.4, 0.4] }
            velocity = [0.0, 4.0]
            """)
        self.succeed("run", self.scene, "-o", "direct", *settings(["npz", "vtp"], ["velocity"], VOLUMES))
        self.succeed("run", self.scene, "-o", "npz", *settings(["npz"], ["velocity"]))
        self.succeed("convert", "npz", "--to", "volumes,vtp")
        for pattern in ("volumes/*", "particles/*.vtp"):
            self.same_as_written("npz", pattern)

    def test_what_is_missing_of_the_own_formats_is_made_anew(self):
        volumes = ["volumes"] if VDB_CONTENTS else []
        self.succeed("run", self.scene, *settings(["npz", "ply", "vtp"], CHANNELS, VOLUMES if VDB_CONTENTS else "[]"))
        before = self.files("out/**/*.*")
        lost = [f"particles/particles_00000{number}" for number in ("2.npz", "3.ply", "4.vtp")]
        lost += ["volumes/volume_000004.vdb"] if VDB_CONTENTS else []
        for name in lost:
            (self.out / name).unlink()
        self.succeed("convert", "out/square", "--to", ",".join(["vtp", *volumes]), "--frames", 4)
        said = self.succeed("convert", "out/square", "--to", "npz,ply").stdout
        self.assertIn("2 frames", said)
        self.assertEqual(self.files("out/**/*.*"), before)

    def test_from_checkpoints(self):
        self.succeed("run", self.scene, "-o", "direct", *settings(["npz", "vtp"], ["velocity", "stress", "id"]))
        self.succeed("run", self.scene, "-o", "few", *settings([], ["velocity", "stress", "id"]))
        self.succeed("convert", "few", "--to", "npz,vtp")
        listed = [file for _, file in self.series(out=self.folder / "few")]
        self.assertEqual(listed, [f"particles/particles_{frame:06}.vtp" for frame in (4, 6)])
        for frame in (4, 6):
            for extension in ("npz", "vtp"):
                self.same_as_written("few", f"particles/particles_{frame:06}.{extension}")

    def test_frames(self):
        self.succeed("run", self.scene, *settings(["npz"]))
        for given, frames in [("3", [3]), ("1:2", [1, 2]), ("5:", [5, 6]), (":1", [0, 1])]:
            with self.subTest(frames=given):
                self.succeed("convert", "out/square", "--to", "bgeo", "--frames", given, "-o", f"to{given}")
                self.assertEqual(sorted(self.files(f"to{given}/particles/*")),
                                 [f"to{given}/particles/particles_{frame:06}.bgeo" for frame in frames])
        # The collection grows by what comes later.
        self.succeed("convert", "out/square", "--to", "vtp", "--frames", "4:5")
        self.succeed("convert", "out/square", "--to", "vtp", "--frames", "1")
        self.assertEqual([round(48 * time) for time, _ in self.series()], [1, 4, 5])

    def test_lost_tracers_are_restored_or_named(self):
        """By files in another format, or by a checkpoint; there is one of the last frame, 2."""
        self.scene.write_text(TRACED)
        self.succeed("run", self.scene, *settings(["npz", "ply"], ["velocity", "id"]))
        before = self.files("out/square/particles/*")
        lost = {frame: self.out / f"particles/tracers_{frame:06}.npz" for frame in range(3)}
        for file in (lost[1], lost[2]):
            file.unlink()
        self.assertIn("2 frames", self.succeed("convert", "out/square", "--to", "npz").stdout)
        self.assertEqual(self.files("out/square/particles/*").keys(), before.keys())
        for frame in (1, 2):
            written = numpy.load(io.BytesIO(before[f"out/square/particles/tracers_{frame:06}.npz"]))
            numpy.testing.assert_array_equal(self.npz(frame, "tracers")["position"], written["position"])
        for file in self.out.glob("particles/tracers_*.ply"):
            file.unlink()
        lost[2].unlink()
        self.assertIn("1 frames", self.succeed("convert", "out/square", "--to", "npz").stdout)
        self.assertEqual(lost[2].read_bytes(), before["out/square/particles/tracers_000002.npz"])
        lost[1].unlink()
        result = self.succeed("convert", "out/square", "--to", "npz")
        self.assertIn("frame 1: its tracers are lost", result.stderr)
        self.assertIn("0 frames", result.stdout)
        self.assertEqual(result.stderr.count("tracers"), 1)

    def test_a_checkpoint_between_two_frames_is_no_frame(self):
        self.succeed("run", self.scene, "--max-time", 1, "--set", "time.dt_max=1e-8", *settings([]))
        result = self.succeed("convert", "out/square", "--to", "vtp")
        self.assertIn("on the way to the next frame", result.stderr)
        self.assertIn("firn resume", self.fail_with(3, "convert", "out/square", "--to", "vtp", "--frames", 0))
        self.assertEqual(self.files("out/square/particles/*"), {})


class Refused(ExportsTest):
    def test_formats(self):
        self.assertIn("did you mean 'vtp'?", self.fail_with(2, "convert", "out/square", "--to", "vtpp"))
        self.assertIn("not one of ply, npz, vtp, vdb, bgeo, volumes", self.fail_with(2, "convert", "out/square", "--to", "xyz"))
        self.assertIn("--to", self.fail_with(2, "convert", "out/square"))
        for name in ("usd", "usdc"):
            self.assertIn("python -m firn.usd", self.fail_with(2, "convert", "out/square", "--to", f"vtp,{name}"))
        self.assertIn("'vtk'", self.fail_with(2, "convert", "out/square", "--to", "vtp,vtk"))
        self.assertIn("did you mean 'vtp'?", self.fail_with(2, "run", self.scene, "--set", 'output.particles=["vtpp"]'))
        self.assertIn("'volumes'", self.fail_with(2, "run", self.scene, "--set", 'output.volumes="vdb"'))

    def test_frames(self):
        for given in ("x", "3:1", "-1", "1:x", "1.5"):
            self.assertIn("--frames", self.fail_with(2, "convert", "out/square", "--to", "vtp", f"--frames={given}"))
        self.succeed("run", self.scene, *settings(["npz"]))
        error = self.fail_with(3, "convert", "out/square", "--to", "vtp", "--frames", "12")
        self.assertIn("for frame 12; kept: 0 to 6", error)
        (self.out / "particles/particles_000003.npz").unlink()
        error = self.fail_with(3, "convert", "out/square", "--to", "vtp", "--frames", "2:5")
        self.assertIn("for frame 3; kept: 0 to 2, 4 to 6", error)

    def test_folders_without_what_is_needed(self):
        (self.folder / "empty").mkdir()
        self.assertIn("no scene.toml", self.fail_with(3, "convert", "empty", "--to", "vtp"))
        self.assertIn("nowhere: there is no such folder", self.fail_with(3, "convert", "nowhere", "--to", "vtp"))
        self.succeed("run", self.scene, *settings([]))
        for checkpoint in (self.out / "checkpoints").iterdir():
            checkpoint.unlink()
        self.assertIn('output.particles=["npz"]', self.fail_with(3, "convert", "out/square", "--to", "vtp"))

    def test_what_the_run_writes_itself_is_not_replaced(self):
        self.succeed("run", self.scene, *settings(["npz"]))
        before = self.files("out/**/*")
        for more in ((), ("--frames", 4)):
            error = self.fail_with(2, "convert", "out/square", "--to", "vtp,npz", *more)
            self.assertIn("-o", error)
            self.assertIn("remove a damaged one to have it made anew", error)
        self.assertIn("once they are removed", self.fail_with(2, "convert", "out/square", "--to", "npz", "--overwrite"))
        self.assertEqual(self.files("out/**/*"), before)

    def test_a_damaged_file_is_named(self):
        self.succeed("run", self.scene, *settings(["npz"], ["velocity"]))
        file = self.out / "particles/particles_000002.npz"
        file.write_bytes(file.read_bytes()[:-4000])
        self.assertIn("particles_000002.npz", self.fail_with(3, "convert", "out/square", "--to", "vtp"))
        self.assertEqual([round(48 * time) for time, _ in self.series()], [0, 1])  # what was whole before

    @unittest.skipUnless(VDB_CONTENTS, "of builds with OpenVDB")
    def test_volumes_of_files_without_velocities(self):
        self.succeed("run", self.scene, *settings(["npz"], ["mass"]))
        error = self.fail_with(3, "convert", "out/square", "--to", "volumes", "--frames", "3")
        self.assertIn("volumes need the channel velocity", error)
        self.assertIn("position, mass", error)

    @unittest.skipUnless(VDB_CONTENTS, "of builds with OpenVDB")
    def test_volumes_of_particles_of_which_some_have_left(self):
        # Which of them these are is not known without their masses.
        self.scene.write_text(self.scene.read_text() + """
            [[sink]]
            shape = { type = "box", min = [0, 0.05], max = [2, 0.3] }
            """)
        self.succeed("run", self.scene, *settings(["npz"], ["velocity"]))
        error = self.fail_with(3, "convert", "out/square", "--to", "volumes", "--frames", "3")
        self.assertIn("volumes need the channel mass", error)

    @unittest.skipIf(VDB_CONTENTS, "of builds without OpenVDB")
    def test_builds_without_openvdb(self):
        for chosen in (settings(["vdb"]), settings([], [], '["vdb"]')):
            self.assertIn("FIRN_WITH_OPENVDB=ON", self.fail_with(2, "run", self.scene, *chosen))
        self.assertEqual(self.files("out/**/particles_*"), {})

    def test_a_full_disk_leaves_no_half_file(self):
        for extension in FORMATS:
            with self.subTest(format=extension):
                limited = ("bash", "-c", 'ulimit -f 64; exec "$@"', "bash")  # blocks of 1 KiB
                error = self.fail_with(3, "run", self.scene, "-o", extension, "--set", "grid.dx=0.004",
                                       *settings([extension], ["velocity", "stress"]), through=limited)
                self.assertIn("File too large", error)
                self.assertEqual(self.files(f"{extension}/particles/*", f"{extension}/particles/.*"), {})


if __name__ == "__main__":
    unittest.main()
