// A scene that is split among partitions gives what it gives whole, to the bit: every particle, in
// every number that it has, and every time step.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "tests/support/expect_error.h"
#include "tests/support/sim_scenes.h"
#include "tests/support/split_run.h"

namespace firn::test {
namespace {

struct Case {
  std::string name = {};
  int dimension = 2;
  Precision precision = Precision::kSingle;
  TransferType transfer = TransferType::kApic;
  int kernel = 2;
  bool periodic = false, three = false;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

constexpr double kBlock = 0.2;  // m

// Bodies of five laws that meet each other, a stone, a moving paddle, the floor and walls. The cuts
// go through the ball, and material flies across them both ways. Where the heap does that, more of
// it comes when the steps are under way.
Scene crowded_scene(const Case& c) {
  const bool solid = c.dimension == 3;
  Scene s = empty_scene(c.dimension, solid ? kBlock / 4 : kBlock / 8, c.precision);
  const double z = solid ? 0.3 : 0;
  s.materials = {elastic("jelly"), snow("snow"), sand("sand"), water("water"),
                 elastic("rubber", MaterialModel::kNeoHookean, 4e4)};
  s.materials[3].viscosity = 0.5;
  s.bodies = {body("ball", 0, sphere({0.4, 0.42, z}, 0.15), {1.5, -3, 0}),
              body("heap", 1, box({0.6, 0.04, 0.12}, {0.96, 0.3, 0.5}), {-2, 0.5, 0}),
              body("pile", 2, box({0.1, 0.04, 0.12}, {0.55, 0.2, 0.5})),
              body("drop", 3, sphere({0.36, 0.75, z}, 0.1), {3, -1, 0}),
              body("runner", 4, box({1.3, 0.66, 0.2}, {1.56, 0.88, 0.4}), {5, 0, 0}),
              body("shower", 1, box({0.7, 0.04, 0.12}, {0.85, 0.3, 0.5}), {-2, 0.5, 0})};
  s.bodies[0].angular_velocity = {0, 0, 5};
  Collider paddle =
      collider("paddle", box({0.92, 0, 0}, {1.1, 0.3, 0.6}), BoundaryType::kSeparate, 0.3);
  paddle.motion = Keyframes{{0, 0.2}, {{0, 0, 0}, {-0.4, 0, 0}}, {{0, 0, 0}, {0, 0, 0.3}}, {}};
  s.colliders = {paddle, collider("stone", sphere({0.3, 0, z}, 0.1), BoundaryType::kSticky)};
  Domain walls;
  walls.min = {0, 0, 0};
  walls.max = {8 * kBlock, 8 * kBlock, 0.6};
  walls.boundary.fill(BoundaryType::kSlip);
  walls.boundary[2] = BoundaryType::kSeparate;
  walls.friction.fill(0.2);
  if (c.periodic) walls.boundary[0] = walls.boundary[1] = BoundaryType::kPeriodic;
  s.grid.domain = walls;
  s.transfer.type = c.transfer;
  s.transfer.kernel = c.kernel;
  s.transfer.blend = 0.95;
  s.output.diagnostics = DiagnosticsLevel::kStages;
  return s;
}

template <int D>
std::uint64_t key_at(const std::array<int, 3>& block) {
  Vec<int, D> b;
  for (int a = 0; a < D; ++a) b[a] = block[static_cast<std::size_t>(a)];
  return block_key<D>(b);
}

template <class Real>
bool same_bits(const ParticleBits<Real>& a, const ParticleBits<Real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

template <class Real>
void expect_same(const StateBits<Real>& split, const StateBits<Real>& whole) {
  ASSERT_EQ(split.size(), whole.size());
  std::size_t different = 0;
  for (const auto& [id, particle] : whole) {
    const auto found = split.find(id);
    ASSERT_TRUE(found != split.end()) << "particle " << id << " is nowhere";
    if (same_bits(found->second, particle)) continue;
    if (different++ == 0) {
      std::size_t k = 0;
      while (k + 1 < particle.size() && found->second[k] == particle[k]) ++k;
      ADD_FAILURE() << "particle " << id << ", value " << k << ": " << found->second[k]
                    << ", and whole " << particle[k];
    }
  }
  EXPECT_EQ(different, 0u) << "particles are others than in the whole domain";
}

template <class Real>
void expect_same_steps(const RunRecord<Real>& part, const RunRecord<Real>& whole) {
  ASSERT_EQ(part.steps.size(), whole.steps.size());
  for (std::size_t i = 0; i < whole.steps.size(); ++i) {
    const StepControl &a = part.steps[i], &b = whole.steps[i];
    ASSERT_EQ(a.step, b.step);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a.dt), std::bit_cast<std::uint64_t>(b.dt))
        << "step " << a.step << ": " << a.dt << ", and whole " << b.dt;
    ASSERT_EQ(a.time, b.time);
    ASSERT_EQ(a.limit, b.limit);
    ASSERT_EQ(a.limit_material, b.limit_material);
  }
}

// Sums are the same but for the order of their terms.
template <class Real>
void expect_same_sums(const RunRecord<Real>& part, const RunRecord<Real>& whole) {
  const Totals &a = part.totals, &b = whole.totals;
  const double n = static_cast<double>(whole.states.back().size()),
               rounding = 2 * n * std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(a.mass, b.mass, rounding * b.mass);
  EXPECT_NEAR(a.kinetic, b.kinetic, rounding * b.kinetic);
  EXPECT_NEAR(a.elastic, b.elastic, rounding * b.elastic);
  // sum |m v| <= sqrt(sum m sum m v^2).
  const double momentum = std::sqrt(2 * b.mass * b.kinetic);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(a.momentum[i], b.momentum[i], rounding * momentum);
  // A step's impulses sum |m (v' - v)|, and what the stages do to its energy, are at most these
  // for the speeds that limited it.
  double impulses = 0, energies = 0;
  for (const StepControl& c : whole.steps) {
    const double speed = std::sqrt(c.speed_squared) + 2;  // and the paddle's
    impulses += 2 * b.mass * speed;
    energies += b.mass * speed * speed + b.elastic;
  }
  for (std::size_t c = 0; c < whole.reactions.size(); ++c)
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(part.reactions[c].force[i], whole.reactions[c].force[i], rounding * impulses);
      EXPECT_NEAR(part.reactions[c].torque[i], whole.reactions[c].torque[i],
                  2 * rounding * impulses);
    }
  const StageLedger &s = part.stats.stages, &t = whole.stats.stages;
  EXPECT_NEAR(s.p2g, t.p2g, rounding * energies);
  EXPECT_NEAR(s.grid_forces, t.grid_forces, rounding * energies);
  EXPECT_NEAR(s.boundary, t.boundary, rounding * energies);
  EXPECT_NEAR(s.g2p, t.g2p, rounding * energies);
  EXPECT_NEAR(s.plasticity, t.plasticity, rounding * energies);
}

class Split : public testing::TestWithParam<Case> {};

template <int D, class Real>
void split_and_compare(const Case& c, bool restart) {
  SplitRun<D, Real> run(crowded_scene(c), {1, 7, 60});
  run.add_last_body_later();
  const auto whole = run.whole();
  std::vector<std::uint64_t> cuts{key_at<D>({2, 2, 1})};
  if (c.three) cuts.push_back(key_at<D>({4, 1, 1}));
  run.restart(restart);
  const auto parts = run.split(cuts);

  PartitionTraffic all;
  for (const auto& part : parts) {
    EXPECT_GT(part.first_particles, 0u);
    all.particles_down += part.traffic.particles_down;
    all.particles_up += part.traffic.particles_up;
    all.halo_down += part.traffic.halo_down;
    all.halo_up += part.traffic.halo_up;
  }
  EXPECT_GT(all.particles_down, 10u);
  EXPECT_GT(all.particles_up, 10u);
  // Keys ascend with the coordinates, and stencils reach up; but contact with the paddle looks at
  // the nodes on all sides.
  EXPECT_GT(all.halo_up, 100u);
  EXPECT_GT(all.halo_down, 100u);

  for (std::size_t mark = 0; mark < whole.states.size(); ++mark) {
    SCOPED_TRACE(mark);
    expect_same(joined(parts, mark), whole.states[mark]);
  }
  for (const auto& part : parts) {
    expect_same_steps(part, whole);
    EXPECT_EQ(part.within, whole.within);
    if (!restart) expect_same_sums(part, whole);
  }
}

void split_and_compare(const Case& c, bool restart = false) {
  const bool single = c.precision == Precision::kSingle;
  if (c.dimension == 2)
    single ? split_and_compare<2, float>(c, restart) : split_and_compare<2, double>(c, restart);
  else
    single ? split_and_compare<3, float>(c, restart) : split_and_compare<3, double>(c, restart);
}

TEST_P(Split, IsTheWholeToTheBit) { split_and_compare(GetParam()); }

std::vector<Case> cases() {
  using enum TransferType;
  std::vector<Case> all;
  for (const int d : {2, 3})
    for (const Precision p : {Precision::kSingle, Precision::kDouble}) {
      const auto add = [&](const char* name, Case c) {
        c.name = name + std::to_string(d) + "D" + (p == Precision::kSingle ? "Single" : "Double");
        c.dimension = d;
        c.precision = p;
        all.push_back(c);
      };
      add("Apic", {});
      add("FlipCubic", {.transfer = kFlip, .kernel = 3});
      add("Periodic", {.periodic = true});
      add("Three", {.transfer = kPolypic, .three = true});
    }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Scenes, Split, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST(SplitRestart, GoesOnBitForBit) {
  split_and_compare({.dimension = 2, .precision = Precision::kDouble}, true);
  split_and_compare({.dimension = 3, .precision = Precision::kSingle}, true);
}

// Every partition would keep all of its particles.
TEST(SplitRestart, AWholeStateIsRefused) {
  SplitRun<2, double> run(crowded_scene({.precision = Precision::kDouble}), {2, 3});
  const auto whole = run.whole();
  run.prepare = [&](Stepper& stepper, std::size_t) {
    ByteReader in(whole.first_state);
    expect_error(ErrorCategory::kFile, {"another split of the domain"},
                 [&] { stepper.require_fit(in, 1u << 20); });
  };
  EXPECT_NO_THROW(run.split({key_at<2>({2, 2, 0})}));
}

// A sheet that flies from one partition into one that had nothing. Its viscosity bounds the steps,
// those of the empty partition too, and where it arrives there is no room for it.
TEST(SplitGrowth, APartitionThatLacksRoomLetsAllRepeatTheStep) {
  Scene scene = empty_scene(3, kBlock / 4, Precision::kSingle);
  scene.materials = {water("honey")};
  scene.materials[0].viscosity = 500;
  scene.bodies = {body("sheet", 0, box({0.01, 0.01, -0.21}, {2.39, 0.79, -0.01}), {0, 0, 8})};
  SplitRun<3, float> run(scene, {5, 50});
  const auto whole = run.whole();
  constexpr int kLowest = -static_cast<int>(BlockTraits<3>::kBias);
  const auto parts = run.split({key_at<3>({kLowest, kLowest, 0})});
  EXPECT_GT(parts[0].first_particles, 0u);
  EXPECT_EQ(parts[1].first_particles, 0u);
  EXPECT_EQ(parts[0].grown, 0);
  EXPECT_GT(parts[1].grown, 0);
  EXPECT_EQ(whole.steps.front().limit, StepLimit::kViscosity);
  EXPECT_GT(parts[1].steps.back().n_particles, parts[0].steps.back().n_particles);
  for (std::size_t mark = 0; mark < whole.states.size(); ++mark)
    expect_same(joined(parts, mark), whole.states[mark]);
  for (const auto& part : parts) expect_same_steps(part, whole);
}

// What one partition finds stops all of them, in the same step. It finds it in its last chunk,
// blocks away from what the other one reads.
TEST(SplitFaults, AreKnownToAllPartitions) {
  SplitRun<2, double> run(crowded_scene({.precision = Precision::kDouble}), {20});
  run.prepare = [](auto& stepper, std::size_t rank) {
    stepper.set_force(
        [rank, steps = 0](const ForceStep& step) mutable {
          const auto& a = step.acceleration;
          if (rank == 1 && ++steps == 3)
            static_cast<double*>(a.data)[(a.chunks - 1) * a.chunk_stride] = std::nan("");
        },
        Memory::kHost);
  };
  EXPECT_THROW(run.split({key_at<2>({2, 2, 0})}), Error);
  for (const std::exception_ptr& error : run.errors()) {
    ASSERT_TRUE(error);
    expect_error(ErrorCategory::kDiverged, {"particle ", "step 3"},
                 [&] { std::rethrow_exception(error); });
  }
}

TEST(SplitScenes, ThatNeedMoreAreRefused) {
  Mailboxes mail(2);
  PartitionTraffic traffic;
  const auto make = [&](const Scene& scene) {
    StepContext<Cpu, 2, double> context(
        scene, std::make_unique<Cpu>(1),
        std::make_unique<LocalPartition<double>>(mail, 0, std::vector<std::uint64_t>{0}, traffic));
  };
  Scene scene = crowded_scene({.precision = Precision::kDouble});
  make(scene);
  scene.colliders[1].dynamics.emplace().density = 1000;
  expect_error(ErrorCategory::kScene, {"split", "material moves"}, [&] { make(scene); });
  scene.colliders.clear();
  scene.simulation.integrator = Integrator::kIncompressible;
  expect_error(ErrorCategory::kScene, {"split", "explicit"}, [&] { make(scene); });
}

}  // namespace
}  // namespace firn::test
