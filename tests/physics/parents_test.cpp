// Nodes on which others depend (kernels/grid/find_dependents.inl): none is itself a dependent, nor
// in what holds it by its own mass.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

// Far from the origin two places of one node differ by a rounding, which is more than nothing of a
// cell. A node that by one is a parent and by the other a dependent had a negative mass left.
TEST(Parents, AreNoDependentsFarFromTheOrigin) {
  constexpr double kDx = 0.7, kAngle = 0.3;
  const double s = std::sin(kAngle), c = std::cos(kAngle);
  // Tilted planes with such a node, before a gap was left between the two.
  const double planes[4][4] = {{559.9451904, 559.7520752, 555.8, 561.4},
                               {560.2702637, 560.3366089, 546.7, 564.9},
                               {560.270874, 559.6867676, 544.6, 564.9},
                               {559.9595337, 559.9642334, 556.5, 561.4}};
  for (const auto& at : planes) {
    Scene scene = empty_scene(2, kDx, Precision::kSingle);
    scene.simulation.fps = 100;
    scene.materials = {elastic("block", MaterialModel::kFixedCorotated, 1e7, 1000)};
    const Shape plane = half_space({at[0], at[1], 0}, {s, c, 0});
    Shape ball = sphere({at[2], at[3], 0}, 6), cut;
    cut.type = ShapeType::kDifference;
    cut.children = {ball, plane};
    scene.bodies = {body("block", 0, cut)};
    scene.colliders = {collider("plane", plane, BoundaryType::kSticky)};
    Simulation simulation = simulate(scene);
    ASSERT_NO_THROW(for (int frame = 0; frame < 2; ++frame) simulation.advance_frame());
    EXPECT_LT(simulation.stats().max_speed, 1);
  }
}

// A layer of one cell that a plate presses against a slippery floor: what the plate gives it is
// what the floor takes.
TEST(Parents, AreNotInWhatLetsGo) {
  constexpr double kDx = 0.05;
  for (const Integrator integrator : {Integrator::kExplicit, Integrator::kOptimization})
    for (const BoundaryType floor : {BoundaryType::kSlip, BoundaryType::kSticky})
      for (const double off : {0.3, 0.5, 0.7}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(integrator) << ", floor "
                                        << static_cast<int>(floor) << " at " << off);
        Scene scene = empty_scene(2, kDx);
        scene.simulation.gravity = {};
        scene.simulation.integrator = integrator;
        scene.simulation.fps = 100;
        scene.implicit.tolerance = 1e-8;
        if (integrator != Integrator::kExplicit) scene.time.dt_max = 5e-3;
        scene.materials = {elastic("layer", MaterialModel::kFixedCorotated, 1e5, 1000)};
        const double low = off * kDx, high = low + kDx;
        scene.bodies = {body("layer", 0, box({-0.5, low, 0}, {0.5, high, 0}))};
        scene.bodies[0].sampling = Sampling::kUniform;
        scene.bodies[0].particles_per_cell = 16;
        scene.colliders = {collider("floor", box({-3, low - 1, 0}, {3, low, 0}), floor),
                           collider("plate", box({-0.8, high + 0.005, 0}, {0.8, high + 0.2, 0}),
                                    BoundaryType::kSeparate)};
        scene.colliders[1].motion = Keyframes{{0, 1}, {{0, 0, 0}, {0, -0.2, 0}}, {}, {}};
        Simulation simulation = simulate(scene);
        double of_floor = 0, of_plate = 0;
        for (int frame = 0; frame < 10; ++frame) {
          simulation.advance_frame();
          of_floor += simulation.stats().reactions[0].force[1] / scene.simulation.fps;
          of_plate += simulation.stats().reactions[1].force[1] / scene.simulation.fps;
        }
        EXPECT_GT(of_plate, 10);
        EXPECT_NEAR(simulation.totals().momentum[1], -of_floor - of_plate, 1e-6 * of_plate);
      }
}

}  // namespace
}  // namespace firn::test
