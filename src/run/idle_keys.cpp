#include "src/run/idle_keys.h"

#include <fmt/format.h>

#include "src/scene/integrator_traits.h"

namespace firn {
namespace {

class IdleKeys {
 public:
  // Told of if the value is not the default one.
  template <class T>
  void add(const char* key, const T& value, const T& without, const char* why) {
    if (!(value == without)) list.push_back(fmt::format("{} has no effect: {}", key, why));
  }
  std::vector<std::string> list;
};

void look_at_transfer(const TransferSettings& t, IdleKeys& idle) {
  const TransferSettings plain;
  if (t.type != TransferType::kPolypic)
    idle.add("transfer.modes", t.modes, plain.modes,
             "modes are chosen where transfer.type = \"polypic\"");
  if (t.type != TransferType::kFlip && t.type != TransferType::kAflip &&
      t.type != TransferType::kApic)
    idle.add("transfer.blend", t.blend, plain.blend,
             "a share is taken where transfer.type is \"flip\", \"aflip\" or \"apic\"");
  if (t.type == TransferType::kPic || t.type == TransferType::kFlip)
    idle.add("transfer.advection", t.advection, plain.advection,
             "particles of transfer.type \"pic\" and \"flip\" have no affine field to move by");
}

void look_at_thermal(const ThermalSettings& t, IdleKeys& idle) {
  const ThermalSettings plain;
  if (t.forces == ForceIntegration::kExplicit)
    idle.add("thermal.force_solve", t.force_solve, plain.force_solve,
             "forces are solved for where thermal.forces = \"semi_implicit\"");
  if (t.heat) return;
  constexpr const char* kNoHeat = "thermal.heat = false, and particles have no temperature";
  idle.add("thermal.heat_solve", t.heat_solve, plain.heat_solve, kNoHeat);
  idle.add("thermal.temperature_flip", t.temperature_flip, plain.temperature_flip, kNoHeat);
}

void look_at_pictures(const OutputSettings& o, int dimension, IdleKeys& idle) {
  const OutputSettings plain;
  if (!o.captions && o.legend == Drawn::kAlways)
    idle.add("output.legend", o.legend, plain.legend,
             "it is one of the captions, and output.captions = false");
  if (o.camera && !o.follow)
    idle.add("output.follow", o.follow, plain.follow,
             "it is of the automatic camera, and output.camera is given");
  if (dimension == 3) return;
  constexpr const char* kFlat = "it is of pictures in 3D";
  idle.add("output.look", o.look, plain.look, kFlat);
  idle.add("output.outline", o.outline, plain.outline, kFlat);
  idle.add("output.glass", o.glass, plain.glass, kFlat);
  constexpr const char* kNoSurface = "surfaces are found in 3D";
  idle.add("output.surface_kernel", o.surface_kernel, plain.surface_kernel, kNoSurface);
  idle.add("output.surface_voxel", o.surface_voxel, plain.surface_voxel, kNoSurface);
  idle.add("output.surface_smoothing", o.surface_smoothing, plain.surface_smoothing, kNoSurface);
}

}  // namespace

std::vector<std::string> idle_keys(const Scene& scene) {
  IdleKeys idle;
  look_at_transfer(scene.transfer, idle);
  if (traits_of(scene).implicit)
    idle.add("time.cfl_material", scene.time.cfl_material, TimeSettings().cfl_material,
             "an implicit solve bounds no step by elastic waves; time.dt_max does");
  look_at_thermal(scene.thermal, idle);
  if (!solves_viscosity(scene))
    idle.add("fluid.viscosity_tolerance", scene.fluid.viscosity_tolerance,
             FluidSettings().viscosity_tolerance, "no liquid has a viscosity that is solved for");
  look_at_pictures(scene.output, scene.simulation.dimension, idle);
  return idle.list;
}

}  // namespace firn
