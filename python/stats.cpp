// What a simulation tells of itself: steps, frames, sums over the particles, copies of them.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <utility>

#include "firn/simulation.h"
#include "python/arrays.h"
#include "python/bindings.h"
#include "python/names.h"
#include "python/records.h"

namespace firn::python {
namespace {

void bind_totals(nb::module_& m) {
  Record<Totals>(m, "Totals", "Sums over all particles, in double precision.")
      .def_ro("mass", &Totals::mass, "kg.")
      .def_ro("momentum", &Totals::momentum, "kg m/s.")
      .def_ro("angular_momentum", &Totals::angular_momentum, "kg m^2/s.")
      .def_ro("center_of_mass", &Totals::center_of_mass, "m.")
      .def_ro("kinetic", &Totals::kinetic, "J, with the affine and polynomial modes.")
      .def_ro("elastic", &Totals::elastic, "J.")
      .def_ro("potential", &Totals::potential, "J.")
      .def_ro("heat", &Totals::heat, "J, from solids at their melting points.")
      .def_ro("volume", &Totals::volume, "m^3, in 2D m^2.");
  Record<EnergyBalance>(m, "EnergyBalance", "Whether energy comes from nowhere.")
      .def_ro("fed", &EnergyBalance::fed, "J, by sources, moved colliders and forces.")
      .def_ro("gained", &EnergyBalance::gained, "J above the lowest value so far.")
      .def_ro("growth", &EnergyBalance::growth, "That over the largest energy so far.");
  Record<StageLedger>(m, "StageLedger",
                      "What each stage did to the energy, J (diagnostics = \"stages\").")
      .def_ro("p2g", &StageLedger::p2g)
      .def_ro("grid_forces", &StageLedger::grid_forces)
      .def_ro("boundary", &StageLedger::boundary)
      .def_ro("g2p", &StageLedger::g2p)
      .def_ro("plasticity", &StageLedger::plasticity);
  Record<StageTimes>(m, "StageTimes", "Seconds of wall time since the last frame.")
      .def_ro("rebuild", &StageTimes::rebuild)
      .def_ro("p2g", &StageTimes::p2g)
      .def_ro("grid", &StageTimes::grid)
      .def_ro("g2p", &StageTimes::g2p)
      .def_ro("constitutive", &StageTimes::constitutive)
      .def_ro("fused", &StageTimes::fused)
      .def_ro("other", &StageTimes::other);
}

void bind_collider_states(nb::module_& m) {
  Record<ColliderReaction>(m, "ColliderReaction",
                           "What material exerts on a collider, as a mean over the frame.")
      .def_ro("force", &ColliderReaction::force, "N.")
      .def_ro("torque", &ColliderReaction::torque, "N m about the world's origin.")
      .def_ro("power", &ColliderReaction::power,
              "W: what a mesh_sequence does to the material by changing its shape.");
  Record<ColliderImpulse>(m, "ColliderImpulse", "What a collider has been given in some time.")
      .def_ro("impulse", &ColliderImpulse::impulse, "N s.")
      .def_ro("angular_impulse", &ColliderImpulse::angular_impulse,
              "N m s about the world's origin.")
      .def_ro("work", &ColliderImpulse::work,
              "J: what a mesh_sequence has done to the material by changing its shape.");
  Record<ColliderState>(m, "ColliderState", "Where a collider is, and how it moves.")
      .def_ro("rotation", &ColliderState::rotation, "Row by row.")
      .def_ro("translation", &ColliderState::translation, "m.")
      .def_ro("pivot", &ColliderState::pivot, "m.")
      .def_ro("velocity", &ColliderState::velocity, "m/s, of the pivot's place.")
      .def_ro("angular_velocity", &ColliderState::angular_velocity, "rad/s.")
      .def_ro("time", &ColliderState::time, "s.")
      .def_ro("dynamic", &ColliderState::dynamic, "Whether material moves it.")
      .def_ro("mass", &ColliderState::mass, "kg.")
      .def_ro("momentum", &ColliderState::momentum, "kg m/s.")
      .def_ro("angular_momentum", &ColliderState::angular_momentum, "kg m^2/s.")
      .def_ro("kinetic", &ColliderState::kinetic, "J.")
      .def_ro("potential", &ColliderState::potential, "J.");
}

void bind_frames(nb::module_& m) {
  Record<StepInfo>(m, "StepInfo", "A step that was made.")
      .def_ro("step", &StepInfo::step, "How many that makes since the start.")
      .def_ro("frame", &StepInfo::frame, "Frames completed before it.")
      .def_ro("time", &StepInfo::time, "s, at its end.")
      .def_ro("dt", &StepInfo::dt, "s.")
      .def_prop_ro("limited_by", named(&StepInfo::limited_by), "What set dt.")
      .def_ro("particles", &StepInfo::particles)
      .def_ro("max_speed", &StepInfo::max_speed, "m/s, at its end.");
  Record<FrameStats>(m, "FrameStats", "Of a frame, or of a call of `step`.")
      .def_ro("frame", &FrameStats::frame, "Frames completed.")
      .def_ro("time", &FrameStats::time, "s, simulated.")
      .def_ro("steps", &FrameStats::steps)
      .def_ro("dt_min", &FrameStats::dt_min, "s.")
      .def_ro("dt_max", &FrameStats::dt_max, "s.")
      .def_ro("dt_last", &FrameStats::dt_last, "s.")
      .def_prop_ro("limited_by", named(&FrameStats::limited_by), "What set dt of most steps.")
      .def_ro("limiting_material", &FrameStats::limiting_material)
      .def_ro("particles", &FrameStats::particles)
      .def_ro("blocks", &FrameStats::blocks)
      .def_ro("emitted", &FrameStats::emitted, "By sources, since the start.")
      .def_ro("removed", &FrameStats::removed, "Since the start.")
      .def_ro("added", &FrameStats::added, "By add_particles, since the start.")
      .def_ro("memory_bytes", &FrameStats::memory_bytes)
      .def_ro("max_speed", &FrameStats::max_speed, "m/s.")
      .def_ro("wall_seconds", &FrameStats::wall_seconds)
      .def_ro("times", &FrameStats::times)
      .def_ro("totals", &FrameStats::totals)
      .def_ro("energy", &FrameStats::energy)
      .def_ro("lost_volume", &FrameStats::lost_volume, "The part of liquids' volume that is lost.")
      .def_ro("squeezed", &FrameStats::squeezed,
              "Indices of fixed_corotated materials of which some is flat.")
      .def_ro("source_work", &FrameStats::source_work, "J, of pressure on what sources bring.")
      .def_ro("force_work", &FrameStats::force_work, "J, of the scene's forces on free material.")
      .def_ro("stages", &FrameStats::stages)
      .def_ro("pressure", &FrameStats::pressure)
      .def_ro("implicit", &FrameStats::implicit)
      .def_ro("thermal", &FrameStats::thermal)
      .def_ro("viscosity", &FrameStats::viscosity)
      .def_ro("reactions", &FrameStats::reactions, "One for each collider.")
      .def_ro(
          "contacts", &FrameStats::contacts,
          "One for each material, none without contacts: what others do to it where they touch.")
      .def_ro("colliders", &FrameStats::colliders, "One for each collider.");
}

// A channel where the snapshot has it: the array keeps the snapshot alive. None where it is empty.
template <auto Channel>
std::optional<HostArray> channel(nb::handle self, std::initializer_list<std::size_t> more) {
  auto& snapshot = nb::cast<Snapshot&>(self);
  auto& values = snapshot.*Channel;
  if (values.empty() && snapshot.size() > 0) return {};
  using T = typename std::remove_reference_t<decltype(values)>::value_type;
  std::size_t shape[3] = {snapshot.size(), 1, 1};
  std::copy(more.begin(), more.end(), shape + 1);
  return HostArray(
      nb::cast(nb::ndarray<nb::numpy, T>(values.data(), 1 + more.size(), shape, self)));
}
template <auto Channel>
inline constexpr auto scalars = [](nb::handle self) { return channel<Channel>(self, {}); };
template <auto Channel>
inline constexpr auto vectors = [](nb::handle self) {
  return channel<Channel>(self, {static_cast<std::size_t>(nb::cast<Snapshot&>(self).dimension)});
};
template <auto Channel>
inline constexpr auto tensors = [](nb::handle self) {
  const auto d = static_cast<std::size_t>(nb::cast<Snapshot&>(self).dimension);
  return channel<Channel>(self, {d, d});
};

// In a pickled snapshot the numbers are bytes, a thousandth of the objects that a list would have.
template <class T>
void keep_numbers(Record<Snapshot>& snapshot, const char* name, std::vector<T> Snapshot::*channel) {
  snapshot.keep(
      name,
      [channel](const Snapshot& self) {
        const std::vector<T>& numbers = self.*channel;
        return nb::bytes(numbers.data(), numbers.size() * sizeof(T));
      },
      [channel](Snapshot& self, nb::handle value) {
        const auto bytes = nb::cast<nb::bytes>(value);
        std::vector<T> numbers(bytes.size() / sizeof(T));
        if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
        self.*channel = std::move(numbers);
      });
}
void keep_all_numbers(Record<Snapshot>& snapshot) {
  keep_numbers(snapshot, "id", &Snapshot::id);
  keep_numbers(snapshot, "position", &Snapshot::position);
  keep_numbers(snapshot, "velocity", &Snapshot::velocity);
  keep_numbers(snapshot, "material", &Snapshot::material);
  keep_numbers(snapshot, "body", &Snapshot::body);
  keep_numbers(snapshot, "mass", &Snapshot::mass);
  keep_numbers(snapshot, "volume", &Snapshot::volume);
  keep_numbers(snapshot, "deformation_gradient", &Snapshot::deformation_gradient);
  keep_numbers(snapshot, "plastic_state", &Snapshot::plastic_state);
  keep_numbers(snapshot, "kirchhoff_stress", &Snapshot::kirchhoff_stress);
  keep_numbers(snapshot, "pressure", &Snapshot::pressure);
  keep_numbers(snapshot, "temperature", &Snapshot::temperature);
  keep_numbers(snapshot, "phase", &Snapshot::phase);
}

void bind_snapshot(nb::module_& m) {
  Record<Snapshot> snapshot(m, "Snapshot",
                            "Copies of the particles' data in the order of their ids, as arrays of "
                            "n particles in d dimensions; None for what there is not.");
  keep_all_numbers(snapshot);
  snapshot.def_ro("dimension", &Snapshot::dimension)
      .def_prop_ro("id", scalars<&Snapshot::id>, "uint32, (n).")
      .def_prop_ro("position", vectors<&Snapshot::position>, "m, (n, d).")
      .def_prop_ro("velocity", vectors<&Snapshot::velocity>, "m/s, (n, d).")
      .def_prop_ro("material", scalars<&Snapshot::material>, "Index, uint16, (n).")
      .def_prop_ro("body", scalars<&Snapshot::body>, "Index, uint16, (n).")
      .def_prop_ro("mass", scalars<&Snapshot::mass>, "kg, (n).")
      .def_prop_ro("volume", scalars<&Snapshot::volume>, "m^d at rest, (n).")
      .def_prop_ro("deformation_gradient", tensors<&Snapshot::deformation_gradient>,
                   "The elastic part, (n, d, d).")
      .def_prop_ro("plastic_state", scalars<&Snapshot::plastic_state>,
                   "J_P, plastic strain or J - 1, by material, (n).")
      .def_prop_ro("kirchhoff_stress", tensors<&Snapshot::kirchhoff_stress>, "Pa, (n, d, d).")
      .def_prop_ro("pressure", scalars<&Snapshot::pressure>, "Pa, (n).")
      .def_prop_ro("temperature", scalars<&Snapshot::temperature>, "K, (n).")
      .def_prop_ro("phase", scalars<&Snapshot::phase>, "0 solid, 1 liquid, uint16, (n).")
      .def("__len__", &Snapshot::size);
}

}  // namespace

void bind_stats(nb::module_& m) {
  bind_totals(m);
  bind_collider_states(m);
  bind_frames(m);
  bind_snapshot(m);
  Record<FieldInfo>(m, "FieldInfo", "A field of the particles.")
      .def_ro("name", &FieldInfo::name)
      .def_ro("components", &FieldInfo::components)
      .def_ro("unit", &FieldInfo::unit)
      .def_ro("about", &FieldInfo::about)
      .def_prop_ro("dtype", named(&FieldInfo::type))
      .def("__repr__", [](const FieldInfo& field) {
        return "<" + field.name + ": " + std::to_string(field.components) + ", " + field.unit + ">";
      });
}

}  // namespace firn::python
