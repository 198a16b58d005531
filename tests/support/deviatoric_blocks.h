// Blocks of particles of random deformation, with a surface on all sides and a floor at one, and
// the fixture of the tests of the deviatoric operator and its solve on them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/deviatoric_harness.h"
#include "tests/support/random_matrices.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {

template <class T>
class DeviatoricOperator : public testing::Test {};

inline constexpr double kBlockDx = 0.1, kBlockDt = 2e-3, kGelMu = 1e5, kGelViscosity = 40;
inline constexpr double kLeastStretch = 0.7, kMostStretch = 1.5;

template <class Real>
inline constexpr Precision kPrecision = sizeof(Real) == 4 ? Precision::kSingle : Precision::kDouble;

template <int D, class Real>
Scene block_scene(BoundaryType floor, int kernel = 2, const SolveSettings& solve = {1e-5, 500}) {
  Scene scene = thermal_scene(D, kBlockDx, kPrecision<Real>);
  scene.transfer.kernel = kernel;
  scene.thermal.heat = false;
  scene.thermal.forces = ForceIntegration::kSemiImplicit;
  scene.thermal.force_solve = solve;
  scene.grid.domain = closed_box({0, 0, 0}, {3, 3, 3});
  scene.grid.domain->boundary[2] = floor;
  Material gel = solid("gel", kGelMu, 1e6);
  gel.viscosity = kGelViscosity;
  scene.materials = {gel};
  return scene;
}

// 2^D particles to each of `cells`^D cells on the floor, which do not begin with those of the grid;
// some are liquid. All numbers are exact in Real.
template <int D, class Real>
std::vector<HarnessParticle<D>> block_particles(int cells, double least, double most,
                                                unsigned seed = 1) {
  RandomMatrices<D> random(seed);
  std::vector<HarnessParticle<D>> particles;
  const auto exact = [](double v) { return static_cast<double>(static_cast<Real>(v)); };
  const double step = kBlockDx / 2;
  const auto count = static_cast<int>(std::lround(std::pow(2 * cells, D)));
  for (int i = 0; i < count; ++i) {
    HarnessParticle<D> p;
    for (int a = 0, rest = i; a < D; ++a, rest /= 2 * cells) {
      p.x[a] = exact((a == 1 ? 0 : 0.43) + step * (rest % (2 * cells) + random.uniform(0, 1)));
      p.v[a] = random.uniform(-1, 1);
    }
    p.volume = exact(std::pow(step, D));
    p.mass = exact(1000 * p.volume);
    p.liquid = random.uniform(0, 1) < 0.1;
    const auto F = random.deformation(least, most);
    for (int j = 0; j < D * D; ++j) p.F(j / D, j % D) = exact(F(j / D, j % D));
    particles.push_back(p);
  }
  return particles;
}

inline constexpr BoundaryType kFloors[] = {BoundaryType::kSlip, BoundaryType::kSticky,
                                           BoundaryType::kSeparate};

}  // namespace firn::test
