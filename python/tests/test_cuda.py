"""Arrays and forces on CUDA, where the build and the machine have it (or the build has the device in software)."""

import ctypes
import re

import numpy as np
import pytest

import firn
from conftest import FREE


@pytest.fixture
def on_cuda():
    scene = firn.Scene.from_dict(FREE, overrides={"simulation.gravity": [0, 0], "simulation.reproducible": True})
    try:
        return firn.Simulation(scene, device="cuda")
    except firn.DeviceError as error:
        pytest.skip(str(error))


def of_device(array):
    """A copy on the host, by the runtime that the process has loaded."""
    libraries = {line.split()[-1] for line in open("/proc/self/maps") if re.search(r"software-device|libcudart", line)}
    if not libraries:
        pytest.skip("the runtime is part of the module")
    runtime = ctypes.CDLL(libraries.pop())
    interface = array.__cuda_array_interface__
    strides, dtype = interface["strides"], np.dtype(interface["typestr"])
    reach = sum((n - 1) * stride for n, stride in zip(interface["shape"], strides)) + dtype.itemsize
    memory = np.zeros(reach, np.uint8)
    to_host = 2
    pointers = ctypes.c_void_p(memory.ctypes.data), ctypes.c_void_p(interface["data"][0])
    assert runtime.cudaMemcpy(*pointers, ctypes.c_size_t(reach), to_host) == 0
    return np.lib.stride_tricks.as_strided(memory.view(dtype), interface["shape"], strides).copy()


def test_views_are_the_devices(on_cuda):
    on_cuda.step(3)
    view, ids, counts = on_cuda.view("position"), on_cuda.view("id"), on_cuda.counts()
    assert isinstance(view, firn.DeviceArray)
    assert view.shape[0] == 2 and view.dtype == "<f4" and counts.shape == view.shape[1:2]
    assert view.__dlpack_device__() == (2, 0)
    interface = view.__cuda_array_interface__
    assert interface["version"] == 3 and interface["data"][0] != 0 and interface["data"][1] and interface["stream"] != 0
    assert "dltensor" in repr(view.__dlpack__(max_version=(1, 1)))
    held = np.arange(view.shape[2]) < of_device(counts)[:, None]
    rows = of_device(view)[:, held].T[np.argsort(of_device(ids)[held])]
    np.testing.assert_array_equal(rows, on_cuda.field("position"))
    del counts, ids
    with pytest.raises(firn.ViewError, match="position"):
        on_cuda.step()
    del view
    assert on_cuda.step()


def test_forces_get_copies_on_the_host(on_cuda):
    kept = []

    def force(step):
        kept.append(step.position)  # its own memory: may stay
        return np.array([2.0, 0.0])[:, None, None] * step.occupied

    on_cuda.set_force(force)
    before = on_cuda.totals()
    on_cuda.step(2)
    gained = on_cuda.totals().momentum[0] - before.momentum[0]
    assert gained == pytest.approx(2 * on_cuda.time * before.mass, rel=1e-4)
    assert len(kept) == 2 and isinstance(kept[0], np.ndarray)


def test_native_forces_get_device_arrays(on_cuda):
    seen = []
    on_cuda.set_force(lambda step: seen.append((type(step.position), step.acceleration.shape)), memory="native")
    on_cuda.step()
    assert seen[0][0] is firn.DeviceArray and len(seen[0][1]) == 3
    on_cuda.set_force(lambda step: 1.0, memory="native")
    with pytest.raises(firn.SceneError, match="returns None"):
        on_cuda.step()


def test_boundaries_on_the_host(on_cuda):
    def stop(step):
        step.velocity[...] = 0

    on_cuda.set_grid_boundary(stop)
    on_cuda.step(2)
    assert on_cuda.totals().momentum[:2] == pytest.approx([0, 0], abs=1e-6)


def test_states_repeat(on_cuda):
    state = on_cuda.save_state()
    on_cuda.step(5)
    end = on_cuda.save_state()
    on_cuda.load_state(state)
    on_cuda.step(5)
    assert on_cuda.save_state() == end
