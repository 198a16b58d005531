// The elastic energy of the ledger is that of the particles there are now: it does not depend on
// which chunks and SIMD packs they or others occupied before.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/validation.h"

namespace firn {
namespace {

// A stretched disc flies over many blocks; its material is so soft that it neither relaxes nor
// slows within the test (the stress turns a grain of its momentum in 1e-10 of the flight), so that
// its energy is V psi(stretch) throughout.
TEST(ElasticEnergy, DoesNotChangeWithTheLayout) {
  Material material;
  material.name = "soft";
  material.model = MaterialModel::kFixedCorotated;
  material.density = 1000;
  material.youngs_modulus = 1e-8;
  const double stretch = 1.05;
  for (Precision precision : {Precision::kDouble, Precision::kSingle}) {
    Scene scene = test::plane_scene(material, 1, 1);
    scene.simulation.precision = precision;
    Body disc;
    disc.name = "disc";
    disc.shape.radius = 6.3;
    disc.stretch = stretch;
    disc.velocity.component[0] = {0.37, ""};
    disc.velocity.component[1] = {0.21, ""};
    scene.bodies = {disc};
    Simulation sim(scene, test::kOneThread);
    const double start = sim.totals().elastic;
    // mu |F - I|^2 with mu = E / 2, nu = 0.
    const Snapshot s = sim.snapshot();
    double volume = 0;
    for (float v : s.volume) volume += v;
    const double expected = volume * 0.5e-8 * 2 * (stretch - 1) * (stretch - 1);
    EXPECT_NEAR(start, expected,
                1e-4 * expected);  // stretch - 1 in single precision: 2 * 6e-8 / 0.05
    for (int k = 0; k < 20; ++k) {
      sim.advance_steps(5);
      EXPECT_NEAR(sim.totals().elastic, start, 1e-4 * start) << "step " << sim.stats().total_steps;
    }
  }
}

}  // namespace
}  // namespace firn
