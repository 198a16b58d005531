// What is wrong stops the run within a step and is named; the last good state can go on.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include "src/run/state_seal.h"
#include "tests/support/expect_error.h"
#include "tests/support/forces.h"
#include "tests/support/sim_scenes.h"
#include "tests/support/state_editor.h"

namespace firn::test {
namespace {

Scene falling_ball(MaterialModel model = MaterialModel::kFixedCorotated,
                   Precision precision = Precision::kSingle) {
  Scene scene = empty_scene(2, 0.05, precision);
  scene.time.dt_max = 1;
  scene.materials = {elastic("jelly", model)};
  scene.bodies = {body("ball", 0, sphere({0, 0, 0}, 0.3), {1, 0, 0})};
  return scene;
}

// --- time steps ---

void force_step(Scene& scene, double dt) { scene.time.dt_min = scene.time.dt_max = dt; }

TEST(Divergence, StepsAboveTheWaveLimitAreRefused) {
  for (double factor : {1.01, 10.0, 100.0}) {
    Scene scene = falling_ball();
    const SceneEstimate e = estimate(scene);
    ASSERT_EQ(e.limited_by, DtLimit::kWaveSpeed);
    force_step(scene, factor * e.dt_limit);
    Simulation simulation = simulate(scene);
    const Divergence where =
        expect_divergence({"step 1 ", "refused", "material \"jelly\"", "cfl_material", "dt_min"},
                          [&] { simulation.advance_frame(); });
    EXPECT_EQ(where.step, 1);
    EXPECT_EQ(where.time, 0);
    EXPECT_EQ(where.material, "jelly");
    EXPECT_FALSE(where.particle || where.position) << "no particle is wrong";
  }
  Scene scene = falling_ball();
  force_step(scene, 0.99 * estimate(scene).dt_limit);
  Simulation simulation = simulate(scene);
  EXPECT_TRUE(simulation.advance_frame());
}

TEST(Divergence, StepsAboveTheViscousLimitAreRefused) {
  Scene scene = falling_ball();
  scene.materials[0].viscosity = 1e4;
  const SceneEstimate e = estimate(scene);
  ASSERT_EQ(e.limited_by, DtLimit::kViscosity);
  force_step(scene, 10 * e.dt_limit);
  Simulation simulation = simulate(scene);
  expect_error(ErrorCategory::kDiverged, {"step 1 ", "viscosity of material \"jelly\""},
               [&] { simulation.advance_frame(); });
}

TEST(Divergence, StepsAboveTheVelocityLimitAreRefused) {
  Scene scene = falling_ball();
  scene.bodies[0].velocity.component[0].constant = 1000;
  force_step(scene, 10 * estimate(scene).dt_limit);
  Simulation simulation = simulate(scene);
  const Divergence where =
      expect_divergence({"step 1 ", "fastest particle"}, [&] { simulation.advance_frame(); });
  EXPECT_EQ(where.step, 1);
  EXPECT_EQ(where.material, "") << "of any material";
}

// Stiff at first only for the hardened: the limit is met in the course of the run.
TEST(Divergence, AMaterialThatStiffensIsCaughtAtThatStep) {
  Scene scene = empty_scene(2, 0.05);
  scene.materials = {snow("snow")};
  scene.bodies = {body("ball", 0, sphere({0, 0.2, 0}, 0.2), {0, -8, 0})};
  scene.colliders = {collider("ground", ground(), BoundaryType::kSticky)};
  scene.time.dt_min = 0.95 * estimate(scene).dt_limit;
  Simulation simulation = simulate(scene);
  StepInfo last;
  const auto note = [&](const StepInfo& step) { return (last = step, true); };
  const Divergence where = expect_divergence({"refused", "material \"snow\""}, [&] {
    simulation.advance_until(1, {{}, note, {}});
  });
  EXPECT_GT(last.step, 0);
  EXPECT_EQ(where.step, last.step + 1);
  EXPECT_EQ(where.time, last.time);
  EXPECT_EQ(where.material, "snow");
}

// --- particles ---

constexpr int kPosition = 0, kVelocity = 1,
              kDisplacement = 3;  // order of the channels in a saved APIC state

// Runs some steps, lets `damage` change one particle of the saved state, and expects the next step
// to name it. Plain steps: between fused ones velocities lie on the grid, and positions out of
// reach are refused on loading.
template <class Damage>
void expect_fault(Scene scene, std::initializer_list<std::string> parts, Damage damage) {
  scene.simulation.fused = false;
  Simulation simulation = simulate(scene);
  make_steps(simulation, 5);
  StateEditor editor(simulation.save_state());
  const std::uint32_t slot = kLanes + 3;  // a lane of the second chunk
  damage(editor, slot);
  simulation.load_state(editor.bytes());
  int polls = 0;
  const Divergence where = expect_divergence(parts, [&] {
    while (true) simulation.advance_frame([&] { return ++polls > 2; });
  });
  EXPECT_EQ(polls, 1) << "more than one step was made";
  EXPECT_TRUE(where.particle && where.position);
  EXPECT_EQ(where.material, "jelly");
  EXPECT_TRUE(where.step == 5 || where.step == 6) << where.step;
  EXPECT_GT(where.time, 0);
  // Velocities that are wrong are found in all particles around.
  if (where.step == 5) {
    EXPECT_EQ(where.particle, editor.id(slot));
  }
}

TEST(Divergence, NotANumberInAVelocity) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_fault(
      falling_ball(),
      {"particle ", "body \"ball\"", "material \"jelly\"", "velocity is not finite", "step 6"},
      [&](StateEditor& e, std::uint32_t slot) { e.set(kVelocity, slot, 1, nan); });
}

TEST(Divergence, APositionFarAway) {
  // 2.2e8 m are 2^32 cells: a block key would hold that, 32-bit node numbers do not.
  for (float x : {1e30f, -1e30f, 2.2e8f, -2.2e8f, std::numeric_limits<float>::quiet_NaN(),
                  std::numeric_limits<float>::infinity()}) {
    std::string name;
    Simulation probe = simulate(falling_ball());
    make_steps(probe, 5);
    name = "particle " + std::to_string(StateEditor(probe.save_state()).id(kLanes + 3)) +
           " of body \"ball\"";
    expect_fault(falling_ball(),
                 {name, "material \"jelly\"", "outside the addressable grid", "step 5"},
                 [&](StateEditor& e, std::uint32_t slot) { e.set(kPosition, slot, 0, x); });
  }
}

TEST(Divergence, InversionWhereTheModelForbidsIt) {
  for (MaterialModel model :
       {MaterialModel::kNeoHookean, MaterialModel::kStvkHencky, MaterialModel::kVonMises}) {
    Scene scene = falling_ball(model, Precision::kDouble);
    scene.materials[0].yield_stress = 1e6;
    Simulation probe = simulate(scene);
    make_steps(probe, 5);
    const std::string name =
        "particle " + std::to_string(StateEditor(probe.save_state()).id(kLanes + 3)) + " of";
    expect_fault(scene, {name, "inverted", "step 6", "body \"ball\""},
                 [&](StateEditor& e, std::uint32_t slot) {
                   for (int k = 0; k < 4; ++k) e.set(kDisplacement, slot, k, k == 0 ? -2.0 : 0.0);
                 });
  }
}

TEST(Divergence, InversionWhereTheModelBearsIt) {
  const Scene scene = falling_ball(MaterialModel::kFixedCorotated, Precision::kDouble);
  Simulation simulation = simulate(scene);
  make_steps(simulation, 5);
  StateEditor editor(simulation.save_state());
  editor.set(kDisplacement, 3, 0, -2.0);
  simulation.load_state(editor.bytes());
  EXPECT_TRUE(simulation.advance_frame());
}

// A force that breaks one particle at a known instant; the message says where it was, and the state
// before goes on.
TEST(Divergence, ForcesThatAreNotFiniteOrFarTooLarge) {
  for (Precision precision : {Precision::kSingle, Precision::kDouble})
    for (double broken : {std::numeric_limits<double>::quiet_NaN(), 1e30,
                          std::numeric_limits<double>::infinity()}) {
      SCOPED_TRACE(broken);
      const Scene scene = falling_ball(MaterialModel::kFixedCorotated, precision);
      Simulation simulation = simulate(scene), reference = simulate(scene);
      simulation.advance_frame();
      reference.advance_frame();
      const auto good = simulation.save_state();
      EXPECT_TRUE(good == reference.save_state());
      simulation.set_force(force_of([=](std::uint32_t id, double) {
        return Vec3{id == 7 ? broken : 0, 0, 0};
      }));
      int steps = 0;
      expect_error(ErrorCategory::kDiverged,
                   {"particle ", "body \"ball\" (material \"jelly\")", "at ("},
                   [&] { simulation.advance_frame([&] { return ++steps > 2; }); });
      EXPECT_EQ(steps, 1);
      simulation.set_force({});
      simulation.load_state(good);
      simulation.advance_frame();
      reference.advance_frame();
      EXPECT_TRUE(simulation.save_state() == reference.save_state());
    }
}

TEST(Divergence, TheMessageSaysWhereTheParticleWas) {
  Simulation simulation = simulate(falling_ball());
  simulation.set_force(force_of([](std::uint32_t, double) { return Vec3{std::nan(""), 0, 0}; }));
  try {
    simulation.advance_frame();
    FAIL();
  } catch (const Error& e) {
    const std::string message = e.what();
    const std::string place = message.substr(message.find(" at (") + 5, 30);
    const double x = std::stod(place), y = std::stod(place.substr(place.find(',') + 1));
    EXPECT_NEAR(x, e.divergence()->position->at(0), 1e-5);
    EXPECT_NEAR(y, e.divergence()->position->at(1), 1e-5);
    EXPECT_LT(std::hypot(x, y), 0.31) << message;
  }
}

// --- saved states that do not fit ---

void expect_refused(const Scene& scene, const std::vector<std::byte>& bytes) {
  Simulation simulation = simulate(scene);
  expect_error(ErrorCategory::kFile, {"saved state"}, [&] { simulation.load_state(bytes); });
}

TEST(SavedState, OfAnotherSceneIsRefused) {
  const Scene scene = busy_scene(2, Precision::kSingle);
  const auto bytes = simulate(scene).save_state();
  expect_refused(busy_scene(3, Precision::kSingle), bytes);
  expect_refused(busy_scene(2, Precision::kDouble), bytes);
  expect_refused(falling_ball(), bytes);
  int changes = 0;
  const auto refused_after = [&](auto&& change) {
    SCOPED_TRACE(++changes);
    Scene other = scene;
    change(other);
    expect_refused(other, bytes);
  };
  refused_after([](Scene& s) { s.grid.dx *= 1.01; });
  refused_after([](Scene& s) { s.colliders.pop_back(); });
  refused_after([](Scene& s) { s.sources.clear(); });
  refused_after([](Scene& s) { s.bodies.pop_back(); });
  refused_after([](Scene& s) { s.bodies[0].material = 1; });
  refused_after([](Scene& s) { s.transfer.type = TransferType::kPic; });
}

TEST(SavedState, CutShortOrTooLongIsRefused) {
  const Scene scene = falling_ball();
  const auto bytes = simulate(scene).save_state();
  Simulation simulation = simulate(scene);
  const auto refuse = [&](const std::vector<std::byte>& broken) {
    expect_error(ErrorCategory::kFile, {"saved state"}, [&] { simulation.load_state(broken); });
  };
  // Also where the checksum is that of what is left.
  const auto inside = unsealed(bytes, scene);
  const auto refuse_cut = [&](std::size_t size) {
    refuse({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)});
    const auto left = inside.first(std::min(size, inside.size() - 1));
    refuse(sealed({left.begin(), left.end()}, scene));
  };
  for (std::size_t size = 0; size < 2000; ++size) refuse_cut(size);
  for (std::size_t size = 2000; size < bytes.size(); size += 997) refuse_cut(size);
  auto longer = bytes;
  longer.push_back(std::byte{0});
  refuse(longer);
  std::vector<std::byte> longer_inside(inside.begin(), inside.end());
  longer_inside.push_back(std::byte{0});
  refuse(sealed(longer_inside, scene));
}

TEST(SavedState, CountsThatWouldLeadOutOfBoundsAreRefused) {
  const Scene scene = busy_scene(2, Precision::kSingle);
  Simulation simulation = simulate(scene);
  simulation.advance_frame();
  const auto bytes = simulation.save_state();
  const auto refused_after = [&](auto&& change) {
    StateEditor editor(bytes);
    change(editor);
    expect_refused(scene, editor.bytes());
  };
  const auto control = [&](auto&& change) {
    refused_after([&](StateEditor& e) {
      StepControl c = e.control();
      change(c);
      e.set_control(c);
    });
  };
  const auto chunk = [&](auto&& change) {
    refused_after([&](StateEditor& e) {
      Chunk c = e.chunk(1);
      change(c);
      e.set_chunk(1, c);
    });
  };
  chunk([](Chunk& c) { c.count = 33; });
  chunk([](Chunk& c) { c.count -= 1; });
  chunk([](Chunk& c) { c.material = 4; });
  control([](StepControl& c) { c.n_chunks += 1; });
  control([](StepControl& c) { c.n_slots += 1; });
  control([](StepControl& c) { c.n_particles += 1; });
  control([](StepControl& c) { c.n_blocks = 0x7fffffff; });
  control([](StepControl& c) { c.limit = static_cast<StepLimit>(77); });
  control([](StepControl& c) { c.limit_material = 4; });
  control([](StepControl& c) { c.time = std::nan(""); });
  control([](StepControl& c) { c.dt = -1; });
  control([](StepControl& c) { c.stop = kStopDiverged; });
  refused_after([](StateEditor& e) { e.set_id(3, 0xfffffff0u); });
}

// With a checksum that holds, any one byte flipped either is refused, or lies in plain numbers and
// then cannot lead out of bounds: the run goes on or ends with an error.
TEST(SavedState, AFlippedByteNeverCrashes) {
  Scene scene = busy_scene(2, Precision::kSingle);
  Simulation simulation = simulate(scene);
  simulation.advance_frame();
  const auto bytes = simulation.save_state();
  const std::size_t header = StateEditor(bytes).chunk_count_offset() + 600;
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 1200; ++i) {
    auto broken = bytes;
    const std::size_t at = i < 900 ? random() % header : random() % bytes.size();
    broken[at] ^= static_cast<std::byte>(1u << random() % 8);
    try {
      simulation.load_state(with_checksum(broken));
      int polls = 0;
      simulation.advance_frame([&] { return ++polls > 1; });
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace firn::test
