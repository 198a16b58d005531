// The estimates of what the host takes for a while (src/run/host_memory.h) against what operator
// new was asked for.
#include "src/run/host_memory.h"

#include <gtest/gtest.h>

#include "tests/allocation/counted_allocations.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

// Lists that are counted one by one; what is left out are the chunks (16 bytes for 32 particles),
// lanes without a particle (a fifth of them on these small scenes) and the scene.
constexpr double kLeftOut = 0.1;

Scene block(int dimension, Precision precision, bool turning) {
  Scene scene = empty_scene(dimension, dimension == 3 ? 1.0 / 24 : 1.0 / 128, precision);
  scene.materials = {snow("snow")};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {1, 1, 1}))};
  if (turning) scene.bodies[0].angular_velocity = {0, 0, 1};
  return scene;
}

void expect_told(const Scene& scene) {
  const SceneEstimate need = estimate(scene);
  const auto before_filling = static_cast<double>(bytes_in_use());
  take_peak_of_bytes();
  const Simulation simulation = simulate(scene);
  const double filling = static_cast<double>(take_peak_of_bytes()) - before_filling;
  EXPECT_NEAR(filling, fill_bytes(scene, need), kLeftOut * filling);

  for (const SnapshotParts parts :
       {SnapshotParts{}, SnapshotParts{false, false}, SnapshotParts{false, false, false}}) {
    const MemoryTally told = snapshot_bytes(scene, need, parts);
    const auto before = static_cast<double>(bytes_in_use());
    take_peak_of_bytes();
    const Snapshot snapshot = simulation.snapshot(parts);
    const double peak = static_cast<double>(take_peak_of_bytes()) - before,
                 held = static_cast<double>(bytes_in_use()) - before;
    EXPECT_NEAR(peak, told.peak(), kLeftOut * peak);
    EXPECT_NEAR(held, told.held(), 0.01 * held);
  }
}

TEST(HostMemory, IsTold) {
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::kSingle, Precision::kDouble})
      for (bool turning : {false, true}) {
        SCOPED_TRACE(testing::Message() << dimension << "D" << (turning ? ", turning" : ""));
        expect_told(block(dimension, precision, turning));
      }
}

TEST(HostMemory, OfALiquidIsTold) {
  Scene scene = block(3, Precision::kSingle, false);
  scene.simulation.integrator = Integrator::kIncompressible;
  scene.transfer.kernel = 1;
  scene.materials = {liquid()};
  scene.time.dt_max = 1e-3;
  expect_told(scene);
}

TEST(HostMemory, OfAMeltIsTold) {
  Scene scene = block(3, Precision::kSingle, false);
  scene.simulation.integrator = Integrator::kThermal;
  scene.transfer.force = ForceForm::kGradient;
  scene.materials = {solid("fat", 1e3, 1e6)};
  for (Body& b : scene.bodies) b.temperature.constant = 300;
  expect_told(scene);
}

// Saving takes the state and, while a channel is written, that channel once more.
TEST(HostMemory, SavingTakesTheState) {
  for (int dimension : {2, 3}) {
    const Scene scene = block(dimension, Precision::kSingle, false);
    const auto state = static_cast<double>(simulate(scene).save_state().size());
    const double told = save_bytes(scene, estimate(scene));
    EXPECT_GE(told, 0.99 * state);
    EXPECT_LE(told, 1.25 * state);
  }
}

}  // namespace
}  // namespace firn::test
