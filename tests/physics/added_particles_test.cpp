// Particles that a program adds and takes out between steps: they are there at once, in all sums;
// a state that is saved behind that goes on as the simulation itself; and a simulation that gets
// particles before its first step is the one that has had them from the scene.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/support/device.h"
#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/library_scenes.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

constexpr RunOptions kOneThread{Device::kCpu, 1}, kOnCuda{Device::kCuda};

NewParticles some_jelly(int dimension) {
  NewParticles jelly;
  jelly.material = "jelly";
  for (int i = 0; i < 75; ++i) {  // more than two chunks
    jelly.position.push_back({0.4 + 0.01 * (i % 15), 0.7 + 0.02 * (i / 15),
                              dimension == 3 ? 0.25 + 0.005 * (i % 7) : 0});
    jelly.velocity.push_back({0.1 * i, -1, 0});
  }
  return jelly;
}
std::vector<std::uint32_t> every_other(std::vector<std::uint32_t> ids) {
  std::vector<std::uint32_t> list;
  for (std::size_t i = 0; i < ids.size(); i += 2) list.push_back(ids[i]);
  return list;
}

// Both goes on and what resumes from a state that was saved at once.
void expect_to_go_on_alike(const Scene& scene, const RunOptions& options, Simulation& changed) {
  const auto saved = changed.save_state();
  Simulation resumed(scene, options);
  resumed.load_state(saved);
  EXPECT_TRUE(resumed.save_state() == saved);
  for (int turn = 0; turn < 2; ++turn) {
    changed.advance_steps(6);
    resumed.advance_steps(6);
    EXPECT_TRUE(changed.save_state() == resumed.save_state()) << "turn " << turn;
  }
  EXPECT_TRUE(changed.advance_frame());
  EXPECT_TRUE(resumed.advance_frame());
  EXPECT_TRUE(changed.save_state() == resumed.save_state());
}

void expect_added(const Scene& scene, const RunOptions& options) {
  Simulation simulation(scene, options);
  simulation.advance_steps(7);
  const NewParticles jelly = some_jelly(scene.simulation.dimension);
  const Totals before = simulation.totals();
  const auto old_ids = simulation.field<std::uint32_t>("id");
  const auto ids = simulation.add_particles(jelly);
  ASSERT_EQ(ids.size(), jelly.position.size());

  const Snapshot s = simulation.snapshot();
  ASSERT_EQ(s.size(), old_ids.size() + ids.size());
  const auto d = static_cast<std::size_t>(scene.simulation.dimension);
  Totals expected = before;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::size_t at = old_ids.size() + i;  // ids count on
    ASSERT_EQ(s.id[at], ids[i]);
    ASSERT_GT(s.id[at], s.id[at - 1]);
    EXPECT_EQ(s.body[at], scene.bodies.size() + scene.sources.size());
    for (std::size_t a = 0; a < d; ++a) {
      EXPECT_EQ(s.position[at * d + a], static_cast<float>(jelly.position[i][a]));
      EXPECT_EQ(s.velocity[at * d + a], static_cast<float>(jelly.velocity[i][a]));
      expected.momentum[a] += s.mass[at] * jelly.velocity[i][a];
      expected.kinetic += 0.5 * s.mass[at] * jelly.velocity[i][a] * jelly.velocity[i][a];
    }
    // 2^d to a cell
    const double volume = std::pow(scene.grid.dx / 2, scene.simulation.dimension);
    EXPECT_FLOAT_EQ(s.volume[at], static_cast<float>(volume));
    expected.mass += 1000 * volume;
  }
  // Every one of the sums is of as many numbers, each rounded to a float.
  const double roundings = static_cast<double>(s.size()) * std::numeric_limits<float>::epsilon();
  const Totals after = simulation.totals();
  EXPECT_NEAR(after.mass, expected.mass, roundings * expected.mass);
  EXPECT_NEAR(after.kinetic, expected.kinetic, roundings * expected.kinetic);
  for (std::size_t a = 0; a < d; ++a)
    EXPECT_NEAR(after.momentum[a], expected.momentum[a], roundings * expected.mass * 8);
  // They are at rest in themselves; what an earlier layout has left in their chunks is not theirs.
  EXPECT_NEAR(after.elastic, before.elastic, roundings * before.elastic);

  expect_to_go_on_alike(scene, options, simulation);
  EXPECT_EQ(simulation.stats().added, static_cast<std::int64_t>(ids.size()));
}

void expect_half_removed(const Scene& scene, const RunOptions& options) {
  Simulation simulation(scene, options), complement(scene, options);
  simulation.advance_steps(9);
  complement.load_state(simulation.save_state());
  const Snapshot before = simulation.snapshot();
  const Totals whole = simulation.totals();
  const std::vector<std::uint32_t> leaving = every_other(before.id);
  std::vector<std::uint32_t> staying;
  std::set_difference(before.id.begin(), before.id.end(), leaving.begin(), leaving.end(),
                      std::back_inserter(staying));
  const auto removed_before = simulation.stats().removed;
  simulation.remove_particles(leaving);
  complement.remove_particles(staying);

  const Snapshot after = simulation.snapshot();
  EXPECT_EQ(after.id, staying);
  const auto d = static_cast<std::size_t>(scene.simulation.dimension);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::size_t was = 2 * i + 1;
    EXPECT_EQ(after.material[i], before.material[was]);
    EXPECT_EQ(after.body[i], before.body[was]);
    EXPECT_EQ(after.mass[i], before.mass[was]);
    for (std::size_t a = 0; a < d; ++a) {
      EXPECT_EQ(after.position[i * d + a], before.position[was * d + a]);
      EXPECT_EQ(after.velocity[i * d + a], before.velocity[was * d + a]);
    }
    for (std::size_t k = 0; k < d * d; ++k)
      EXPECT_EQ(after.deformation_gradient[i * d * d + k],
                before.deformation_gradient[was * d * d + k]);
  }
  // What went and what stayed are the whole.
  const Totals one = simulation.totals(), other = complement.totals();
  const double roundings =
      static_cast<double>(before.size()) * std::numeric_limits<float>::epsilon();
  EXPECT_NEAR(one.mass + other.mass, whole.mass, roundings * whole.mass);
  EXPECT_NEAR(one.kinetic + other.kinetic, whole.kinetic, roundings * whole.kinetic);
  EXPECT_NEAR(one.elastic + other.elastic, whole.elastic, roundings * whole.elastic);
  EXPECT_GT(one.elastic, 0);
  EXPECT_GT(other.elastic, 0);

  expect_to_go_on_alike(scene, options, simulation);
  EXPECT_GE(simulation.stats().removed - removed_before, static_cast<std::int64_t>(leaving.size()));
}

TEST(AddedParticles, AreThereAtOnceAndInSavedStates) {
  for (const LibraryCase& c : library_cases()) {
    SCOPED_TRACE(c.name());
    expect_added(busy_case(c), kOneThread);
  }
}
TEST(RemovedParticles, AreGoneAtOnceAndFromSavedStates) {
  for (const LibraryCase& c : library_cases()) {
    SCOPED_TRACE(c.name());
    expect_half_removed(busy_case(c), kOneThread);
  }
}

// The right ball comes from outside, with the very numbers that the scene would give it.
TEST(AddedParticles, AreAsIfTheSceneHadHadThem) {
  for (const LibraryCase& c : library_cases()) {
    if (c.precision == Precision::kSingle) continue;
    SCOPED_TRACE(c.name());
    const Scene both = two_balls(c);
    Scene left = both;
    left.bodies.pop_back();
    Simulation whole = simulate(both), built = simulate(left);
    const auto all = whole.field<double>("position");
    const auto already = static_cast<std::size_t>(built.stats().particles);
    const auto d = static_cast<std::size_t>(c.dimension);
    NewParticles right;
    right.material = "jelly";
    right.volume = whole.field<double>("volume").back();
    right.mass = whole.field<double>("mass").back();
    for (std::size_t i = already; i * d < all.size(); ++i) {
      Vec3& x = right.position.emplace_back();
      std::copy_n(&all[i * d], d, x.begin());
    }
    built.add_particles(right);
    for (Simulation* s : {&whole, &built}) {
      s->set_grid_boundary([](const BoundaryStep& step) {  // they begin to move, apart
        for (std::int64_t b = 0; b < step.velocity.chunks && step.time == 0; ++b)
          for (int i = 0; i < step.velocity.count(b); ++i)
            step.velocity.at<double>(b, 0, i) = -2 * step.position.at<double>(b, 0, i);
      });
      s->advance_steps(40);
    }
    EXPECT_EQ(built.field<double>("position"), whole.field<double>("position"));
    EXPECT_EQ(built.field<double>("velocity"), whole.field<double>("velocity"));
    EXPECT_EQ(built.totals().elastic, whole.totals().elastic);
    EXPECT_GT(whole.totals().elastic, 0);
  }
}

TEST(AddedParticles, GiveTheSameBitsForAnyNumberOfThreads) {
  std::vector<std::vector<std::byte>> reached;
  for (const int threads : {1, 3}) {
    Simulation simulation = simulate(busy_case({3, Precision::kSingle, true}), threads);
    simulation.advance_steps(5);
    const auto ids = simulation.add_particles(some_jelly(3));
    simulation.remove_particles(every_other(simulation.field<std::uint32_t>("id")));
    simulation.advance_steps(5);
    reached.push_back(simulation.save_state());
  }
  EXPECT_TRUE(reached[0] == reached[1]);
}

TEST(AddedParticles, OfLiquidsAndOfWhatMelts) {
  const Scene liquid = busy_liquid_scene(2, Precision::kSingle);
  Simulation pool = simulate(liquid);
  pool.advance_steps(4);
  NewParticles drops;
  drops.material = liquid.materials[0].name;
  const auto x = pool.field<float>("position");
  for (int i = 0; i < 40; ++i)
    drops.position.push_back({x[0] + 1e-3 * i, x[1] + 1e-3 * (i % 7), 0});
  pool.add_particles(drops);
  expect_to_go_on_alike(liquid, kOneThread, pool);
  pool.remove_particles(every_other(pool.field<std::uint32_t>("id")));
  expect_to_go_on_alike(liquid, kOneThread, pool);

  Scene scene = thermal_scene(2, 0.1);
  scene.materials = {solid("fat", 2e4, 1e6)};
  scene.materials[0].heat.melting_point = 310;
  scene.materials[0].heat.latent_heat = 1e3;
  scene.bodies = {body("fat", 0, box({0, 0, 0}, {0.5, 0.4, 0}))};
  scene.bodies[0].temperature.constant = 305;
  Simulation pan = simulate(scene);
  pan.advance_steps(2);
  NewParticles hot;
  hot.material = "fat";
  for (int i = 0; i < 40; ++i)
    hot.position.push_back({0.1 + 0.01 * (i % 8), 0.41 + 0.01 * (i / 8), 0});
  hot.temperature.assign(40, 340);
  hot.phase = Phase::kLiquid;
  const auto ids = pan.add_particles(hot);
  const Snapshot s = pan.snapshot();
  EXPECT_EQ(s.phase.back(), 1);
  EXPECT_NEAR(s.temperature.back(), 340, 340 * 4 * std::numeric_limits<float>::epsilon());
  expect_to_go_on_alike(scene, kOneThread, pan);
  pan.remove_particles(ids);
  expect_to_go_on_alike(scene, kOneThread, pan);
}

TEST(RemovedParticles, MayBeAllOfThem) {
  for (const bool fused : {true, false}) {
    Simulation simulation = simulate(two_balls({2, Precision::kSingle, fused}));
    simulation.advance_steps(3);
    const auto ids = simulation.field<std::uint32_t>("id");
    simulation.remove_particles(ids);
    EXPECT_EQ(simulation.totals().mass, 0);
    EXPECT_EQ(simulation.snapshot().size(), 0u);
    simulation.advance_steps(3);
    EXPECT_EQ(simulation.stats().particles, 0);
    EXPECT_EQ(simulation.stats().removed, static_cast<std::int64_t>(ids.size()));
    NewParticles one;
    one.material = "jelly";
    one.position = {{0, 0, 0}};
    one.velocity = {{1, 0, 0}};
    EXPECT_EQ(simulation.add_particles(one), std::vector<std::uint32_t>{ids.back() + 1});
    const double before = simulation.time();
    simulation.advance_steps(5);
    EXPECT_NEAR(simulation.field<float>("position")[0], simulation.time() - before,
                16 * std::numeric_limits<float>::epsilon());
  }
}

// --- what is refused, with nothing changed ---

void expect_refused(Simulation& simulation, std::initializer_list<std::string> parts,
                    const std::function<void(NewParticles&)>& spoil) {
  const auto before = simulation.save_state();
  NewParticles particles;
  particles.material = "jelly";
  particles.position = {{0.5, 0.5, 0}, {0.6, 0.5, 0}};
  spoil(particles);
  expect_error(ErrorCategory::kScene, parts, [&] { simulation.add_particles(particles); });
  EXPECT_TRUE(simulation.save_state() == before);
}

TEST(AddedParticles, AreCheckedAgainstTheScene) {
  using N = NewParticles;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Simulation s = simulate(busy_case({2, Precision::kSingle, true}));
  expect_refused(s, {"no material \"jely\"", "jelly"}, [](N& p) { p.material = "jely"; });
  expect_refused(s, {"2 positions and 1 velocities"}, [](N& p) { p.velocity = {{0, 0, 0}}; });
  expect_refused(s, {"particle 1 at [1.5, 0.5]", "outside the domain"}, [](N& p) {
    p.position[1] = {1.5, 0.5, 0};
  });
  expect_refused(s, {"position of particle 0 is not finite"}, [=](N& p) {
    p.position[0] = {nan, 0.5, 0};
  });
  expect_refused(s, {"velocity of particle 1 is not finite"}, [=](N& p) {
    p.velocity = {{0, 0, 0}, {0, nan, 0}};
  });
  expect_refused(s, {"velocity gradient of particle 1"}, [=](N& p) {
    p.velocity_gradient.resize(2);
    p.velocity_gradient[1][4] = nan;
  });
  expect_refused(s, {"third component"}, [](N& p) { p.position[0][2] = 0.1; });
  expect_refused(s, {"volume of 0"}, [](N& p) { p.volume = 0; });
  expect_refused(s, {"mass of -1"}, [](N& p) { p.mass = -1; });
  expect_refused(s, {"nothing in this scene has a temperature"}, [](N& p) {
    p.temperature = {300, 300};
  });
  expect_refused(s, {"thermal"}, [](N& p) { p.phase = Phase::kSolid; });
  EXPECT_TRUE(s.add_particles({"jelly", {}, {}, {}, {}, {}, {}, {}}).empty());

  Scene unbounded = two_balls({});
  Simulation free = simulate(unbounded);
  expect_refused(free, {"further out than the grid reaches"}, [](N& p) {
    p.position[0] = {1e12, 0, 0};
  });
  Scene liquid = busy_liquid_scene(2, Precision::kSingle);
  liquid.materials[0].name = "jelly";
  Simulation pool = simulate(liquid);
  expect_refused(pool, {"no mass of their own", "incompressible"}, [](N& p) { p.mass = 1; });

  // What a step could not hold would end it, and the simulation's state with it.
  expect_refused(s, {"mass of 1e+60", "sum"}, [](N& p) { p.mass = 1e60; });
  expect_refused(s, {"mass of 1e-60", "sum"}, [](N& p) { p.mass = 1e-60; });
  expect_refused(s, {"volume of 1e-60", "sum"}, [](N& p) { p.volume = 1e-60; });
  expect_refused(s, {"velocity of particle 1 is 1e+60", "single precision"}, [](N& p) {
    p.velocity = {{0, 0, 0}, {0, 1e60, 0}};
  });
  expect_refused(s, {"velocity gradient of particle 0 is 1e+60", "single precision"}, [](N& p) {
    p.velocity_gradient.resize(2);
    p.velocity_gradient[0][3] = 1e60;
  });
  expect_refused(s, {"velocity gradient of particle 0", "third component"}, [](N& p) {
    p.velocity_gradient.resize(2);
    p.velocity_gradient[0][2] = 1;
  });
}

TEST(RemovedParticles, AreToBeThere) {
  Simulation simulation = simulate(two_balls({}));
  const auto ids = simulation.field<std::uint32_t>("id");
  const auto before = simulation.save_state();
  const std::vector<std::uint32_t> with_a_stranger{ids[3], ids.back() + 1};
  expect_error(ErrorCategory::kScene, {"no particle " + std::to_string(ids.back() + 1)},
               [&] { simulation.remove_particles(with_a_stranger); });
  EXPECT_TRUE(simulation.save_state() == before);
  const std::vector<std::uint32_t> twice{ids[3], ids[3]};
  simulation.remove_particles(twice);  // is once
  EXPECT_EQ(simulation.snapshot().size(), ids.size() - 1);
  expect_error(ErrorCategory::kScene, {"no particle " + std::to_string(ids[3]), "gone"},
               [&] { simulation.remove_particles(twice); });
}

TEST(AddedParticles, WaitForTheEndOfACall) {
  Simulation simulation = simulate(two_balls({}));
  NewParticles one;
  one.material = "jelly";
  one.position = {{0, 0.5, 0}};
  const std::vector<std::uint32_t> first{0};
  const Observer meddles{{},
                         [&](const StepInfo& step) {
                           expect_error(ErrorCategory::kScene, {"add_particles", "callback"},
                                        [&] { simulation.add_particles(one); });
                           expect_error(ErrorCategory::kScene, {"remove_particles", "callback"},
                                        [&] { simulation.remove_particles(first); });
                           return step.step < 3;
                         },
                         {}};
  EXPECT_FALSE(simulation.advance_until(1, meddles));
  expect_error(ErrorCategory::kScene, {"add_particles", "advance_steps(1)"},
               [&] { simulation.add_particles(one); });
  expect_error(ErrorCategory::kScene, {"remove_particles", "advance_steps(1)"},
               [&] { simulation.remove_particles(first); });
  simulation.advance_steps(1);
  EXPECT_EQ(simulation.add_particles(one).size(), 1u);
  simulation.remove_particles(first);
}

TEST(GpuAddedParticles, AreThereAtOnceAndInSavedStates) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  expect_added(busy_case({2, Precision::kSingle, true}), kOnCuda);
  expect_added(busy_case({3, Precision::kSingle, false}), kOnCuda);
}
TEST(GpuRemovedParticles, AreGoneAtOnceAndFromSavedStates) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  expect_half_removed(busy_case({2, Precision::kDouble, true}), kOnCuda);
  expect_half_removed(busy_case({2, Precision::kSingle, false}), kOnCuda);
}

}  // namespace
}  // namespace firn::test
