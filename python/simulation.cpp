// The methods of firn._firn.SimulationCore, from which firn.Simulation derives.
#include "firn/simulation.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <optional>
#include <utility>

#include "python/arrays.h"
#include "python/bindings.h"
#include "python/callbacks.h"
#include "python/particles.h"
#include "python/records.h"
#include "python/session.h"

namespace firn::python {
namespace {

using OnStep = Callback<StepInfo>;
using OnFrame = Callback<FrameStats>;

RunOptions options_of(const std::string& device, int threads, int device_index) {
  RunOptions options;
  options.threads = threads;
  options.device_index = device_index;
  if (threads < 0) throw Error(ErrorCategory::kScene, "threads must be >= 0 (0: all cores)");
  if (device == "cpu") {
    options.device = Device::kCpu;
  } else if (device == "cuda") {
    options.device = Device::kCuda;
  } else if (device != "auto") {
    throw Error(ErrorCategory::kScene,
                "device must be \"auto\", \"cpu\" or \"cuda\", found \"" + device + "\"");
  }
  return options;
}

Memory memory_of(const std::string& memory) {
  if (memory == "host") return Memory::kHost;
  if (memory == "native") return Memory::kNative;
  throw Error(ErrorCategory::kScene,
              "memory must be \"host\" or \"native\", found \"" + memory + "\"");
}

nb::bytes save(Session& session) {
  const std::vector<std::byte> state =
      session.look([](const Simulation& simulation) { return simulation.save_state(); });
  return nb::bytes(state.data(), state.size());
}

// Bytes, or what shows its memory as such: a bytearray, a memoryview, a memory-mapped file.
using Buffer = nb::typed<nb::object, nb::bytes>;
void load(Session& session, const Buffer& state) {
  Py_buffer shown;
  if (PyObject_GetBuffer(state.ptr(), &shown, PyBUF_SIMPLE) != 0) throw nb::python_error();
  std::vector<std::byte> bytes(static_cast<std::size_t>(shown.len));
  if (!bytes.empty()) std::memcpy(bytes.data(), shown.buf, bytes.size());
  PyBuffer_Release(&shown);
  session.load(bytes);
}

AnyArray view(Session& session, const std::string& name) {
  const WritableField field = untyped(session.reading().field_view(name));
  return array_of(field, false, session.lease(name));
}
AnyArray counts(Session& session) {
  return counts_of(untyped(session.reading().field_view("id")), session.lease("counts"));
}

template <class T>
HostArray copied(const Simulation& simulation, const FieldInfo& field) {
  std::vector<T> values = simulation.field<T>(field.name);
  const auto components = static_cast<std::size_t>(field.components),
             n = values.size() / components;
  if (components == 1) return array_of(std::move(values), {n});
  return array_of(std::move(values), {n, components});
}
HostArray field(const Session& session, const std::string& name) {
  const Simulation& simulation = session.reading();
  for (const FieldInfo& field : simulation.fields()) {
    if (field.name != name) continue;
    switch (field.type) {
      case ElementType::kFloat:
        return copied<float>(simulation, field);
      case ElementType::kDouble:
        return copied<double>(simulation, field);
      case ElementType::kUint32:
        return copied<std::uint32_t>(simulation, field);
    }
  }
  simulation.field_view(name);  // says what there is
  return {};
}

void bind_advancing(nb::class_<Session>& c) {
  c.def(
       "step",
       [](Session& s, std::int64_t n, const OnStep& on_step) {
         if (n < 0)
           throw Error(ErrorCategory::kScene, "step: n must be >= 0, found " + std::to_string(n));
         return s.advance([n](Simulation& simulation,
                              const Observer& o) { return simulation.advance_steps(n, o); },
                          object_of<StepInfo>(on_step), nb::none());
       },
       nb::arg("n") = 1, nb::kw_only(), nb::arg("on_step") = nb::none(),
       "Advances by `n` steps of the scene's own dt, past the ends of frames.\n\n"
       "`on_step(step: StepInfo)` is called after every step. It may read the simulation and "
       "set motions of colliders, not advance or change it otherwise; returning False stops. What "
       "it raises leaves the call, and the "
       "simulation as if it had been stopped there. Returns whether all steps were made.")
      .def(
          "advance_frame",
          [](Session& s, const OnStep& on_step, const OnFrame& on_frame) {
            return s.advance([](Simulation& simulation,
                                const Observer& o) { return simulation.advance_frame(o); },
                             object_of<StepInfo>(on_step), object_of<FrameStats>(on_frame));
          },
          nb::kw_only(), nb::arg("on_step") = nb::none(), nb::arg("on_frame") = nb::none(),
          "Advances to the end of the next frame, exactly. `on_frame(frame: FrameStats)` is called "
          "after every completed frame. Otherwise as `step`.")
      .def(
          "advance_until",
          [](Session& s, double t, const OnStep& on_step, const OnFrame& on_frame) {
            return s.advance([t](Simulation& simulation,
                                 const Observer& o) { return simulation.advance_until(t, o); },
                             object_of<StepInfo>(on_step), object_of<FrameStats>(on_frame));
          },
          nb::arg("t"), nb::kw_only(), nb::arg("on_step") = nb::none(),
          nb::arg("on_frame") = nb::none(),
          "Advances to the time `t` (s), exactly, through all frames that end by then. Raises "
          "SceneError if it is past. Otherwise as `advance_frame`.");
}

void bind_reading(nb::class_<Session>& c) {
  c.def_prop_ro(
       "time", [](const Session& s) { return s.reading().time(); }, "s, simulated.")
      .def_prop_ro(
          "device_name", [](const Session& s) { return s.reading().device_name(); },
          "Such as \"cpu (2 threads, AVX-512)\".")
      .def_prop_ro("on_cuda", &Session::on_cuda, "Whether it runs on CUDA.")
      .def(
          "stats", [](const Session& s) { return s.reading().stats(); },
          "Of the last completed frame, or the last call of `step`: what was done, what limited "
          "dt, times, solves, energies, reactions.")
      .def(
          "totals",
          [](Session& s) {
            return s.look([](const Simulation& simulation) { return simulation.totals(); });
          },
          "Sums over all particles as they are now: mass, momenta, energies, volume.")
      .def(
          "colliders", [](const Session& s) { return s.reading().colliders(); },
          "Where the colliders are now, in the scene's order.")
      .def(
          "collider_impulses", [](const Session& s) { return s.reading().collider_impulses(); },
          "What the colliders have been given since the last frame, or call of `step`, has ended, "
          "in the scene's order; at that end what they were in the frame, until a step is made.")
      .def(
          "contact_impulses", [](const Session& s) { return s.reading().contact_impulses(); },
          "The same of the materials, by those that they touch; empty without contacts.")
      .def(
          "snapshot",
          [](Session& s, bool deformation_gradient, bool kirchhoff_stress, bool pressure) {
            return s.look([&](const Simulation& simulation) {
              return simulation.snapshot({deformation_gradient, kirchhoff_stress, pressure});
            });
          },
          nb::kw_only(), nb::arg("deformation_gradient") = true, nb::arg("kirchhoff_stress") = true,
          nb::arg("pressure") = true,
          "Copies of all that particles have, in the order of their ids, in single precision.")
      .def(
          "tracers", [](const Session& s) { return s.reading().tracers(); },
          "The massless points of a liquid: their positions, ids, bodies and materials.")
      .def(
          "fields", [](const Session& s) { return s.reading().fields(); },
          "The fields that the particles have, for `field` and `view`.")
      .def("field", &field, nb::arg("name"),
           "A copy of a field in the order of ids: shape (particles) or (particles, components), "
           "float32, float64 or uint32 as it is stored.")
      .def("view", &view, nb::arg("name"),
           "A field where it lies, read-only and without a copy: shape (chunks, lanes), or "
           "(components, chunks, lanes) of several components. On CUDA a DeviceArray.\n\n"
           "`counts()` says how many lanes of a chunk hold particles; the others mean nothing. "
           "All views of the same moment have the same particle in the same place. As long as an "
           "array, or a slice of it, lives, so does the simulation, and it refuses to go on with "
           "ViewError: its memory would change under the array.")
      .def("counts", &counts, "A view: how many lanes of each chunk hold a particle, uint32.")
      .def("save_state", &save, "The complete state as bytes.")
      .def("load_state", &load, nb::arg("state"),
           "Brings back what `save_state` of a simulation of the same scene has returned; what "
           "follows has the same bits (on CUDA where the scene is reproducible).");
}

void bind_changing(nb::class_<Session>& c) {
  c.def("_add_particles", &add_particles, nb::arg("material"), nb::arg("position"),
        nb::arg("velocity").none(), nb::arg("velocity_gradient").none(),
        nb::arg("temperature").none(), nb::arg("phase").none(), nb::arg("volume").none(),
        nb::arg("mass").none())
      .def("_remove_particles", &remove_particles, nb::arg("ids"))
      .def("_set_collider_motion", &set_collider_motion, nb::arg("collider"), nb::arg("times"),
           nb::arg("translation"), nb::arg("rotation"), nb::arg("pivot"))
      .def(
          "set_force",
          [](Session& s, const Callback<OwnForceStep>& force, const std::string& memory) {
            s.set_force(object_of<OwnForceStep>(force), memory_of(memory));
          },
          nb::arg("force").none(), nb::arg("memory") = "host",
          "Sets a force beside gravity, or none: `force(step: ForceStep)` is called for every "
          "step that is tried, which an integrator may try again, and returns the accelerations of "
          "all particles (m/s^2, whatever NumPy broadcasts "
          "to (dimension, chunks, lanes)), or fills `step.acceleration` and returns None.\n\n"
          "What it raises leaves the call that advances; the state then means nothing, reading or "
          "saving it is refused, and only `load_state` brings it back. It is no part of a saved "
          "state. On CUDA `memory` \"host\" "
          "copies the arrays in every step, and \"native\" hands out DeviceArrays, which are to be "
          "filled on CUDA's default stream, or synchronised.")
      .def(
          "set_grid_boundary",
          [](Session& s, const Callback<OwnBoundaryStep>& boundary, const std::string& memory) {
            s.set_grid_boundary(object_of<OwnBoundaryStep>(boundary), memory_of(memory));
          },
          nb::arg("boundary").none(), nb::arg("memory") = "host",
          "Sets a boundary condition on the grid, behind those of the scene, or none: "
          "`boundary(step: BoundaryStep)` changes `step.velocity`, or returns what it is to be. "
          "For integrator = \"explicit\". Otherwise as `set_force`.")
      .def(
          "time_stages", [](Session& s, bool on) { s.changing().time_stages(on); }, nb::arg("on"),
          "Whether to measure times by stage on CUDA, too, which costs small scenes more.");
}

}  // namespace

void bind_simulation(nb::module_& m) {
  register_end();
  PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&Session::traverse)},
                         {Py_tp_clear, reinterpret_cast<void*>(&Session::clear)},
                         {0, nullptr}};
  Record<Filling>(m, "Filling", "How far the filling of bodies with particles is.")
      .def_ro("body", &Filling::body, "The one it is at, from 0.")
      .def_ro("bodies", &Filling::bodies, "Of how many.")
      .def_ro("part", &Filling::part, "Of the work on that one, in [0, 1].")
      .def_ro("particles", &Filling::particles, "So far, of all bodies.");
  nb::class_<Session> c(m, "SimulationCore", nb::type_slots(slots),
                        "What firn.Simulation derives from.");
  c.def(
      "__init__",
      [](Session* self, const Scene& scene, const std::string& device, int threads,
         int device_index, const Callback<Filling>& on_filling) {
        new (self) Session(scene, options_of(device, threads, device_index),
                           object_of<Filling>(on_filling));
      },
      nb::arg("scene"), nb::arg("device"), nb::arg("threads"), nb::arg("device_index"),
      nb::arg("on_filling").none());
  bind_advancing(c);
  bind_reading(c);
  bind_changing(c);
}

}  // namespace firn::python
