// `simulation.reproducible`: on CUDA too, the same run gives the same bits, whether its steps are
// launched one by one or replayed from a graph.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "tests/support/device.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

class GpuReproducible : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  }
};

std::vector<std::byte> state_after(const Scene& scene, int steps, bool replayed) {
  Simulation simulation(scene, {Device::kCuda, 1});
  simulation.time_stages(!replayed);
  simulation.advance_steps(steps);
  return simulation.save_state();
}

void expect_same_bits(Scene scene, int steps = 12) {
  scene.simulation.reproducible = true;
  const auto first = state_after(scene, steps, true);
  EXPECT_EQ(first, state_after(scene, steps, true));
  EXPECT_EQ(first, state_after(scene, steps, false));
}

TEST_F(GpuReproducible, ExplicitSteps) {
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::kSingle, Precision::kDouble})
      for (const bool fused : {true, false}) {
        SCOPED_TRACE(testing::Message() << dimension << "D, " << (fused ? "fused" : "plain"));
        Scene scene = busy_scene(dimension, precision);
        scene.simulation.fused = fused;
        expect_same_bits(scene);
      }
}

TEST_F(GpuReproducible, AllTransfers) {
  for (TransferType type : {TransferType::kPic, TransferType::kFlip, TransferType::kAflip,
                            TransferType::kRpic, TransferType::kPolypic})
    for (ForceForm force : {ForceForm::kMls, ForceForm::kGradient}) {
      SCOPED_TRACE(testing::Message() << "transfer " << static_cast<int>(type));
      Scene scene = busy_scene(3, Precision::kSingle);
      scene.transfer.type = type;
      scene.transfer.force = force;
      expect_same_bits(scene, 6);
    }
}

TEST_F(GpuReproducible, IncompressibleSteps) {
  for (int dimension : {2, 3}) {
    SCOPED_TRACE(testing::Message() << dimension << "D");
    expect_same_bits(busy_liquid_scene(dimension, Precision::kSingle), 10);
  }
}

TEST_F(GpuReproducible, LongSteps) {
  for (Integrator integrator : {Integrator::kOptimization, Integrator::kSemiImplicit})
    for (auto preconditioner :
         {ImplicitPreconditioner::kBlocks, ImplicitPreconditioner::kMultigrid}) {
      SCOPED_TRACE(testing::Message() << "integrator " << static_cast<int>(integrator)
                                      << ", preconditioner " << static_cast<int>(preconditioner));
      Scene scene = busy_scene(2, Precision::kSingle);
      scene.simulation.integrator = integrator;
      scene.implicit.preconditioner = preconditioner;
      scene.time.dt_max = 2e-3;
      scene.sources.clear();
      scene.sinks.clear();
      expect_same_bits(scene, 2);
    }
}

}  // namespace
}  // namespace firn::test
