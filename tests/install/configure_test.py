"""What packagers decide when they configure: flags, launchers, what is left out. Nothing is compiled but CMake's checks."""

import json
import pathlib
import shlex
import shutil
import unittest

from install_test import ENVIRONMENT, FACTS, SOURCE, WORK, InstallTest, fresh

# The least there is to find.
LEAN = {"FIRN_WITH_CUDA": "OFF", "FIRN_WITH_OPENVDB": "OFF", "FIRN_WITH_EMBREE": "OFF", "FIRN_WITH_OPENEXR": "OFF",
        "FIRN_WITH_TEXT": "OFF", "FIRN_WITH_VIEWER": "OFF", "FIRN_BUILD_TESTS": "OFF"}


class Configure(InstallTest):
    """A test's further calls go on from what CMake knows of the compiler."""

    def setUp(self):
        self.build = fresh(WORK / "configure")

    def configure_firn(self, status=0, environment=None, **options):
        env = {**ENVIRONMENT, **(environment or {})}
        definitions = [f"-D{name}={value}" for name, value in {**LEAN, **options}.items() if value is not None]
        result = self.run_command(FACTS["cmake"], "-S", SOURCE, "-B", self.build, "-G", FACTS["generator"],
                                  f"-DCMAKE_CXX_COMPILER={FACTS['compiler']}", *definitions, status=status, env=env)
        return " ".join((result.stdout + result.stderr).split())

    def command(self):
        """The words of one compilation."""
        entries = json.loads((self.build / "compile_commands.json").read_text())
        return shlex.split(next(entry["command"] for entry in entries if entry["file"].endswith("/scene_catalog.cpp")))


class Flags(Configure):
    def marches(self):
        return [word for word in self.command() if word.startswith("-march=")]

    def test_an_instruction_set_of_the_flags_stays(self):
        said = self.configure_firn(environment={"CXXFLAGS": "-O1 -march=x86-64"})
        self.assertEqual(set(self.marches()), {"-march=x86-64"})
        self.assertIn("march: x86-64 ", said)
        self.assertIn(f"Firn {FACTS['version']} ", said)

    def test_an_instruction_set_may_be_none(self):
        self.assertIn("march: the compiler's default", self.configure_firn(FIRN_MARCH=""))
        self.assertEqual(self.marches(), [])

    def test_the_one_that_is_asked_for_comes_last(self):
        self.configure_firn(FIRN_MARCH="x86-64-v2", CMAKE_CXX_FLAGS="-march=x86-64")
        self.assertEqual(self.marches(), ["-march=x86-64", "-march=x86-64-v2"])

    def test_by_default_it_is_this_machines(self):
        self.assertIn("march: native: for this machine's processor", self.configure_firn())
        self.assertEqual(self.marches(), ["-march=native"])

    def test_one_that_the_compiler_does_not_know_is_refused(self):
        said = self.configure_firn(status=1, FIRN_MARCH="nonsense")
        self.assertIn("does not know -march=nonsense", said)
        self.assertIn("-DFIRN_MARCH=", said)


@unittest.skipUnless(FACTS["generator"] == "Ninja", "whose commands are looked into")
class Launcher(Configure):
    def first_word(self):
        commands = self.run_command(FACTS["ninja"], "-C", self.build, "-t", "commands", "firn").stdout
        return pathlib.Path(next(line for line in commands.splitlines() if " -c " in line).split()[0]).name

    def test_one_that_is_named_wins(self):
        self.configure_firn(CMAKE_CXX_COMPILER_LAUNCHER="/usr/bin/env")
        self.assertEqual(self.first_word(), "env")

    def test_none_is_one_too(self):
        compiler = pathlib.Path(FACTS["compiler"]).name
        self.configure_firn(FIRN_CCACHE="OFF")
        self.assertEqual(self.first_word(), compiler)
        self.configure_firn(FIRN_CCACHE="ON", CMAKE_CXX_COMPILER_LAUNCHER="")
        self.assertEqual(self.first_word(), compiler)

    @unittest.skipUnless(shutil.which("ccache"), "there is no ccache")
    def test_ccache_is_taken_where_it_is_found(self):
        self.configure_firn()
        self.assertEqual(self.first_word(), "ccache")


class Missing(Configure):
    def test_a_library_that_is_missing_is_named_with_what_does_without_it(self):
        for package, option in (("OpenVDB", "FIRN_WITH_OPENVDB"), ("embree", "FIRN_WITH_EMBREE"), ("OpenEXR", "FIRN_WITH_OPENEXR"),
                                ("Freetype", "FIRN_WITH_TEXT"), ("Eigen3", "FIRN_BUILD_TESTS")):
            with self.subTest(package=package):
                hidden = {f"CMAKE_DISABLE_FIND_PACKAGE_{package}": "ON", option: "ON"}
                said = self.configure_firn(status=1, **hidden)
                self.assertIn(f"Firn needs {package}", said)
                self.assertIn(f"-D{option}=OFF does without", said)

    def test_openvdb_is_looked_for_in_other_places(self):
        prefix = fresh(WORK / "elsewhere")
        module = prefix / "lib64/cmake/OpenVDB"
        module.mkdir(parents=True)
        (module / "FindOpenVDB.cmake").write_text('message(STATUS "OpenVDB of ${CMAKE_CURRENT_LIST_DIR}")\n')
        said = self.configure_firn(status=1, FIRN_WITH_OPENVDB="ON", CMAKE_PREFIX_PATH=prefix)
        self.assertIn(f"OpenVDB of {module} ", said)


class Tests(Configure):
    def test_they_follow_the_switch_of_ctest(self):
        self.assertIn("tests: no (FIRN_BUILD_TESTS=OFF)", self.configure_firn(FIRN_BUILD_TESTS=None, BUILD_TESTING="OFF"))

    def test_the_library_is_static(self):
        self.assertIn("Firn is a static library", self.configure_firn(BUILD_SHARED_LIBS="ON"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
