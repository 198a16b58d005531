"""`firn schema`: the JSON Schema against the scenes and the program itself, and the reference."""

import copy
import json
import pathlib
import subprocess
import unittest

from support import FIRN, SCENE, CliTest

try:
    import tomllib  # Python 3.11
    from jsonschema import Draft202012Validator
    MISSING = ""
except ImportError as error:
    MISSING = f"{error}; scripts/setup installs it"

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = sorted((ROOT / "scenes").glob("*.toml"))
STRANGE = "{ no_such_key = 1 }"  # what no key takes

THERMAL = """
simulation = { dimension = 2, integrator = "thermal", precision = "double", seed = 3 }
[grid]
dx = 0.05
domain = { min = [0, 0], max = [1, 1], boundary = { y_min = "slip" }, temperature = { y_max = 290 } }
[thermal]
ambient = "290 + x"
heat_solve = { tolerance = 1e-8, max_iterations = 300 }
[material.wax]
model = "corotated_deviatoric"
density = 900
youngs_modulus = "1e5 * (400 - T)"
poisson_ratio = 0.5
heat_capacity = { solid = 2100, liquid = 2200 }
conductivity = 0.2
melting_point = 330
latent_heat = 2e5
[[body]]
material = "wax"
shape = { type = "box", min = [0.4, 0.2], max = [0.6, 0.6] }
temperature = 300
phase = "solid"
angular_velocity = 2
[[heat_source]]
shape = { type = "half_space", point = [0, 0.1], normal = [0, 1] }
power = "1e6 * (t < 1)"
[[collider]]
shape = { type = "height_field", min = 0, max = 1, height = "0.1 * x", base = -1 }
temperature = 300
motion = { type = "keyframes", times = [0, 1], translation = [[0, 0], [0, 1]], rotation = [0, 90] }
[output]
channels = ["velocity", "temperature"]
color = "glow"
diagnostics = false
"""


def without(scene, *path):
    """A copy that lacks what is there."""
    result = copy.deepcopy(scene)
    table = result
    for key in path[:-1]:
        table = table[key]
    del table[path[-1]]
    return result


def changed(scene, path, value):
    """A copy with another value at "body.0.shape.radius"; tables on the way appear."""
    result = copy.deepcopy(scene)
    *parents, last = path.split(".")
    place = result
    for key in parents:
        place = place[int(key)] if isinstance(place, list) else place.setdefault(key, {})
    place[int(last) if isinstance(place, list) else last] = value
    return result


def leaves(value, path=""):
    """Paths of everything in a scene that is no table and no array of tables."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{path}.{index}")
    else:
        yield path, value


@unittest.skipIf(MISSING, MISSING)
class Schema(CliTest):
    @classmethod
    def setUpClass(cls):
        cls.text = subprocess.run([FIRN, "schema"], check=True, text=True, capture_output=True).stdout
        cls.schema = json.loads(cls.text)
        cls.validator = Draft202012Validator(cls.schema)

    def valid(self, scene):
        return self.validator.is_valid(scene)

    def refused(self, scene, values):
        """Those of the paths for which the program refuses the scene with these overrides. It lists the first 20
        findings."""
        refused, paths = set(), list(values)
        for batch in (paths[i:i + 10] for i in range(0, len(paths), 10)):
            words = [word for path in batch for word in ("--set", f"{path}={values[path]}")]
            result = self.firn("info", scene, *words)
            self.assertIn(result.returncode, (0, 2, 3), result.stdout + result.stderr)
            refused |= {path for path in batch if f"error: --set {path}" in result.stderr}
        return refused

    def examples(self):
        (self.folder / "thermal.toml").write_text(THERMAL)
        return [self.scene, self.folder / "thermal.toml", *SCENES]

    def test_is_a_schema(self):
        Draft202012Validator.check_schema(self.schema)

    def test_every_scene_is_valid(self):
        self.assertGreater(len(SCENES), 30)
        for path in self.examples():
            with self.subTest(path.name):
                errors = [f"{'.'.join(map(str, e.absolute_path))}: {e.message}"
                          for e in self.validator.iter_errors(tomllib.loads(path.read_text()))]
                self.assertEqual(errors, [])

    def test_wrong_scenes_are_not(self):
        square, wax = tomllib.loads(SCENE), tomllib.loads(THERMAL)
        for base, path, value in [
                (square, "simulation.fsp", 24), (square, "tranfer.type", "apic"), (square, "body.0.nmae", "a"),
                (square, "grid.domain", {"min": [0, 0], "max": [1, 1], "boundry": "slip"}),
                (square, "body.0.shape.radius", 1), (square, "body.0.shape.type", "shpere"),
                (square, "simulation.frames", "many"), (square, "simulation.fps", "24"), (square, "title", 3),
                (square, "body", {}), (square, "body.0.velocity", 1), (square, "body.0.velocity", [1]),
                (square, "output.image", 1), (square, "output.particles", "ply"), (square, "variants", []),
                (square, "grid.dx", 0), (square, "time.cfl", 1.5), (square, "simulation.dimension", 4),
                (square, "material.jelly.poisson_ratio", 0.6), (square, "output.camera", {"eye": [1, 0, 0]}),
                (square, "output.camera", {"eye": [1, 0, 0], "target": [0, 0, 0], "orbit": "slow"}),
                (square, "output.camera", {"eye": [1, 0, 0], "target": [0, 0, 0], "motion": {"type": "keyframes"}}),
                (square, "output.camera", {"motion": {"type": "keyframes", "times": [0], "fov": [180]}}),
                (square, "body.0.color", [0, 0, 2]), (square, "output.resolution", [0, 1]),
                (square, "transfer.kernel", "quartic"), (square, "simulation.integrator", "newmark"),
                (square, "material.jelly.yield_stress", 1e4), (square, "material.jelly.shear_modulus", 1e4),
                (square, "material.jelly.model", "snow"), (square, "material.jelly.model", "incompressible"),
                (square, "body.0.temperature", 300), (square, "fluid.tolerance", 1e-6), (square, "thermal.heat", True),
                (square, "grid.domain", {"min": [0, 0], "max": [1, 1], "temperature": 300}), (square, "mesh", []),
                (wax, "thermal.heat", False), (wax, "thermal.heat_solve.tolerance", 1), (wax, "fluid", {}),
                (wax, "material.wax.model", "neo_hookean"), (wax, "material.wax.gamma", 7),
                (wax, "material.wax.heat_capacity", {"solid": 1}), (wax, "grid.domain.friction", 0.1),
                (square, "variants.a.grid.dy", 1), (square, "variants.a.body.0.shape.radios", 1),
                (square, "variants.a.time.cfl", 2)]:
            with self.subTest(path, value=value):
                self.assertFalse(self.valid(changed(base, path, value)))
        for base, *path in [(square, "grid"), (square, "grid", "dx"), (square, "body"), (square, "body", 0, "shape"),
                            (square, "body", 0, "shape", "min"), (square, "body", 0, "shape", "type"),
                            (square, "material", "jelly", "density"), (square, "material", "jelly", "poisson_ratio"),
                            (wax, "body", 0, "temperature"), (wax, "heat_source", 0, "power")]:
            with self.subTest("without", path=path):
                self.assertFalse(self.valid(without(base, *path)))

    def test_what_has_a_stand_in_is_needed_without_it_alone(self):
        square = tomllib.loads(SCENE)
        moving = {"type": "keyframes", "times": [0], "eye": [[1, 0, 0]], "target": [[0, 0, 0]]}
        self.assertTrue(self.valid(changed(square, "output.camera", {"motion": moving})))
        self.assertFalse(self.valid(changed(square, "output.camera", {"orbit": 20})))
        for start in ({"model": "drucker_prager", "density": 1600, "youngs_modulus": 1e5, "poisson_ratio": 0.3}, {"preset": "sand"}):
            angle, hardening = {"friction_angle": 33}, {"friction_hardening": [35, 9, 0.2, 10]}
            for keys in (angle, hardening):
                self.assertTrue(self.valid(changed(square, "material.jelly", start | keys)))
            self.assertFalse(self.valid(changed(square, "material.jelly", start | angle | hardening)))
            self.assertEqual(self.valid(changed(square, "material.jelly", start)), "preset" in start)

    def test_variants_are_partial(self):
        square = tomllib.loads(SCENE)
        for path, value in [("grid.dx", 0.1), ("body.0.shape.max.1", 0.7), ("body.0.shape.radius", 1),
                            ("body", square["body"]), ("simulation.gravity.1", -1), ("material.jelly.hardening", 1)]:
            with self.subTest(path):
                changes = {}
                for key in reversed(path.split(".")):
                    changes = {key: changes or value}
                self.assertTrue(self.valid({**square, "variants": {"a": changes}}))

    def unseen_leaves(self):
        """Scenes with the leaves whose like no other one before has."""
        seen = set()
        for path in self.examples():
            scene = tomllib.loads(path.read_text())
            scene.pop("variants", None)
            found = {}
            for leaf, value in leaves(scene):
                kind = ".".join("#" if part.isdigit() else part for part in leaf.split("."))
                if kind not in seen:
                    found[leaf] = value
                    seen.add(kind)
            yield path, scene, found
        self.assertGreater(len(seen), 100)

    def test_no_key_takes_everything(self):
        """What stands in a scene becomes what no key takes: schema and program refuse it alike."""
        for path, scene, found in self.unseen_leaves():
            for leaf in found:
                self.assertFalse(self.valid(changed(scene, leaf, {"no_such_key": 1})), f"{path.name}: {leaf}")
            # Where the kind of a thing is wrong, its other keys are not looked at, or have another meaning.
            deciding = ("type", "times", "integrator", "dimension")
            kinds = {leaf: STRANGE for leaf in found if leaf.split(".")[-1] in deciding}
            others = {leaf: STRANGE for leaf in found if leaf not in kinds}
            for values in filter(None, [kinds, others]):
                self.assertEqual(set(values) - self.refused(path, values), set(), path.name)

    def test_refuses_nothing_that_the_program_takes(self):
        """Numbers far off: where the schema says no, the program does."""
        tried = 0
        for path, scene, found in self.unseen_leaves():
            numbers = [leaf for leaf, old in found.items() if type(old) in (int, float)]
            for value in (-1, 0, 0.5, 1, 91, 2000000000):
                values = {leaf: value for leaf in numbers if not self.valid(changed(scene, leaf, value))}
                tried += len(values)
                if values:
                    self.assertEqual(set(values) - self.refused(path, values), set(), f"{path.name}: {value}")
        self.assertGreater(tried, 50)


class Reference(CliTest):
    def test_has_every_key_of_the_schema(self):
        text = self.succeed("schema", "--markdown").stdout
        schema = json.loads(self.succeed("schema").stdout)
        names = set()

        def collect(value):
            if isinstance(value, dict):
                names.update(value.get("properties", {}))
                value = list(value.values())
            if isinstance(value, list):
                for inner in value:
                    collect(inner)

        collect(schema)
        self.assertGreater(len(names), 120)
        for name in names:
            self.assertIn(f"| `{name}` |", text)

    def test_links_lead_to_sections(self):
        text = self.succeed("schema", "--markdown").stdout
        titles = [line[3:] for line in text.splitlines() if line.startswith("## ")]
        anchors = {"".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c in "-_") for title in titles}
        self.assertEqual(len(anchors), len(titles))
        links = [part.split(")")[0] for part in text.split("](#")[1:]]
        self.assertGreater(len(links), len(titles))
        self.assertEqual(set(links) - anchors, set())

    def test_document_is_up_to_date(self):
        script = [ROOT / "scripts/scene-reference", "--check"]
        result = subprocess.run(script, text=True, capture_output=True, env={"FIRN": FIRN, "PATH": "/usr/bin:/bin"},
                                timeout=60, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
