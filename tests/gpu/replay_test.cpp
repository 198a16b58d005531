// Steps replayed from a CUDA graph, enqueued ahead of the look at the last ones, do what steps do
// that are launched kernel by kernel: the same numbers, growth and faults at the same steps, ends
// of frames met exactly. `time_stages` is what switches between the two.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "firn/error.h"
#include "tests/support/device.h"
#include "tests/support/forces.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

constexpr double kEpsilon = std::numeric_limits<float>::epsilon();

class GpuReplay : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  }
};

Simulation on_gpu(const Scene& scene, bool replayed) {
  Simulation simulation(scene, {Device::kCuda, 1});
  simulation.time_stages(!replayed);
  return simulation;
}

// A debug build waits for every launch, which a capture must not.
#if defined(NDEBUG)
constexpr bool kReplays = true;
#else
constexpr bool kReplays = false;
#endif

// Particles that never share a node, so that no sum depends on an order. They fly through blocks.
Scene lone_particles(int dimension, Precision precision) {
  Scene scene = empty_scene(dimension, 0.1, precision);
  scene.materials = {elastic("dust")};
  for (int i = 0; i < 40; ++i) {
    const double x = 3.2 * (i % 5), y = 3.2 * (i / 5), z = dimension == 3 ? 0.2 : 0.0;
    const Shape cube = box({x, y, z}, {x + 0.1, y + 0.1, z + 0.1});
    Body speck = body("speck" + std::to_string(i), 0, cube, {2.0, 0.5, 1.0});
    speck.sampling = Sampling::kUniform;
    speck.particles_per_cell = 1;
    speck.angular_velocity = {0, 0, 3};
    scene.bodies.push_back(speck);
  }
  return scene;
}

// A cloud that needs ten times the blocks in the end. [tests/physics/sparse_memory_test.cpp]
Scene explosion() {
  Scene scene = empty_scene(3, 0.1, Precision::kSingle);
  scene.simulation.gravity = {0, 0, 0};
  scene.materials = {elastic("gas", MaterialModel::kFixedCorotated, 1)};
  scene.bodies = {body("bomb", 0, sphere({0, 0, 0}, 0.25))};
  const char* velocity[] = {"100*x", "100*y", "100*z"};
  for (std::size_t a = 0; a < 3; ++a) scene.bodies[0].velocity.component[a] = {0, velocity[a]};
  return scene;
}

Scene falling_ball() {
  Scene scene = empty_scene(2, 0.05, Precision::kSingle);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("ball", 0, sphere({0, 0.3, 0}, 0.25), {1, -3, 0})};
  scene.bodies[0].angular_velocity = {0, 0, 4};
  scene.colliders = {collider("ground", ground(), BoundaryType::kSeparate, 0.3)};
  return scene;
}

double largest(std::span<const float> values) {
  double m = 0;
  for (float v : values) m = std::max(m, std::abs(static_cast<double>(v)));
  return m;
}

// Each of `steps` steps passes through some four sums of some 200 products whose order differs,
// 15 epsilon each (tests/gpu/step_equality_test.cpp), of the size of the largest value; `scale` is
// that size where values are differences of larger ones.
void expect_close(const std::vector<float>& a, const std::vector<float>& b, double scale,
                  std::int64_t steps, const char* quantity) {
  ASSERT_EQ(a.size(), b.size()) << quantity;
  const double tolerance = 64 * static_cast<double>(steps) * kEpsilon * std::max(scale, largest(a));
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], tolerance) << quantity << ", component " << i;
}

void expect_same_bits(const Scene& scene) {
  Simulation stream = on_gpu(scene, false), graph = on_gpu(scene, true);
  for (Simulation* simulation : {&stream, &graph}) simulation->advance_steps(40);
  EXPECT_EQ(stream.stats().enqueued.replayed, 0);
  // One step loads the kernels; the second one is captured and launched as the graph it became.
  if (kReplays) {
    EXPECT_EQ(graph.stats().enqueued.replayed, 39);
  }
  EXPECT_EQ(stream.stats().time, graph.stats().time);
  const Snapshot a = stream.snapshot(), b = graph.snapshot();
  ASSERT_EQ(a.size(), 40u);
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.deformation_gradient, b.deformation_gradient);
  EXPECT_EQ(a.kirchhoff_stress, b.kirchhoff_stress);
}

TEST_F(GpuReplay, StepsOfLoneParticlesAreTheSameBits) {
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::kSingle, Precision::kDouble})
      for (const bool fused : {true, false}) {
        Scene scene = lone_particles(dimension, precision);
        scene.simulation.fused = fused;
        expect_same_bits(scene);
      }
}

TEST_F(GpuReplay, AFallingBallIsTheSame) {
  constexpr int kSteps = 60;
  Simulation stream = on_gpu(falling_ball(), false), graph = on_gpu(falling_ball(), true);
  for (Simulation* simulation : {&stream, &graph}) simulation->advance_steps(kSteps);
  const Snapshot a = stream.snapshot(), b = graph.snapshot();
  const double wave_speed = std::sqrt(2 * 1e5 / 1000), modulus = 2 * 1e5;
  expect_close(a.position, b.position, 1, kSteps, "position");
  expect_close(a.velocity, b.velocity, wave_speed, kSteps, "velocity");
  expect_close(a.deformation_gradient, b.deformation_gradient, 2, kSteps, "F");
  expect_close(a.kirchhoff_stress, b.kirchhoff_stress, modulus, kSteps, "stress");
}

TEST_F(GpuReplay, SumsOfStagesAreTheSame) {
  constexpr int kSteps = 40;
  Scene scene = falling_ball();
  scene.output.diagnostics = DiagnosticsLevel::kStages;
  Simulation stream = on_gpu(scene, false), graph = on_gpu(scene, true);
  for (Simulation* simulation : {&stream, &graph}) simulation->advance_steps(kSteps);
  const StageLedger a = stream.stats().stages, b = graph.stats().stages;
  const Totals t = stream.stats().totals;
  // Differences of energies, once per step.
  const double tolerance = 64 * kSteps * kEpsilon * (t.kinetic + t.elastic);
  EXPECT_NEAR(a.p2g, b.p2g, tolerance);
  EXPECT_NEAR(a.grid_forces, b.grid_forces, tolerance);
  EXPECT_NEAR(a.boundary, b.boundary, tolerance);
  EXPECT_NEAR(a.g2p, b.g2p, tolerance);
  EXPECT_NE(a.g2p, 0);
}

TEST_F(GpuReplay, GrowsInTheMiddle) {
  Simulation stream = on_gpu(explosion(), false), graph = on_gpu(explosion(), true);
  const std::int64_t blocks = graph.stats().blocks;
  for (Simulation* simulation : {&stream, &graph}) simulation->advance_frame();
  const FrameStats a = stream.stats(), b = graph.stats();
  EXPECT_GT(b.grown, 0);
  EXPECT_GT(b.blocks, 5 * blocks);
  EXPECT_EQ(b.time, a.time);
  EXPECT_EQ(b.particles, a.particles);
  if (kReplays) {
    // Growth costs two runs without the graph, and what was enqueued behind the overflow.
    EXPECT_GE(b.enqueued.replayed, b.steps - 2 * (b.grown + 1));
    EXPECT_LE(b.enqueued.steps, b.steps + 16 * (b.grown + 1));
  }
  const Snapshot s = stream.snapshot(), g = graph.snapshot();
  expect_close(s.position, g.position, 1, a.steps, "position");
  expect_close(s.velocity, g.velocity, 25, a.steps, "velocity");
}

// Appending grows the particles' buffers between two runs of the graph.
TEST_F(GpuReplay, SourcesGrowTheParticles) {
  Scene scene = falling_ball();
  Source tap;
  tap.name = "tap";
  tap.material = 0;
  tap.shape = box({-3.5, 3.0, 0}, {-0.6, 3.8, 0});
  tap.velocity = {0, -16, 0};  // a pulse every 0.05 s
  scene.sources = {tap};
  Simulation stream = on_gpu(scene, false), graph = on_gpu(scene, true);
  for (Simulation* simulation : {&stream, &graph})
    for (int frame = 0; frame < 3; ++frame) simulation->advance_frame();
  EXPECT_GT(graph.stats().grown, 0);
  EXPECT_GT(graph.stats().emitted, 0);
  EXPECT_EQ(graph.stats().particles, stream.stats().particles);
  EXPECT_EQ(graph.stats().time, 3.0 / scene.simulation.fps);
  if (kReplays) {
    EXPECT_GT(graph.stats().enqueued.replayed, 0);
  }
}

TEST_F(GpuReplay, FramesEndExactlyAndWasteFewSteps) {
  Simulation graph = on_gpu(falling_ball(), true);
  for (int frame = 1; frame <= 5; ++frame) {
    ASSERT_TRUE(graph.advance_frame());
    const FrameStats s = graph.stats();
    EXPECT_EQ(s.time, frame / 24.0);
    EXPECT_GE(s.enqueued.steps, s.steps);
    EXPECT_LE(s.enqueued.steps, s.steps + 16);  // two batches
    EXPECT_GT(s.enqueued.seconds, 0);
    EXPECT_EQ(s.times.p2g, 0);  // no clocks inside a graph
  }
}

TEST_F(GpuReplay, AnInterruptedFrameGoesOn) {
  const Scene scene = lone_particles(2, Precision::kSingle);
  Simulation whole = on_gpu(scene, true), halted = on_gpu(scene, true);
  for (int frame = 0; frame < 4; ++frame) {
    whole.advance_frame();
    int polls = 0;
    while (!halted.advance_frame([&] { return ++polls % 2 == 0; }))
      halted.load_state(halted.save_state());
  }
  EXPECT_EQ(whole.stats().total_steps, halted.stats().total_steps);
  EXPECT_EQ(whole.snapshot().position, halted.snapshot().position);
}

// Falling particles that get too fast for dt_min, in the middle of a batch.
TEST_F(GpuReplay, AFaultIsToldAsWithoutTheGraph) {
  Scene scene = lone_particles(2, Precision::kSingle);
  scene.materials = {elastic("dust", MaterialModel::kFixedCorotated, 1)};
  scene.time.dt_min = scene.time.cfl * scene.grid.dx / 6;
  scene.time.dt_max = 1.2 * scene.time.dt_min;
  std::string told[2];
  for (const bool replayed : {false, true}) {
    Simulation simulation = on_gpu(scene, replayed);
    try {
      simulation.advance_steps(1000);
      ADD_FAILURE() << "no error was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.category(), ErrorCategory::kDiverged) << error.what();
      told[replayed] = error.what();
    }
  }
  EXPECT_NE(told[0].find("fastest particle"), std::string::npos) << told[0];
  EXPECT_EQ(told[0], told[1]);
}

TEST_F(GpuReplay, ABodyForceIsStillAsked) {
  Scene scene = lone_particles(2, Precision::kDouble);
  scene.simulation.gravity = {0, 0, 0};
  Simulation simulation = on_gpu(scene, true);
  simulation.advance_steps(20);
  const double before = simulation.totals().momentum[1];
  int asked = 0;
  simulation.set_force(force_of([&](std::uint32_t, double) {
    ++asked;
    return Vec3{0, 1, 0};
  }));
  simulation.advance_steps(5);
  EXPECT_EQ(asked, 5 * 40);
  EXPECT_EQ(simulation.stats().enqueued.steps, 0);
  simulation.set_force({});
  simulation.advance_steps(20);
  EXPECT_EQ(asked, 5 * 40);
  if (kReplays) {
    EXPECT_GT(simulation.stats().enqueued.replayed, 0);
  }
  EXPECT_GT(simulation.totals().momentum[1], before);
}

TEST_F(GpuReplay, ClocksCanBeSwitchedOnAndOff) {
  Simulation simulation = on_gpu(falling_ball(), true);
  for (const bool clocks : {false, true, false, true}) {
    simulation.time_stages(clocks);
    simulation.advance_steps(10);
    const FrameStats s = simulation.stats();
    EXPECT_EQ(s.steps, 10);
    EXPECT_EQ(s.times.rebuild > 0, clocks);
    if (kReplays) {
      EXPECT_EQ(s.enqueued.replayed > 0, !clocks);
    }
  }
}

}  // namespace
}  // namespace firn::test
