"""Files for other programs, opened as those do: VTP by VTK, VDB by OpenVDB, BGEO by the letter of its format; each against
the NPZ file of the same frame.

FIRN_VDB_CONTENTS prints a VDB file as JSON; without it the build has no OpenVDB.
"""

import json
import os
import struct
import subprocess
import time
import unittest
import xml.etree.ElementTree

import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

from support import CliTest

VDB_CONTENTS = os.environ.get("FIRN_VDB_CONTENTS", "")
FORMATS = ["vtp", "bgeo"] + (["vdb"] if VDB_CONTENTS else [])
VOLUMES = '["vdb"]' if VDB_CONTENTS else "[]"
CHANNELS = ["velocity", "material", "stress", "deformation_gradient", "vorticity", "pressure", "mass", "id"]
IN_SPACE = """
[simulation]
frames = 2
fps = 48
[grid]
dx = 0.1
[material.jelly]
model = "fixed_corotated"
density = 1000.0
youngs_modulus = 1.0e5
poisson_ratio = 0.3
[[body]]
material = "jelly"
shape = { type = "box", min = [0.3, 0.3, 0.3], max = [0.7, 0.7, 0.7] }
velocity = [0.5, -1.0, 0.25]
[[collider]]
shape = { type = "half_space", point = [0.0, 0.2, 0.0], normal = [0.0, 1.0, 0.0] }
boundary = "separate"
[output]
image = false
"""


def words(names):
    return json.dumps(names)


def settings(particles, channels=(), volumes="[]"):
    return ("--set", f"output.particles={words(particles)}", "--set", f"output.channels={words(list(channels))}",
            "--set", f"output.volumes={volumes}", "--set", "output.image=false")


def in_space(values):
    """With three components, or three times three, also in 2D; zeros where the plane has none."""
    if values.ndim < 2 or values.shape[1] == 3:
        return values
    return numpy.pad(values, [(0, 0)] + [(0, 1)] * (values.ndim - 1))


def read_bgeo(path):
    """Points and detail attributes of a file in Houdini's classic format, version 5."""
    data, at = path.read_bytes(), 0

    def take(form):
        nonlocal at
        values = struct.unpack_from(">" + form, data, at)
        at += struct.calcsize(">" + form)
        return values if len(values) > 1 else values[0]

    def definitions(count):
        found = []
        for _ in range(count):
            name = take(f"{take('H')}s").decode()
            size, kind = take("Hi")
            assert kind in (0, 1, 5), kind  # float, integer, vector
            take(f"{size}i")
            found.append((name, size, kind))
        return found

    assert take("5s") == b"BgeoV" and take("i") == 5
    points, primitives, point_groups, primitive_groups, attributes, of_vertices, of_primitives, details = take("8i")
    assert (primitives, point_groups, primitive_groups, of_vertices, of_primitives) == (0, 0, 0, 0, 0)
    of_points = definitions(attributes)
    stride = 4 + sum(size for _, size, _ in of_points)
    rows = numpy.frombuffer(data, ">u4", points * stride, at).reshape(points, stride)
    at += rows.nbytes
    read, column = {"P": rows[:, :3].copy().view(">f4"), "w": rows[:, 3:4].copy().view(">f4")}, 4
    for name, size, kind in of_points:
        read[name] = rows[:, column:column + size].copy().view(">i4" if kind == 1 else ">f4")
        read[name + " kind"] = kind
        column += size
    of_frame = definitions(details)
    read["details"] = {name: take("i" if kind == 1 else "f") for name, _, kind in of_frame}
    assert data[at:] == b"\x00\xff"
    return read


def read_vdb(path):
    result = subprocess.run([VDB_CONTENTS, path], capture_output=True, text=True, check=True)
    return {grid["name"]: grid for grid in json.loads(result.stdout)}


# A block of water with tracers.
TRACED = """
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
material = "water"
shape = { type = "box", min = [0, 0], max = [0.5, 0.5] }
[tracers]
per_cell = 9
"""


class ExportsTest(CliTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out/square"

    def npz(self, frame, stem="particles", out=None):
        with numpy.load((out or self.out) / f"particles/{stem}_{frame:06}.npz") as arrays:
            return {name: arrays[name] for name in arrays}

    def check_vtp(self, path, npz, seconds):
        reader = vtkXMLPolyDataReader()
        reader.SetFileName(str(path))
        self.assertTrue(reader.CanReadFile(str(path)))
        reader.Update()
        self.assertEqual(reader.GetErrorCode(), 0)
        data = reader.GetOutput()
        points = len(npz["position"])
        numpy.testing.assert_array_equal(vtk_to_numpy(data.GetPoints().GetData()), in_space(npz["position"]))
        self.assertEqual(data.GetNumberOfVerts(), points)
        self.assertEqual(data.GetNumberOfCells(), points)
        for i in {0, points - 1}:
            self.assertEqual(data.GetCell(i).GetPointId(0), i)
        self.assertEqual(vtk_to_numpy(data.GetFieldData().GetArray("TimeValue")).tolist(), [seconds])
        channels = data.GetPointData()
        names = {channels.GetArrayName(i) for i in range(channels.GetNumberOfArrays())}
        self.assertEqual(names, set(npz) - {"position"})
        for name in names:
            values = vtk_to_numpy(channels.GetArray(name))
            self.assertEqual(values.dtype, npz[name].dtype, name)
            numpy.testing.assert_array_equal(values, in_space(npz[name]).reshape(values.shape), name)
        return channels

    def check_bgeo(self, path, npz, frame, seconds):
        read = read_bgeo(path)
        numpy.testing.assert_array_equal(read["P"], in_space(npz["position"]))
        numpy.testing.assert_array_equal(read["w"], numpy.ones_like(read["w"]))
        self.assertEqual(read["details"]["frame"], frame)
        self.assertAlmostEqual(read["details"]["time"], seconds, delta=1e-7 * seconds)
        for name, values in npz.items():
            if name == "position":
                continue
            got = read["v" if name == "velocity" else name]
            numpy.testing.assert_array_equal(got, in_space(values).reshape(got.shape), name)
        if "velocity" in npz:
            self.assertEqual(read["v kind"], 5)

    def check_points(self, path, npz, frame, seconds, dx):
        grid = read_vdb(path)["points"]
        self.assertEqual(float(grid["meta"]["time"]), float(f"{seconds:g}"))
        self.assertEqual((grid["meta"]["frame"], grid["meta"]["up_axis"], grid["meta"]["units"]), (str(frame), "y", "m, kg, s, K"))
        self.assertEqual(grid["voxel"], dx)
        points = grid["points"]
        order = numpy.argsort(points["id"])  # voxel by voxel in the file
        numpy.testing.assert_array_equal(numpy.array(points["P"])[order].astype("f4"), in_space(npz["position"]))
        self.assertEqual(set(points), {"P"} | {"v" if name == "velocity" else name for name in npz} - {"position"})
        for name, values in npz.items():
            if name != "position":
                got = numpy.array(points["v" if name == "velocity" else name])[order]
                numpy.testing.assert_array_equal(got.astype(values.dtype), in_space(values), name)

    def check_volumes(self, path, npz, dx, dimension):
        grids = read_vdb(path)
        self.assertEqual(grids["density"]["class"], "fog volume")
        self.assertEqual(grids["velocity"]["vector"], "contravariant relative")
        mass = numpy.array([voxel["value"] for voxel in grids["density"]["voxels"]]) * dx**dimension
        velocity = numpy.array([voxel["value"] for voxel in grids["velocity"]["voxels"]])
        total = npz["mass"].astype(float).sum()
        self.assertAlmostEqual(mass.sum() / total, 1, delta=1e-6)
        momentum = in_space(npz["velocity"].astype(float) * npz["mass"][:, None])
        numpy.testing.assert_allclose((mass[:, None] * velocity).sum(0), momentum.sum(0), atol=1e-6 * abs(momentum).sum())
        if dimension == 2:
            self.assertEqual({voxel["at"][2] for voxel in grids["density"]["voxels"]}, {0})

    def series(self, name="particles.pvd", out=None):
        """Times and files of a collection; every file must be there."""
        root = xml.etree.ElementTree.parse((out or self.out) / name).getroot()
        self.assertEqual((root.tag, root.get("type")), ("VTKFile", "Collection"))
        listed = [(float(entry.get("timestep")), entry.get("file")) for entry in root.iter("DataSet")]
        for _, file in listed:
            self.assertTrue(((out or self.out) / file).exists(), file)
        return listed


class Formats(ExportsTest):
    def check_run(self, dimension, frames, dx):
        self.succeed("run", self.scene, *settings(["npz", *FORMATS], CHANNELS, VOLUMES))
        self.assertEqual(self.series(), [(frame / 48, f"particles/particles_{frame:06}.vtp") for frame in range(frames + 1)])
        for frame in range(frames + 1):
            npz, stem = self.npz(frame), f"particles/particles_{frame:06}"
            active = self.check_vtp(self.out / f"{stem}.vtp", npz, frame / 48)
            self.assertEqual(active.GetScalars().GetName(), "material")
            self.assertEqual(active.GetVectors().GetName(), "velocity")
            self.check_bgeo(self.out / f"{stem}.bgeo", npz, frame, frame / 48)
            if VDB_CONTENTS:
                self.check_points(self.out / f"{stem}.vdb", npz, frame, frame / 48, dx)
                self.check_volumes(self.out / f"volumes/volume_{frame:06}.vdb", npz, dx, dimension)

    def test_in_the_plane(self):
        self.check_run(2, 6, 0.05)

    def test_in_space(self):
        self.scene.write_text(IN_SPACE)
        self.check_run(3, 2, 0.1)

    def test_many_blocks_of_a_file(self):
        self.succeed("run", self.scene, "--frames", 1, "--set", "grid.dx=0.002", "--set", "time.dt_max=1e-2",
                     *settings(["npz", "vtp"], ["velocity", "stress", "material", "id"]))
        self.assertGreater(self.npz(0)["stress"].nbytes, 2**19)
        self.check_vtp(self.out / "particles/particles_000001.vtp", self.npz(1), 1 / 48)

    def test_a_frame_without_particles(self):
        self.scene.write_text(self.scene.read_text() + """
            [[sink]]
            shape = { type = "box", min = [0, 0], max = [2, 2] }
            """)
        self.succeed("run", self.scene, "--frames", 1, *settings(["npz", *FORMATS], CHANNELS, VOLUMES))
        npz, stem = self.npz(1), self.out / "particles/particles_000001"
        self.assertEqual(npz["position"].shape, (0, 2))
        reader = vtkXMLPolyDataReader()
        reader.SetFileName(f"{stem}.vtp")
        reader.Update()
        self.assertEqual((reader.GetErrorCode(), reader.GetOutput().GetNumberOfCells()), (0, 0))
        self.check_bgeo(stem.with_suffix(".bgeo"), npz, 1, 1 / 48)
        if VDB_CONTENTS:
            self.assertEqual(read_vdb(stem.with_suffix(".vdb"))["points"]["points"], {})
            self.assertEqual(read_vdb(self.out / "volumes/volume_000001.vdb")["density"]["voxels"], [])

    def test_tracers_have_a_collection_of_their_own(self):
        self.scene.write_text(TRACED)
        self.succeed("run", self.scene, *settings(["npz", *FORMATS]))
        self.assertEqual([time for time, _ in self.series("tracers.pvd")], [0, 1 / 48, 2 / 48])
        for frame in range(3):
            self.check_vtp(self.out / f"particles/tracers_{frame:06}.vtp", self.npz(frame, "tracers"), frame / 48)
            self.check_bgeo(self.out / f"particles/tracers_{frame:06}.bgeo", self.npz(frame, "tracers"), frame, frame / 48)
        self.succeed("convert", "out/square", "--to", "vtp", "-o", "after")
        self.assertEqual((self.folder / "after/tracers.pvd").read_bytes(), (self.out / "tracers.pvd").read_bytes())
        self.succeed("run", self.scene, "--overwrite", *settings([]))
        self.assertEqual(self.files("out/square/particles/*", "out/square/*.pvd", "out/square/volumes/*"), {})

    def test_a_run_that_is_killed_and_goes_on(self):
        process = self.start("run", self.scene, "--frames", 400, "--set", "output.checkpoint_every=1", *settings(["vtp"]))
        while not (self.out / "checkpoints/checkpoint_000003.firn").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.002)
        process.kill()
        process.wait()
        last = len(self.series()) - 1
        self.assertGreaterEqual(last, 3)
        resumed = self.succeed("resume", "out/square", "--frames", last + 2)
        self.assertIn("resumed after frame", resumed.stdout)
        frames = [f"particles/particles_{frame:06}.vtp" for frame in range(last + 3)]
        self.assertEqual([file for _, file in self.series()], frames)
        # What was given up is not listed, though its files are still there.
        self.succeed("resume", "out/square", "--from", last + 1, "--frames", last + 1)
        self.assertEqual([file for _, file in self.series()], frames[:-1])

    @unittest.skipUnless(VDB_CONTENTS, "of builds with OpenVDB")
    def test_volumes_alone(self):
        self.succeed("run", self.scene, "--frames", 1, *settings([], [], VOLUMES))
        self.assertEqual(sorted(self.files("out/square/volumes/*")),
                         [f"out/square/volumes/volume_{frame:06}.vdb" for frame in range(2)])
        self.assertEqual(self.files("out/square/particles/*"), {})

    def test_the_disk_that_exports_take_is_told(self):
        def told(*more):
            info = json.loads(self.succeed("info", self.scene, "--json", *more).stdout)
            return info["disk_bytes"]["particles_per_frame"] / info["particles"]

        for extension in FORMATS:
            with self.subTest(format=extension):
                chosen = settings([extension], ["velocity", "id"])
                self.succeed("run", self.scene, "--frames", 1, "--overwrite", "--set", "grid.dx=0.004", *chosen)
                file = self.out / f"particles/particles_000001.{extension}"
                expected = told("--set", "grid.dx=0.004", *chosen)
                part = file.stat().st_size / self.particles() / expected
                self.assertLess(part, 1.2)
                self.assertGreater(part, 0.3)  # of a body that has hardly begun to deform

    def test_the_disk_that_a_run_takes_is_told(self):
        """Particle files to within their headers, what is told of every frame, plots; pictures and video roughly."""
        chosen = [*settings(["npz"], ["velocity", "id"]), "--frames", 24, "--set", "grid.dx=0.01", "--set",
                  "output.checkpoint_every=0"]
        told = json.loads(self.succeed("info", self.scene, "--json", *chosen).stdout)["disk_bytes"]
        self.succeed("run", self.scene, *chosen)
        sizes = {path: path.stat().st_size for path in self.out.rglob("*") if path.is_file()}
        records = sum(size for path, size in sizes.items()
                      if path.suffix in (".csv", ".jsonl") or path.name == "ledger.png")
        self.assertLess(abs(told["records"] / records - 1), 0.5)
        self.assertLess(abs(told["total"] / sum(sizes.values()) - 1), 0.08)
        self.assertEqual(told["video"], 0)  # of pictures, which are off

    def particles(self):
        return json.loads((self.out / "stats.jsonl").read_text().splitlines()[-1])["particles"]


if __name__ == "__main__":
    unittest.main()
