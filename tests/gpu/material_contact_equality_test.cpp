// Materials that touch, on both backends: a block slides on a slab, a ball lands on both, fused and
// not, with impulses of their own and without, and moves alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/contact_scenes.h"
#include "tests/support/device.h"

namespace firn::test {
namespace {

struct ContactCase {
  const char* name;
  int dimension;
  TransferType transfer;
  bool fused;
  Precision precision;
};

class GpuMaterialContact : public testing::TestWithParam<ContactCase> {};

struct End {
  Snapshot state;
  std::vector<ColliderReaction> contacts;
};

End after(const ContactCase& c, Device device) {
  Scene scene = block_on_slab(c.dimension, 0.05, 0.41, 0.3, 0.2, 1, 1e5, 1);
  scene.simulation.precision = c.precision;
  scene.simulation.fused = c.fused;
  scene.transfer.type = c.transfer;
  if (c.transfer == TransferType::kFlip) scene.transfer.blend = 0.9;
  const double z = c.dimension == 3 ? 0.2 : 0;
  // Touches the block, and is one with the slab.
  scene.materials.push_back(elastic("ball", MaterialModel::kFixedCorotated, 1e5));
  scene.contacts.push_back({{1, 2}, 0.4});
  scene.bodies.push_back(body("ball", 2, sphere({0.75, 0.62, z}, 0.15), {-1, -3, 0}));
  Simulation simulation(scene, {.device = device, .threads = 1});
  simulation.advance_steps(50);
  return {simulation.snapshot(), simulation.stats().contacts};
}

TEST_P(GpuMaterialContact, MovesAlike) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  const End on_cpu = after(GetParam(), Device::kCpu), on_gpu = after(GetParam(), Device::kCuda);
  const Snapshot &cpu = on_cpu.state, &gpu = on_gpu.state;
  ASSERT_EQ(gpu.id, cpu.id);
  double worst = 0, fastest = 0;
  for (std::size_t i = 0; i < cpu.velocity.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(cpu.velocity[i] - gpu.velocity[i])));
    fastest = std::max(fastest, std::abs(static_cast<double>(cpu.velocity[i])));
  }
  EXPECT_GT(fastest, 1);
  EXPECT_LE(worst, GetParam().precision == Precision::kDouble ? 1e-5 : 2e-2);
  ASSERT_EQ(on_gpu.contacts.size(), 3u);
  double largest = 0;
  for (const ColliderReaction& r : on_cpu.contacts)
    largest = std::max(largest, std::abs(r.force[1]));
  EXPECT_GT(largest, 10);
  const double close = (GetParam().precision == Precision::kDouble ? 1e-6 : 1e-2) * largest;
  for (std::size_t m = 0; m < 3; ++m) {
    const ColliderReaction &a = on_cpu.contacts[m], &b = on_gpu.contacts[m];
    EXPECT_NEAR(a.power, b.power, close);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(a.force[i], b.force[i], close) << m << " " << i;
      EXPECT_NEAR(a.torque[i], b.torque[i], close) << m << " " << i;
    }
  }
}

constexpr ContactCase kCases[] = {
    {"Apic2D", 2, TransferType::kApic, true, Precision::kDouble},
    {"Unfused2D", 2, TransferType::kApic, false, Precision::kDouble},
    {"Flip2D", 2, TransferType::kFlip, true, Precision::kDouble},
    {"FlipUnfused2D", 2, TransferType::kFlip, false, Precision::kDouble},
    {"Apic3D", 3, TransferType::kApic, true, Precision::kDouble},
    {"Single3D", 3, TransferType::kApic, true, Precision::kSingle}};
INSTANTIATE_TEST_SUITE_P(All, GpuMaterialContact, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace firn::test
