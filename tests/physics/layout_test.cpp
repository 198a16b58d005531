// New layouts of the particles of fused steps and of liquids: found by counting neighbours or by
// sorting they are the same, and no number is lost on the way from bank to bank or in place.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/state/capacity.h"
#include "src/state/channel_plan.h"
#include "src/state/scene_params.h"
#include "tests/support/layout_harness.h"
#include "tests/support/sim_scenes.h"
#include "tests/support/spaces.h"

namespace firn::test {
namespace {

template <class S>
class Layouts : public testing::Test {
 protected:
  static constexpr int D = S::D;
  using Real = typename S::Real;
  using Harness = LayoutHarness<D, Real>;
  // Three materials in one place, 18 cells wide.
  static void fill(Harness& h) {
    for (std::uint32_t m = 0; m < h.materials(); ++m) h.add(700 + 31 * m, m, 3, 21);
  }
  static void expect_own_numbers(const Harness& h, bool clean) {
    for (int c = kV; c < kParticleChannels; ++c) {
      const auto channel = static_cast<ParticleChannel>(c);
      if (!h.has(channel) || (clean && h.is_idle(channel))) continue;
      EXPECT_EQ(h.strangers(channel), 0) << "channel " << c;
    }
    auto ids = h.ids();
    std::sort(ids.begin(), ids.end());
    ASSERT_EQ(ids.size(), h.control().n_particles);
    for (std::uint32_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], i);
  }
};
TYPED_TEST_SUITE(Layouts, Spaces);

TYPED_TEST(Layouts, FoundByCountingAreTheSortedOnes) {
  typename TestFixture::Harness counted(2), sorted(1);
  TestFixture::fill(counted);
  TestFixture::fill(sorted);
  for (int round = 0; round < 12; ++round) {
    SCOPED_TRACE(round);
    const bool clean = round % 3 != 0, far = round == 5, more = round == 9;
    for (auto* h : {&counted, &sorted}) {
      h->move(round == 7 ? 0.0 : 1.3, far ? 17 : -1);
      if (more) h->add(100, 1, 3, 21);
      if (!clean) h->stamp_idle();
    }
    counted.layout(Finds::kNear, clean);
    sorted.layout(Finds::kSorted, clean);
    EXPECT_EQ(counted.control().skip_sort == 0, round == 0 || far || more);
    EXPECT_EQ(counted.control().layouts, sorted.control().layouts);
    EXPECT_NE(sorted.control().skip_near, 0u);
    EXPECT_EQ(counted.ids(), sorted.ids());
    EXPECT_EQ(counted.chunk_table(), sorted.chunk_table());
    EXPECT_EQ(counted.positions(), sorted.positions());
    TestFixture::expect_own_numbers(counted, clean);
    TestFixture::expect_own_numbers(sorted, clean);
  }
}

TYPED_TEST(Layouts, OfLiquidsAreFoundByCountingAsWell) {
  const Scene scene = liquid_layout_scene(TestFixture::D);
  typename TestFixture::Harness counted(2, scene), sorted(1, scene);
  TestFixture::fill(counted);
  TestFixture::fill(sorted);
  for (int round = 0; round < 8; ++round) {
    SCOPED_TRACE(round);
    const bool still = round == 3, far = round == 5;
    const auto before = counted.ids();
    for (auto* h : {&counted, &sorted}) h->move(still ? 0.0 : 1.3, far ? 17 : -1);
    counted.layout(Finds::kNear, false);
    sorted.layout(Finds::kSorted, false);
    EXPECT_EQ(counted.control().skip_sort == 0, round == 0 || far);
    EXPECT_EQ(counted.control().skip_permute != 0, still);
    EXPECT_EQ(counted.ids() == before, still);
    EXPECT_EQ(counted.ids(), sorted.ids());
    EXPECT_EQ(counted.chunk_table(), sorted.chunk_table());
    EXPECT_EQ(counted.positions(), sorted.positions());
    TestFixture::expect_own_numbers(counted, false);
  }
}

TYPED_TEST(Layouts, CleanOnesChangeTheBankAndOthersDoNot) {
  typename TestFixture::Harness h(2);
  TestFixture::fill(h);
  h.layout(Finds::kNear, false);
  EXPECT_EQ(h.control().first_chunk, 0u);
  h.move(1);
  h.layout(Finds::kNear, true);
  EXPECT_EQ(h.control().first_chunk, h.capacity());
  h.stamp_idle();
  h.move(1);
  h.layout(Finds::kNear, false);
  EXPECT_EQ(h.control().first_chunk, h.capacity());
  TestFixture::expect_own_numbers(h, false);
  h.move(1);
  h.layout(Finds::kNear, true);
  EXPECT_EQ(h.control().first_chunk, 0u);
}

TYPED_TEST(Layouts, StayWhereNobodyHasLeft) {
  typename TestFixture::Harness h(2);
  TestFixture::fill(h);
  h.layout(Finds::kNear, false);
  for (const bool clean : {true, false}) {
    h.stamp_idle();
    const auto before = h.ids();
    const auto table = h.chunk_table();
    const auto layouts = h.control().layouts;
    h.layout(Finds::kNear, clean);
    EXPECT_EQ(h.control().first_chunk, 0u);
    EXPECT_EQ(h.control().layouts, layouts + 1);
    EXPECT_EQ(h.ids(), before);
    EXPECT_EQ(h.chunk_table(), table);
    TestFixture::expect_own_numbers(h, false);
  }
  h.move(1);
  h.layout(Finds::kNear, true);
  EXPECT_EQ(h.control().first_chunk, h.capacity());
  TestFixture::expect_own_numbers(h, true);
}

// Until OpenStep said it of every part, the counts of near layouts were made of a layout that was
// not, and the next one put particles beyond the end of their channels.
TYPED_TEST(Layouts, ThatAreSkippedLeaveTheTablesAlone) {
  typename TestFixture::Harness skipping(2), plain(1);
  for (auto* h : {&skipping, &plain}) {
    TestFixture::fill(*h);
    h->layout(Finds::kNear, false);
  }
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(round);
    for (auto* h : {&skipping, &plain}) h->move(0.4);
    const auto before = skipping.ids();
    const auto layouts = skipping.control().layouts;
    skipping.stay();
    EXPECT_EQ(skipping.ids(), before);
    EXPECT_EQ(skipping.control().layouts, layouts);
    for (auto* h : {&skipping, &plain}) {
      h->move(0.9);
      h->layout(Finds::kNear, true);
    }
    EXPECT_NE(skipping.control().skip_sort, 0u);
    EXPECT_EQ(skipping.ids(), plain.ids());
    EXPECT_EQ(skipping.chunk_table(), plain.chunk_table());
    EXPECT_EQ(skipping.positions(), plain.positions());
    TestFixture::expect_own_numbers(skipping, true);
  }
}

TYPED_TEST(Layouts, GrowthKeepsWhatLiesInEitherBank) {
  typename TestFixture::Harness h(1);
  TestFixture::fill(h);
  h.layout(Finds::kNear, false);
  for (int banks = 0; banks < 2; ++banks) {
    h.move(1);
    h.layout(Finds::kNear, true);
    h.stamp_idle();
    const auto before = h.ids();
    h.reserve(h.capacity() + 77);
    EXPECT_EQ(h.control().first_chunk, 0u);
    EXPECT_EQ(h.ids(), before);
    TestFixture::expect_own_numbers(h, false);
  }
}

TYPED_TEST(Layouts, LeaveRingsToTheSort) {
  typename TestFixture::Harness counted(1, ring_scene(TestFixture::D)),
      sorted(1, ring_scene(TestFixture::D));
  int across = 0, within = 0;
  for (auto* h : {&counted, &sorted}) h->add(40, 0, 1, 15);
  for (int round = 0; round < 40; ++round) {
    for (auto* h : {&counted, &sorted}) h->move(0.7);
    counted.layout(Finds::kNear, true);
    sorted.layout(Finds::kSorted, true);
    ++(counted.control().skip_sort == 0 ? across : within);
    ASSERT_EQ(counted.ids(), sorted.ids());
    ASSERT_EQ(counted.positions(), sorted.positions());
  }
  EXPECT_GT(across, 1);
  EXPECT_GT(within, 1);
}

TYPED_TEST(Layouts, StoresHoldWhatThePlanSays) {
  using Fixture = TestFixture;
  constexpr int D = Fixture::D;
  using Real = typename Fixture::Real;
  Cpu exec(1);
  for (const bool fused : {false, true})
    for (const bool velocity : {false, true})
      for (const int modes : {0, D, D * D})
        for (const bool deformation : {false, true}) {
          const ChannelNeeds needs{modes, deformation, deformation ? 0 : 2,
                                   true,  fused,       velocity || !fused};
          ParticleStore<Cpu, D, Real> store(exec, needs);
          std::uint32_t first = 0;
          store.reserve(100, first);
          EXPECT_EQ(store.bytes(), 100 * (ChannelPlan<D, Real>(needs).bytes_per_chunk()));
        }
}

// The bench's block: 10^6 particles of an elastic solid, APIC, single precision.
TEST(ParticleMemory, Is160BytesOnCuda) {
  Scene scene = empty_scene(3, 0.01, Precision::kSingle);
  scene.materials = {elastic("solid")};
  ASSERT_TRUE(fuses_steps(scene, true));
  const ChannelPlan<3, float> plan(channel_needs(scene, true));
  constexpr double kParticles = 1e6;
  const std::uint32_t chunks =
      chunks_after_append(0, static_cast<std::uint32_t>(kParticles) / kLanes);
  EXPECT_LE(static_cast<double>(chunks * plan.bytes_per_chunk()) / kParticles, 160);
  // The sort's alternate keys and values lie in the spare.
  EXPECT_GE(static_cast<std::size_t>(plan.spare_components()) * sizeof(float),
            2 * sizeof(std::uint32_t));
}

// Particles that a source adds make the store grow while either bank is in use.
TEST(FusedGrowth, GoesOnAsPlainStepsDo) {
  Scene scene = busy_scene(2, Precision::kDouble);
  scene.sinks.clear();
  scene.sources[0].shape = box({0.3, 0.6, 0}, {0.8, 1.2, 0});
  scene.sources[0].velocity = {0, -8, 0};
  Simulation fused = simulate(scene);
  scene.simulation.fused = false;
  Simulation plain = simulate(scene);
  for (int frame = 0; frame < 4; ++frame) {
    fused.advance_frame();
    plain.advance_frame();
  }
  const FrameStats stats = fused.stats();
  EXPECT_GT(stats.grown, 0);
  EXPECT_LT(stats.layouts, stats.total_steps);
  const Snapshot a = fused.snapshot(), b = plain.snapshot();
  ASSERT_EQ(a.id, b.id);
  double largest = 0;
  for (std::size_t i = 0; i < a.position.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a.position[i]) - b.position[i]));
  EXPECT_LT(largest, 2e-7);  // as in fused_test.cpp
}

// What the spare held after the first layout is no velocity gradient.
TEST(InitialStress, OfViscousMaterialAtRestIsZero) {
  for (const bool fused : {false, true}) {
    Scene scene = empty_scene(2, 0.05, Precision::kDouble);
    scene.simulation.fused = fused;
    scene.materials = {elastic("honey")};
    scene.materials[0].viscosity = 100;
    scene.bodies = {body("drop", 0, sphere({0.4, 0.4, 0}, 0.2))};
    const Simulation simulation = simulate(scene);
    SnapshotParts parts;
    parts.kirchhoff_stress = true;
    const Snapshot s = simulation.snapshot(parts);
    ASSERT_FALSE(s.kirchhoff_stress.empty());
    for (float tau : s.kirchhoff_stress) ASSERT_EQ(tau, 0.0f);
  }
}

}  // namespace
}  // namespace firn::test
