"""The library as others use it. CMakeLists.txt beside this file says in FIRN_BUILD_FACTS what was built, and how."""

import json
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import tempfile
import unittest

FACTS = json.loads(pathlib.Path(os.environ["FIRN_BUILD_FACTS"]).read_text())
HERE = pathlib.Path(__file__).resolve().parent
SOURCE, BUILD, WORK = (pathlib.Path(FACTS[name]) for name in ("source", "build", "work"))
PREFIX = WORK / "moved"  # where the installed files lie for all tests
LIBRARIES = PREFIX / FACTS["library_folder"]
DOCUMENTS = PREFIX / FACTS["document_folder"]

# What this shell is set up for must not help.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if not name.startswith(("CMAKE_", "PKG_CONFIG", "CXXFLAGS", "LDFLAGS", "DESTDIR"))}
ENVIRONMENT["OMP_WAIT_POLICY"] = "passive"

# 16 particles of jelly that fall for three frames.
SCENE = """
[simulation]
dimension = 2
frames = 3
[grid]
dx = 0.1
[time]
%s
[material.jelly]
model = "fixed_corotated"
density = 1000
youngs_modulus = 1e4
poisson_ratio = 0.3
[[body]]
material = "jelly"
sampling = "uniform"
shape = { type = "box", min = [0, 0], max = [0.2, 0.2] }
"""


def on(option):
    return FACTS["options"][option].upper() in ("ON", "1", "TRUE", "YES")


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


class InstallTest(unittest.TestCase):
    def run_command(self, *command, status=0, **more):
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=800,
                                env=more.pop("env", ENVIRONMENT), **more)
        self.assertEqual(result.returncode, status, f"{command}\n{result.stdout}\n{result.stderr}")
        return result

    def configure(self, source, build, *definitions, **more):
        return self.run_command(FACTS["cmake"], "-S", source, "-B", build, "-G", FACTS["generator"],
                                f"-DCMAKE_CXX_COMPILER={FACTS['compiler']}", f"-DCMAKE_CXX_FLAGS={FACTS['flags']}",
                                *definitions, **more)

    def assert_same_host_flags(self, commands):
        """`commands`: pairs of a file and the words of its compilation."""
        deciding = re.compile(r"-(march|mtune|f(no-)?(fp-contract|math-errno|trapping-math|fast-math)|fopenmp|O|std"
                              r"|DFIRN_WITH_(OPENVDB|CUDA))")
        seen = {}
        for file, words in commands:
            flags = frozenset(word for word in words if deciding.match(word))
            seen.setdefault(flags, []).append(file)
        self.assertEqual(len(seen), 1, {tuple(sorted(flags)): files[:3] for flags, files in seen.items()})
        flags = next(iter(seen))
        for word in ("-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-std=c++20"):
            self.assertIn(word, flags)
        if FACTS["march"]:
            self.assertIn(f"-march={FACTS['march']}", flags)
        self.assertEqual(on("FIRN_WITH_OPENVDB"), "-DFIRN_WITH_OPENVDB=1" in flags, flags)


def compilations(build, under):
    """File and words of what is compiled from C++ sources below the folders `under`."""
    entries = json.loads((build / "compile_commands.json").read_text())
    for entry in entries:
        file = pathlib.Path(entry["file"])
        anywhere = file.name == "processor_check.cpp"  # what runs where nothing else may, with nothing inline in it
        if file.suffix == ".cpp" and not anywhere and any(folder in file.parents for folder in under):
            yield str(file), shlex.split(entry["command"])


class Files(InstallTest):
    """Comes first: installs, and moves what was installed to where the other tests find it."""

    @classmethod
    def setUpClass(cls):
        first = WORK / "prefix"
        for folder in (first, PREFIX):
            shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([FACTS["cmake"], "--install", str(BUILD), "--prefix", str(first)], check=True,
                       capture_output=True, env=ENVIRONMENT, umask=0o077)
        first.rename(PREFIX)

    def test_everything_is_there(self):
        headers = {path.name for path in (SOURCE / "include/firn").glob("*.h")}
        self.assertEqual({path.name for path in (PREFIX / "include/firn").iterdir()}, headers)
        for file in ("libfirn.a", "libfirn-render.a", "cmake/firn/firn-config.cmake", "cmake/firn/firn-config-version.cmake",
                     "cmake/firn/firn-targets.cmake", "pkgconfig/firn.pc", "pkgconfig/firn-render.pc"):
            self.assertTrue((LIBRARIES / file).is_file(), file)
        scenes = {path.relative_to(SOURCE) for path in (SOURCE / "scenes").rglob("*") if path.is_file()}
        for scene in scenes:
            self.assertTrue((PREFIX / FACTS["data_folder"] / "firn" / scene).is_file(), scene)
        for document in ("README.md", "LICENSE", "CHANGELOG.md", "docs/library.md", "examples/own_force.cpp"):
            self.assertTrue((DOCUMENTS / document).is_file(), document)

    def test_anyone_may_read_it_whoever_installed_it(self):
        for path in (PREFIX, *PREFIX.rglob("*")):
            self.assertEqual(path.stat().st_mode & 0o777 | (0 if path.is_dir() else 0o111), 0o755, path)

    def test_no_document_has_a_dead_link(self):
        links = 0
        for file in DOCUMENTS.rglob("*.md"):
            for link in re.finditer(r"\]\(([^)\s]+)\)|<img[^>]* src=\"([^\"]+)\"", file.read_text()):
                target = (link[1] or link[2]).partition("#")[0]
                if target and not re.match("[a-z]+:", target):
                    links += 1
                    self.assertTrue((file.parent / target).exists(), f"{file}: {target}")
        self.assertGreater(links, 100)

    @unittest.skipUnless(on("FIRN_BUILD_CLI"), "built without the program")
    def test_what_the_program_tells_of_itself_is_there(self):
        data = PREFIX / FACTS["root_of_data"]
        for file, begins in ((PREFIX / FACTS["man_folder"] / "man1/firn.1", ".TH FIRN 1"),
                             (data / "bash-completion/completions/firn", ""),
                             (data / "zsh/site-functions/_firn", "#compdef firn"),
                             (data / "fish/vendor_completions.d/firn.fish", "")):
            text = file.read_text()
            self.assertTrue(text.startswith(begins), file)
            self.assertIn("convert", text, file)

    def test_components_are_all_there_is(self):
        def files(folder):
            return {path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir()}

        parts = {}
        for component in ("Runtime", "Data", "Development", "Documentation"):
            folder = fresh(WORK / "components" / component)
            self.run_command(FACTS["cmake"], "--install", BUILD, "--prefix", folder, "--component", component)
            parts[component] = files(folder)
        self.assertEqual(set().union(*parts.values()), files(PREFIX))
        self.assertEqual(sum(map(len, parts.values())), len(files(PREFIX)))
        self.assertEqual({path.suffix for path in parts["Development"]}, {".h", ".a", ".cmake", ".pc"})
        shutil.rmtree(WORK / "components")

    def test_no_file_knows_this_machine(self):
        texts = [*(LIBRARIES / "cmake").rglob("*.*"), *(LIBRARIES / "pkgconfig").rglob("*.*")]
        self.assertGreaterEqual(len(texts), 5)
        absolute = re.compile(r"""(?:^|[\s"'`;:=(,]|-[LI])(/(?!/)[\w.+-]+[^\s"';)]*)""", re.MULTILINE)
        for file in texts:
            self.assertEqual(absolute.findall(file.read_text()), [], file)

    @unittest.skipUnless(on("FIRN_BUILD_CLI"), "built without the program")
    def test_the_program_finds_its_scenes(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            program = PREFIX / FACTS["program_folder"] / "firn"
            version = self.run_command(program, "--version", cwd=elsewhere).stdout
            self.assertIn(f"firn {FACTS['version']} ", version)
            self.assertIn("jello-drop", self.run_command(program, "scenes", cwd=elsewhere).stdout)


class Find(InstallTest):
    def find(self, *more, languages="CXX", **run):
        return self.configure(HERE / "find", fresh(WORK / "find"), f"-DCMAKE_PREFIX_PATH={PREFIX}",
                              f"-DVERSION={FACTS['version']}", f"-DLANGUAGES={languages}", f"-DCUDA={on('FIRN_WITH_CUDA'):d}",
                              f"-DRENDERING={on('FIRN_WITH_EMBREE'):d}", *more, **run)

    def test_what_there_is_is_found(self):
        self.find()

    def test_what_there_is_not_is_named(self):
        cases = [("nonsense", "has no component nonsense")]
        cases += [(name, f"without the component {name}")
                  for name, option in (("CUDA", "FIRN_WITH_CUDA"), ("rendering", "FIRN_WITH_EMBREE"))
                  if not on(option)]
        for component, reason in cases:
            with self.subTest(component=component):
                refusal = self.find(f"-DREQUIRED_AS_WELL=COMPONENTS;{component}", status=1).stderr
                self.assertIn(reason, " ".join(refusal.split()))


    def test_a_project_without_cpp_is_told(self):
        refusal = self.find(languages="NONE", status=1).stderr
        self.assertIn("project(NAME LANGUAGES CXX)", " ".join(refusal.split()))


class Examples(InstallTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = fresh(WORK / "examples")
        shutil.copytree(SOURCE / "examples", cls.folder / "source")
        cls().configure(cls.folder / "source", cls.folder / "build", f"-DCMAKE_PREFIX_PATH={PREFIX}",
                        f"-DCMAKE_BUILD_TYPE={FACTS['build_type']}")
        cls().run_command(FACTS["cmake"], "--build", cls.folder / "build")

    def run_scene(self, scene, status=0):
        return self.run_command(self.folder / "build/run_scene", scene, status=status, cwd=self.folder)

    def scene_file(self, name, time=""):
        path = self.folder / name
        path.write_text(SCENE % time)
        return path

    def test_a_scene_that_is_built_falls(self):
        lines = self.run_command(self.folder / "build/build_scene").stdout.splitlines()
        heights = [float(re.search(r"([-\d.]+) m on average", line)[1]) for line in lines]
        self.assertEqual(len(heights), 7)
        self.assertAlmostEqual(heights[0], 0.6, delta=0.01)
        self.assertAlmostEqual(heights[2], 0.6 - 9.81 / 2 * 0.2**2, delta=0.01)  # in free fall
        self.assertGreater(min(heights), 0.1)  # the ground holds it

    def test_a_scene_file_runs(self):
        lines = self.run_scene(self.scene_file("square.toml")).stdout.splitlines()
        self.assertEqual([line.split(":")[0] for line in lines[1:]], ["frame 1", "frame 2", "frame 3"])
        self.assertIn(" 16 particles", lines[-1])

    def test_an_own_force_acts(self):
        line = self.run_command(self.folder / "build/own_force").stdout
        radius, speed, share = (float(re.search(rf"{name} = ([\d.]+)", line)[1])
                                for name in ("^r", " v", r"v / \(omega r\)"))
        self.assertGreater(radius, 0.5)  # nothing holds it on its circle
        # dv/dt = (omega r - v) / tau leaves exp(-10) of the start and lags behind what r gains
        self.assertAlmostEqual(share, 1, delta=0.1)
        self.assertAlmostEqual(speed, 2 * radius, delta=0.2 * radius)

    def test_fields_are_read(self):
        lines = self.run_command(self.folder / "build/read_fields").stdout.splitlines()
        self.assertIn("position: 3 x double, m", lines)
        self.assertIn("id: 1 x std::uint32_t, 1", lines)
        least = [float(re.search(r"J >= ([\d.]+)", line)[1]) for line in lines if line.startswith("t = ")]
        self.assertEqual(len(least), 4)
        self.assertLess(min(least), 0.99)  # it has hit the ground
        self.assertGreater(min(least), 0.2)

    def test_a_picture_is_drawn(self):
        picture = self.folder / "drop.png"
        self.assertIn("480 x 320 pixels, t = 0.25 s", self.run_command(self.folder / "build/draw_picture", picture).stdout)
        header = picture.read_bytes()[:24]
        self.assertEqual((header[:8], header[16:]), (b"\x89PNG\r\n\x1a\n", struct.pack(">II", 480, 320)))
        self.run_command(self.folder / "build/draw_picture", self.folder / "none/drop.png", status=3)

    def test_what_goes_wrong_is_told(self):
        self.assertIn("missing.toml", self.run_scene("missing.toml", status=3).stderr)
        broken = self.scene_file("broken.toml", "dt_maximum = 1")
        self.assertIn("unknown key 'dt_maximum'", self.run_scene(broken, status=2).stderr)
        hasty = self.scene_file("hasty.toml", "dt_min = 0.02\ndt_max = 0.02")
        self.assertIn("step 1 at t = 0 s was refused", self.run_scene(hasty, status=5).stderr)
        self.run_command(self.folder / "build/run_scene", status=2)


class PkgConfig(InstallTest):
    def test_its_flags_compile_and_link(self):
        self.expect("firn", "build_scene", "t = 0.6 s")

    def test_those_of_pictures_do(self):
        self.expect("firn-render", "draw_picture", "480 x 320 pixels")

    def expect(self, package, example, says):
        folder = fresh(WORK / "pkg-config" / package)
        env = {**ENVIRONMENT, "PKG_CONFIG_PATH": str(LIBRARIES / "pkgconfig"), "LD_LIBRARY_PATH": str(LIBRARIES)}
        tell = lambda *what: self.run_command(FACTS["pkg_config"], *what, package, env=env).stdout
        self.assertEqual(tell("--modversion").strip(), FACTS["version"])
        flags = shlex.split(tell("--cflags", "--libs"))
        self.assertTrue(PREFIX.samefile(flags[0].removeprefix("-I") + "/.."), flags)
        self.run_command(FACTS["compiler"], *shlex.split(FACTS["flags"]), "-std=c++20",
                         SOURCE / f"examples/{example}.cpp", "-o", folder / example, *flags,
                         *shlex.split(FACTS["cuda_link_flags"]), env=env)
        self.assertIn(says, self.run_command(folder / example, cwd=folder, env=env).stdout)


class Flags(InstallTest):
    def test_inline_functions_are_the_same_everywhere(self):
        # Of those that are part of no program with others, one is compiled as users of the library compile.
        commands = [(file, words)
                    for file, words in compilations(BUILD, [SOURCE / name for name in ("src", "kernels", "bench", "tests")])
                    if not re.search("/tests/(software_device/|fuzz/|cli/|designated_members)", file)]
        self.assertTrue(any("/kernels/" in file for file, _ in commands))
        self.assertTrue(any("/tests/" in file for file, _ in commands))
        self.assert_same_host_flags(commands)


class Parent(InstallTest):
    def take_in(self, how, build_type, options):
        self.build = fresh(WORK / how)
        definitions = [f"-D{name}={FACTS['options'][name]}" for name in options]
        if build_type is not None:
            definitions.append(f"-DCMAKE_BUILD_TYPE={build_type}")
        self.configure(HERE / "parent", self.build, f"-DHOW={how}", f"-DFIRN_SOURCE={SOURCE}",
                       "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *definitions)
        cache = (self.build / "CMakeCache.txt").read_text()
        self.assertRegex(cache, rf"(?m)^CMAKE_BUILD_TYPE:STRING={build_type or ''}$")
        self.assertNotRegex(cache, "(?m)^(FIRN_)?CCACHE:")
        commands = dict(compilations(self.build, [HERE / "parent", SOURCE]))
        own = commands[str(HERE / "parent/main.cpp")]
        self.assertEqual(pathlib.Path(own[0]).name, pathlib.Path(FACTS["compiler"]).name)  # no launcher
        self.assertEqual("-g" in own, build_type == "Debug" or "-g" in FACTS["flags"].split(), own)
        self.assertNotIn("-std=c++20", own)  # extensions are the parent's choice
        for word in own:
            if word not in shlex.split(FACTS["flags"]):
                self.assertNotRegex(word, r"^-(m|O|W|f|DFIRN)")
        self.assert_same_host_flags([(file, words) for file, words in commands.items()
                                     if not file.startswith(str(HERE)) and "/software_device/" not in file])


class Subdirectory(Parent):
    def test_the_parent_stays_as_it_is(self):
        self.take_in("add_subdirectory", None, ["FIRN_WITH_OPENVDB", "FIRN_WITH_EMBREE", "FIRN_WITH_OPENEXR"])
        self.assertNotIn("CMAKE_CUDA_COMPILER", (self.build / "CMakeCache.txt").read_text())


class FetchContent(Parent):
    """The library itself is not compiled again: the one of this build takes its place at the link."""

    def test_the_parent_stays_as_it_is_and_links(self):
        left_out = ["FIRN_BUILD_CLI"] if on("FIRN_WITH_CUDA") else ["FIRN_BUILD_CLI", "CMAKE_CUDA_ARCHITECTURES"]
        self.take_in("FetchContent", "Debug", [name for name in FACTS["options"] if name not in left_out])
        self.run_command(FACTS["cmake"], "--build", self.build, "--target", "CMakeFiles/parent.dir/main.cpp.o")
        link = self.run_command(FACTS["ninja"], "-C", self.build, "-t", "commands", "parent").stdout.splitlines()[-1]
        for library in re.findall(r"(?<=\s)[^\s/-]\S*\.(?:a|so)(?=\s)", link):
            place = self.build / library
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(next(BUILD.rglob(place.name)))
        self.run_command("sh", "-c", link, cwd=self.build)
        output = self.run_command(self.build / "parent").stdout
        self.assertEqual(output, f"firn {FACTS['version']}: 64 particles\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
