"""What a run leaves in its folder, and what it leaves alone."""

import itertools
import json
import os
import shutil
import struct
import time
import unittest

from support import DEVICE, CliTest

PNG_MAGIC = b"\x89PNG\r\n\x1a\n"


class Files(CliTest):
    def test_a_run_writes_every_file(self):
        result = self.succeed("run", self.scene, "--set", "output.video=true")
        out = self.folder / "out" / "square"
        for frame in range(7):  # the initial state is frame 0
            self.assertTrue((out / f"frames/frame_{frame:06}.png").read_bytes().startswith(PNG_MAGIC))
            self.assertTrue((out / f"particles/particles_{frame:06}.ply").read_bytes().startswith(b"ply\n"))
            self.assertTrue((out / f"particles/particles_{frame:06}.npz").read_bytes().startswith(b"PK"))
        self.assertEqual(len((out / "ledger.csv").read_text().splitlines()), 1 + 7)
        stats = [json.loads(line) for line in (out / "stats.jsonl").read_text().splitlines()]
        self.assertEqual([row["frame"] for row in stats], list(range(7)))
        self.assertTrue((out / "checkpoints/checkpoint_000006.firn").exists())
        self.assertIn(f"device: {DEVICE}", result.stdout)
        self.assertIn(str(out.relative_to(self.folder)), result.stdout)
        self.assertEqual(result.stderr, "")
        self.assertTrue((out / "ledger.png").read_bytes().startswith(PNG_MAGIC))
        self.assertEqual((out / "video.mp4").read_bytes()[4:8], b"ftyp")

    def test_the_summary_has_the_names_behind_indices(self):
        self.scene.write_text(self.scene.read_text().replace("source =", "reference =") + """
[material.snow]
preset = "snow_dry"
[[body]]
name = "flake"
material = "snow"
shape = { type = "sphere", center = [0.2, 2.0], radius = 0.1 }
instances = { type = "array", count = [2, 1], step = [0.5, 0.5] }
[[source]]
name = "cannon"
material = "snow"
shape = { type = "sphere", center = [0.2, 3.0], radius = 0.1 }
velocity = [0.0, -1.0]
""")
        self.succeed("run", self.scene, "--frames", 2, "--set", "output.channels=[\"body\",\"material\"]")
        summary = json.loads((self.folder / "out/square/summary.json").read_text())
        self.assertEqual((summary["fps"], summary["frames"]), (48, 2))
        self.assertEqual(summary["materials"][1], "snow")
        self.assertEqual(len(summary["bodies"]), 3)
        self.assertEqual(len(set(summary["bodies"])), 3)
        self.assertEqual(summary["sources"], ["cannon"])
        self.assertEqual(len(summary["colliders"]), 1)

    def test_poses_of_rigid_bodies(self):
        """From the numbers of stats.jsonl, as docs/exports.md tells: a box that tumbles comes to rest on the floor."""
        (self.folder / "tumble.toml").write_text("""
            [simulation]
            frames = 24
            fps = 24
            [grid]
            dx = 0.05
            [material.jelly]
            preset = "jello"
            [[body]]
            material = "jelly"
            shape = { type = "box", min = [2, 0, 0], max = [2.1, 0.1, 0.1] }
            [[collider]]
            shape = { type = "half_space", point = [0, 0, 0], normal = [0, 1, 0] }
            [[collider]]
            name = "rock"
            shape = { type = "box", min = [0.4, 0.2, 0.0], max = [0.55, 0.35, 0.15] }
            density = 2000
            angular_velocity = [3, 1, 5]
            [output]
            image = false
            """)
        self.succeed("run", "tumble.toml", "-o", "run", "--quiet")
        lines = [json.loads(line)["bodies"][0] for line in (self.folder / "run/stats.jsonl").read_text().splitlines()]
        start, end = lines[0]["center_of_mass"], lines[-1]
        lowest = [sum(end["rotation"][3 + a] * (corner[a] - start[a]) for a in range(3)) + end["center_of_mass"][1]
                  for corner in itertools.product([0.4, 0.55], [0.2, 0.35], [0.0, 0.15])]
        self.assertAlmostEqual(min(lowest), 0, delta=0.005)
        self.assertGreater(max(abs(end["rotation"][3 * i + i] - 1) for i in range(3)), 0.1)
        # Row by row: after a frame the rotation is the one that the angular velocity tells, to first order.
        turned = lines[1]["rotation"]
        for row, column, rate in ((2, 1, 3), (0, 2, 1), (1, 0, 5)):
            self.assertAlmostEqual((turned[3 * row + column] - turned[3 * column + row]) / 2 * 24, rate, delta=0.3)

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_forces_on_colliders_are_plotted(self):
        """A panel of 320 pixels for energies, momenta, the time step, and forces where there are any."""
        def panels(folder):
            return struct.unpack(">I", (self.folder / folder / "ledger.png").read_bytes()[20:24])[0] / 320
        self.succeed("run", self.scene, "-o", "falls", "--frames", 12)
        self.assertEqual(panels("falls"), 5)
        self.scene.write_text(self.scene.read_text().replace("point = [0.0, 0.1]", "point = [0.0, -5.0]"))
        self.succeed("run", self.scene, "-o", "flies")
        self.assertEqual(panels("flies"), 4)

    def test_summary(self):
        printed = json.loads(self.succeed("run", self.scene, "-o", "there", "--json").stdout)
        written = json.loads((self.folder / "there/summary.json").read_text())
        self.assertEqual(printed.pop("directory"), "there")
        self.assertEqual(printed, written)
        self.assertTrue(written["completed"])
        self.assertEqual(written["frames"], 6)
        self.assertEqual(written["scene"], "square")
        self.assertAlmostEqual(written["time"], 6 / 48, places=12)
        self.assertGreater(written["particle_steps_per_second"], 0)

    def wall(self, *arguments):
        """The output of the program, and how long it took, s."""
        start = time.monotonic()
        output = self.succeed(*arguments).stdout
        return output, time.monotonic() - start

    # On a device in software as many steps take minutes.
    @unittest.skipIf(DEVICE != "cpu", "of the CPU")
    def test_the_times_of_a_run_are_those_of_a_clock(self):
        starts = max(self.wall("--version")[1] for _ in range(3))  # which the program cannot measure
        output, wall = self.wall("run", self.scene, "--frames", 24, "--set", "grid.dx=0.01", "--set", "output.video=true")
        seconds = json.loads((self.folder / "out/square/summary.json").read_text())["seconds"]
        parts = ("start", "steps", "pictures", "files", "plots", "video")
        self.assertEqual(set(seconds), {*parts, "total"})
        self.assertLess(seconds["total"], wall)
        self.assertGreater(seconds["total"] + starts, 0.98 * wall)
        self.assertLess(sum(seconds[part] for part in parts), seconds["total"])
        self.assertGreater(sum(seconds[part] for part in parts), 0.95 * seconds["total"])
        told = [f"{part} {seconds[part]:.1f} s" for part in parts if seconds[part] >= 0.05]
        self.assertEqual(output.splitlines()[-1], ", ".join(told) + f"; {seconds['total']:.1f} s in all")
        self.assertTrue(all(seconds[part] > 0 for part in parts))

    def test_the_times_of_a_run_that_is_stopped(self):
        self.succeed("run", self.scene, "--max-time", 0)
        seconds = json.loads((self.folder / "out/square/summary.json").read_text())["seconds"]
        self.assertGreater(seconds["steps"], 0)
        self.assertEqual(seconds["video"], 0)
        self.assertGreater(seconds["total"], seconds["start"] + seconds["steps"] + seconds["files"])

    def test_the_resolved_scene_runs_alike(self):
        self.succeed("run", self.scene, "-o", "first", "--set", "grid.dx=0.06", "--frames", 2, "--seed", 5)
        self.succeed("run", "first/scene.toml", "-o", "second")
        ply = "particles/particles_000002.ply"
        self.assertEqual((self.folder / "first" / ply).read_bytes(), (self.folder / "second" / ply).read_bytes())

    def test_outputs_can_be_switched_off(self):
        self.succeed("run", self.scene, "--frames", 1, "--set", "output.image=false", "--set", "output.particles=[]",
                     "--set", "output.diagnostics=off")
        names = {name.split("/")[-1] for name in self.files("out/**/*")}
        self.assertEqual(names, {".firn-run", "scene.toml", "stats.jsonl", "summary.json", "checkpoint_000001.firn"})

    def test_tracers_are_written_beside_the_particles(self):
        scene = self.folder / "ink.toml"
        scene.write_text("""
            [simulation]
            dimension = 2
            frames = 2
            fps = 48
            integrator = "incompressible"
            [grid]
            dx = 0.1
            domain = { min = [0, 0], max = [1, 1], boundary = "slip" }
            [material.water]
            preset = "water"
            [[body]]
            name = "pool"
            material = "water"
            shape = { type = "box", min = [0, 0], max = [0.5, 0.5] }
            [tracers]
            per_cell = 9
            [output]
            particles = ["ply", "npz"]
            """)
        info = json.loads(self.succeed("info", scene, "--json").stdout)
        self.assertEqual(info["memory_bytes"]["tracers"], info["tracers"] * 2 * 4)
        self.succeed("run", scene)
        particles = self.folder / "out/ink/particles"
        for frame in range(3):
            header = (particles / f"tracers_{frame:06}.ply").read_bytes().split(b"end_header")[0]
            self.assertIn(b"element vertex %d\n" % info["tracers"], header)
            self.assertIn(b"property ushort body\n", header)
            self.assertTrue((particles / f"tracers_{frame:06}.npz").read_bytes().startswith(b"PK"))
        self.succeed("run", scene, "--frames", 1, "--overwrite", "--set", "output.particles=[]")
        self.assertEqual(self.files("out/ink/particles/*"), {})

    def test_rigid_bodies_alone_are_a_scene(self):
        scene = self.folder / "crate.toml"
        scene.write_text("""
            [simulation]
            dimension = 2
            frames = 3
            [grid]
            dx = 0.1
            domain = { min = [0, 0], max = [1, 1] }
            [[collider]]
            name = "crate"
            boundary = "separate"
            density = 300
            shape = { type = "box", min = [0.4, 0.6], max = [0.6, 0.8] }
            [output]
            particles = ["npz", "ply"]
            """)
        self.assertIn("rigid body crate", self.succeed("info", scene).stdout)
        self.succeed("run", scene)
        last = json.loads((self.folder / "out/crate/stats.jsonl").read_text().splitlines()[-1])
        self.assertEqual((last["frame"], last["particles"]), (3, 0))
        self.assertEqual(len(list((self.folder / "out/crate/frames").iterdir())), 4)
        self.succeed("resume", "out/crate", "--frames", 5)

    def test_quiet_and_verbose(self):
        self.assertEqual(self.succeed("run", self.scene, "-q").stdout, "")
        self.assertIn("kinetic", self.succeed("run", self.scene, "-v", "--overwrite").stdout)

    def test_frames_are_plain_lines_in_a_log(self):
        text = self.succeed("run", self.scene).stdout
        self.assertRegex(text, r"(?m)^frame 6/6 .*ETA 0:00$")
        self.assertNotIn("\r", text)

    def test_threads_do_not_change_results(self):
        for threads in (1, 2):
            self.succeed("run", self.scene, "-o", f"t{threads}", "--threads", threads)
        one, two = (self.files(f"t{threads}/particles/*", f"t{threads}/ledger.csv") for threads in (1, 2))
        self.assertEqual(list(one.values()), list(two.values()))


class Folders(CliTest):
    def test_an_older_run_is_left_untouched(self):
        self.succeed("run", self.scene, "--frames", 2)
        before = self.files("out/**/*")
        self.assertIn("--overwrite", self.fail_with(3, "run", self.scene))
        self.assertEqual(self.files("out/**/*"), before)

    def test_overwrite_replaces_all_of_it(self):
        self.succeed("run", self.scene, "--frames", 3)
        self.succeed("run", self.scene, "--frames", 1, "--overwrite")
        self.assertEqual(len(self.files("out/square/frames/*")), 2)

    def test_a_run_that_cannot_start_destroys_nothing(self):
        self.succeed("run", self.scene, "--frames", 2)
        before = self.files("out/**/*")
        if json.loads(self.succeed("devices", "--json").stdout)["cuda"] == []:
            self.fail_with(4, "run", self.scene, "--overwrite", "--device", "cuda")
        self.fail_with(2, "run", self.scene, "--overwrite", "--set", "grid.dx=nonsense")
        self.assertEqual(self.files("out/**/*"), before)

    def test_unwritable_folder(self):
        locked = self.folder / "locked"
        locked.mkdir(mode=0o555)
        # Root may write everywhere, but for a process that has given that up.
        through = ("setpriv", "--bounding-set", "-dac_override") if os.geteuid() == 0 else ()
        self.assertIn("locked", self.fail_with(3, "run", self.scene, "-o", locked / "run", through=through))

    def test_the_root_and_the_home_directory_are_refused(self):
        home = self.folder / "home"
        home.mkdir()
        self.assertIn("/: this is the root of the file system", self.fail_with(3, "run", self.scene, "-o", "/"))
        for folder in ("home", "home/../home", home):
            error = self.fail_with(3, "run", self.scene, "-o", folder, environment={"HOME": str(home)})
            self.assertIn("this is your home directory", error)
        self.assertEqual(list(home.iterdir()), [])
        self.succeed("run", self.scene, "-o", "home/run", "--frames", 1, environment={"HOME": str(home)})

    def test_output_below_a_file(self):
        self.assertIn("square.toml", self.fail_with(3, "run", self.scene, "-o", self.scene / "run"))

    def test_the_folder_of_the_scene_is_refused(self):
        self.scene.rename(self.folder / "scene.toml")
        self.fail_with(3, "run", "scene.toml", "-o", ".")


class ColoursAnew(CliTest):
    def test_of_what_files_hold_in_another_form(self):
        """Speeds and vorticity are made of velocities, masses and sizes told of by who the particles are."""
        self.succeed("run", self.scene, "-o", "plain")
        self.succeed("run", self.scene, "-o", "full", "--set",
                     'output.channels=["velocity", "material", "body", "mass", "volume", "speed", "vorticity"]')
        pictures = set()
        for color in ("material", "speed", "vorticity"):
            for run in ("plain", "full"):
                self.succeed("render", run, "-o", f"{run}-{color}", "--set", f"output.color={color}")
            name = "frames/frame_000005.png"
            picture = (self.folder / f"plain-{color}" / name).read_bytes()
            self.assertEqual(picture, (self.folder / f"full-{color}" / name).read_bytes())
            pictures.add(picture)
        self.assertEqual(len(pictures), 3)

    def test_colours_of_a_frame_do_not_depend_on_which_are_asked_for(self):
        self.succeed("run", self.scene, "-o", "run", "--quiet", "--set", 'output.channels=["pressure", "velocity"]')
        for color in ("pressure", "speed"):
            for folder, frames in (("all", ":"), ("last", "6")):
                self.succeed("render", "run", "-o", f"{color}-{folder}", "--frames", frames, "--set",
                             f'output.color="{color}"', "--set", "output.video=false")
            pictures = [(self.folder / f"{color}-{folder}/frames/frame_000006.png").read_bytes()
                        for folder in ("all", "last")]
            self.assertEqual(*pictures, color)

    def test_what_reads_a_run_leaves_its_folder_alone(self):
        """A run in an archive that nobody may write to."""
        self.succeed("run", self.scene, "-o", "run", "--quiet")
        run = self.folder / "run"
        (run / ".firn-run").unlink()
        before = {path: path.stat().st_mtime_ns for path in (run, *run.rglob("*"))}
        self.succeed("render", "run", "-o", "pictures", "--frames", "2:3")
        self.succeed("convert", "run", "--to", "npz", "-o", "arrays")
        self.assertEqual({path: path.stat().st_mtime_ns for path in (run, *run.rglob("*"))}, before)
        self.assertEqual(len(list((self.folder / "arrays/particles").glob("*.npz"))), 7)


class Warnings(CliTest):
    def test_of_what_material_moves_and_no_wall_holds(self):
        body = ('[[collider]]\nname = "ram"\ndensity = 400\nvelocity = [20, 0]\ncollides = false\n'
                'shape = { type = "sphere", center = [0.5, 3.0], radius = 0.1 }\n')
        self.scene.write_text(self.scene.read_text() + body)
        self.assertNotIn("has left the domain", self.succeed("run", self.scene).stderr)
        walls = ("--overwrite", "--set", "grid.domain={ min = [-1, -1], max = [1.5, 4] }")
        told = self.succeed("run", self.scene, *walls).stderr
        self.assertEqual(told.count('warning: collider "ram", which material moves, has left the domain in frame 3: '), 1)

    def test_material_that_falls_together(self):
        """Of a stiffness in MPa that is read as Pa nothing is left."""
        for law in ("neo_hookean", "stvk_hencky"):
            result = self.succeed("run", self.scene, "-o", self.folder / law, "--set", f"material.jelly.model={law}", "--set",
                               "material.jelly.youngs_modulus=0.1", "--set", "simulation.frames=12")
            self.assertEqual(result.stderr.count("warning: the material has fallen together to "), 1, result.stderr)

    def test_of_nothing_where_what_comes_is_heavier(self):
        source = ('[material.water]\npreset = "water"\n[[source]]\nname = "tap"\nmaterial = "water"\n'
                  'velocity = [0, -2]\nstart = 0.04\n'
                  'shape = { type = "box", min = [0.8, 0.6], max = [1.2, 0.7] }\n')
        self.scene.write_text(self.scene.read_text().replace('source = "test"', 'reference = "test"') + source)
        told = self.succeed("run", self.scene, "--set", "material.jelly.density=1", "--set",
                            "material.jelly.youngs_modulus=1e4").stderr
        totals = [line.split(",") for line in (self.folder / "out/square/ledger.csv").read_text().splitlines()]
        mass, volume = totals[0].index("mass"), totals[0].index("volume")
        first, last = ([float(row[column]) for column in (mass, volume)] for row in (totals[1], totals[-1]))
        self.assertLess(last[1] / last[0], 0.1 * first[1] / first[0])
        self.assertNotIn("fallen together", told)


class Diverged(CliTest):
    def test_a_step_that_cannot_be_short_enough(self):
        error = self.fail_with(5, "run", self.scene, "--set", "time.dt_min=5e-3", "--set", "time.dt_max=1e-2")
        self.assertIn("the last good frame is 0", error)
        summary = json.loads((self.folder / "out/square/summary.json").read_text())
        self.assertFalse(summary["completed"])
        self.assertIn("last good frame is 0", summary["message"])
        self.assertEqual(list(self.files("out/square/frames/*")), ["out/square/frames/frame_000000.png"])

    def test_energy_from_nowhere_is_told_of_or_ends_the_run(self):
        # Nine modes on a disc that spins freely.
        gains = ("run", self.scene, "--frames", 96, "--set", "output.image=false", "--set", "simulation.gravity=[0, 0]",
                 "--set", "body.0.angular_velocity=6", "--set", "material.jelly.youngs_modulus=1e5",
                 "--set", 'transfer={type="polypic", modes=9}')
        result = self.succeed(*gains)
        self.assertIn("warning: transfer.modes = 9: ", result.stderr)
        self.assertRegex(result.stderr, r"(?m)^warning: energy has grown by [0-9.]+ % until frame [0-9]+: ")
        self.assertEqual(result.stderr.count("energy has grown"), 1)
        summary = json.loads((self.folder / "out/square/summary.json").read_text())
        self.assertGreater(summary["energy_growth"], 0.05)

        error = self.fail_with(5, *gains, "--overwrite", "--set", 'diagnostics.on_energy_growth="stop"')
        self.assertIn("energy has grown by", error)
        stopped = json.loads((self.folder / "out/square/summary.json").read_text())
        self.assertFalse(stopped["completed"])
        self.assertLess(stopped["frames"], 96)


if __name__ == "__main__":
    unittest.main()
