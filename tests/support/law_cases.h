// Every constitutive law with typical numbers, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/materials/material.h"
#include "src/state/material_params.h"
#include "tests/support/random_matrices.h"

namespace firn::test {

inline constexpr double kModulus = 1e5;  // Young's modulus of the tests, the scale of every stress

struct NamedMaterial {
  std::string name;
  Material material;
};

inline Material elastic_law(MaterialModel model) {
  Material m;
  m.model = model;
  m.density = 1000;
  m.youngs_modulus = kModulus;
  m.poisson_ratio = 0.3;
  return m;
}

inline Material snow_material() {
  Material m = elastic_law(MaterialModel::kSnow);
  m.critical_compression = 2.5e-2;
  m.critical_stretch = 7.5e-3;
  m.hardening = 10;
  return m;
}

inline Material sand_material() {
  Material m = elastic_law(MaterialModel::kDruckerPrager);
  m.friction_angle = 0.6;
  return m;
}

inline Material metal_material() {
  Material m = elastic_law(MaterialModel::kVonMises);
  m.yield_stress = 2e3;
  return m;
}

inline Material soil_material() {
  Material m = elastic_law(MaterialModel::kCamClay);
  m.friction_angle = 0.5;
  m.preconsolidation = 1e3;
  m.hardening = 15;
  return m;
}

inline Material porous_snow_material() {
  Material m = soil_material();
  m.hardening_law = HardeningLaw::kSinh;
  m.tension_ratio = 0.1;
  return m;
}

inline Material foam_material() {
  Material m = elastic_law(MaterialModel::kViscoelastic);
  m.relaxation_time = 0.5;
  return m;
}

inline Material paste_material() {
  Material m = elastic_law(MaterialModel::kHerschelBulkley);
  m.yield_stress = 500;
  m.consistency = 100;
  m.flow_index = 0.4;
  return m;
}

inline Material fluid_material(double gamma) {
  Material m;
  m.model = MaterialModel::kWeaklyCompressible;
  m.density = 1000;
  m.bulk_modulus = kModulus;
  m.gamma = gamma;
  return m;
}

inline Material cavitating_material() {
  Material m = fluid_material(7);
  m.tension_limit = 0.1 * kModulus;
  return m;
}

inline std::vector<NamedMaterial> all_materials() {
  Material sand_clamp = snow_material();
  sand_clamp.model = MaterialModel::kSandClamp;
  Material hard_sand = sand_material();
  hard_sand.cohesion = 0.01;
  hard_sand.friction_hardening = {0.61, 0.157, 0.2, 0.17};
  Material dilatant_sand = sand_material();
  dilatant_sand.dilatancy_angle = 0.2;
  dilatant_sand.dilatancy_limit = 0.02;
  Material hard_metal = metal_material();
  hard_metal.hardening = 1e4;
  return {{"neo_hookean", elastic_law(MaterialModel::kNeoHookean)},
          {"fixed_corotated", elastic_law(MaterialModel::kFixedCorotated)},
          {"corotated_deviatoric", elastic_law(MaterialModel::kCorotatedDeviatoric)},
          {"stvk_hencky", elastic_law(MaterialModel::kStvkHencky)},
          {"snow", snow_material()},
          {"sand_clamp", sand_clamp},
          {"drucker_prager", sand_material()},
          {"drucker_prager hardening", hard_sand},
          {"drucker_prager dilatancy", dilatant_sand},
          {"von_mises", metal_material()},
          {"von_mises hardening", hard_metal},
          {"cam_clay", soil_material()},
          {"cam_clay sinh", porous_snow_material()},
          {"viscoelastic", foam_material()},
          {"herschel_bulkley", paste_material()},
          {"weakly_compressible", fluid_material(7)},
          {"weakly_compressible gamma 1", fluid_material(1)},
          {"weakly_compressible tension limit", cavitating_material()}};
}

// A state with F and a plastic state that does not sit at its initial value where the model would
// notice.
template <int D>
MaterialState<double, D> state_at(const MaterialParams<double>& params, const Mat<double, D>& F) {
  MaterialState<double, D> state;
  state.F = F;
  start_history<double, D>(params.model, state.history);
  if (params.model == MaterialModel::kSnow) state.history[0] = 0.95;
  if (params.model == MaterialModel::kWeaklyCompressible) state.history[0] = determinant(F) - 1;
  return state;
}

// Calls `body(params, random)` for every law in both dimensions.
template <class Body>
void for_every_material(const Body& body) {
  for (const NamedMaterial& m : all_materials()) {
    SCOPED_TRACE(m.name + " 2D");
    RandomMatrices<2> random2(5);
    body(make_material_params<double>(m.material, 2), random2);
    SCOPED_TRACE(m.name + " 3D");
    RandomMatrices<3> random3(7);
    body(make_material_params<double>(m.material, 3), random3);
  }
}

}  // namespace firn::test
