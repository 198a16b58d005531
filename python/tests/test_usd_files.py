"""USD files are there whole or not at all, memory holds little of them, and without OpenUSD the error says so."""

import subprocess
import sys

import pytest

import firn
import firn.usd


def test_nothing_half_written(scene, simulation, tmp_path):
    path = tmp_path / "square.usdc"
    path.write_text("older")
    with pytest.raises(ZeroDivisionError), firn.usd.Writer(path, scene) as file:
        file.add(simulation)
        1 / 0  # noqa: B018
    with pytest.raises(firn.SceneError, match="no frame"), firn.usd.Writer(path, scene):
        pass
    file = firn.usd.Writer(path, scene)
    file.add(simulation)
    file.discard()
    file.close()
    with pytest.raises(firn.SceneError, match="closed"):
        file.add(simulation)
    assert [entry.name for entry in tmp_path.iterdir()] == ["square.usdc"] and path.read_text() == "older"
    with pytest.raises(firn.FileError, match="nowhere"):
        firn.usd.Writer(tmp_path / "nowhere" / "square.usdc", scene)


FULL_DISK = """
import resource, sys
import firn, firn.usd
scene = firn.load(sys.argv[1], overrides={"grid.dx": 0.01, "output.image": False})
simulation = firn.Simulation(scene, device="cpu", threads=1)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
try:
    with firn.usd.Writer(sys.argv[2], scene) as file:
        for frame in range(3):
            file.add(simulation)
            simulation.advance_frame()
except firn.FileError as error:
    print(error)
"""


@pytest.mark.parametrize("ending", ["usdc", "usda"])
def test_a_full_disk_leaves_nothing(scene, tmp_path, ending):
    (tmp_path / "square.toml").write_text(scene.to_toml())
    path = tmp_path / f"square.{ending}"
    command = [sys.executable, "-c", FULL_DISK, tmp_path / "square.toml", path]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"square.{ending}: OpenUSD cannot write it" in result.stdout and "room on the disk" in result.stdout
    assert [entry.name for entry in tmp_path.iterdir()] == ["square.toml"]


KILLED = """
import sys
import firn, firn.usd
import firn._usd_stage
firn._usd_stage._PIECE = 1  # every frame is saved
scene = firn.load(sys.argv[1])
simulation = firn.Simulation(scene, device="cpu", threads=1)
file = firn.usd.Writer(sys.argv[2], scene)
while True:
    file.add(simulation)
    simulation.step()
    print("added", flush=True)
"""


def test_a_killed_process_leaves_the_older_file(scene, tmp_path):
    (tmp_path / "square.toml").write_text(scene.to_toml())
    path = tmp_path / "square.usdc"
    path.write_text("older")
    command = [sys.executable, "-c", KILLED, tmp_path / "square.toml", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for _ in range(20):
            assert process.stdout.readline() == "added\n"
        process.kill()
    assert path.read_text() == "older"
    (left,) = set(tmp_path.iterdir()) - {path, tmp_path / "square.toml"}
    assert left.name.startswith(".square.usdc.") and left.name.endswith(".firn-tmp")  # which `firn run` removes


MEMORY = """
import sys
import firn, firn.usd
scene = firn.load(sys.argv[1], overrides={"grid.dx": 0.002, "output.image": False, "simulation.fps": 1e6})
simulation = firn.Simulation(scene, device="cpu", threads=2)

def anonymous():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) / 1024

with firn.usd.Writer(sys.argv[2], scene, channels=["stress", "deformation_gradient", "mass", "pressure"]) as file:
    file.add(simulation)
    before = anonymous()
    most = 0
    for frame in range(40):
        simulation.step()
        file.add(simulation)
        most = max(most, anonymous())
print(most - before)
"""


def test_memory_holds_a_few_frames(scene, tmp_path):
    (tmp_path / "square.toml").write_text(scene.to_toml())
    path = tmp_path / "square.usdc"
    command = [sys.executable, "-c", MEMORY, tmp_path / "square.toml", path]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    pieces = 64 + 2 * path.stat().st_size / 2**20 / 41  # MiB: what is held before it is saved, and a frame twice
    assert path.stat().st_size > 300 * 2**20
    assert float(result.stdout) < 1.2 * pieces


def test_without_openusd(scene, tmp_path):
    (tmp_path / "scene.toml").write_text(scene.to_toml())
    code = "import sys; sys.modules['pxr'] = None; import firn, firn.usd; firn.usd.export(sys.argv[1])"
    result = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True)
    assert "firn.errors.PackageError" in result.stderr and "pip install usd-core" in result.stderr
    assert issubclass(firn.PackageError, ImportError)
