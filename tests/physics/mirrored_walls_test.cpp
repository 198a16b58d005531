// Nodes behind walls of the domain that hold both ways are mirror images: motion that is linear in
// space is so up to the wall, and what meets a slippery wall moves as if it met its mirror image.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "src/state/scene_params.h"
#include "tests/support/forces.h"
#include "tests/support/linear_motion.h"
#include "tests/support/mirror_scenes.h"

namespace firn::test {
namespace {

constexpr double kDx = 0.05;

class MirroredWalls : public testing::TestWithParam<std::tuple<int, int>> {};  // dimension, kernel

TEST_P(MirroredWalls, KeepLinearMotionInACornerThatSlips) {
  const auto [dimension, kernel] = GetParam();
  Scene scene = walled_scene(dimension, Precision::kDouble, kDx, {0, 0, 0}, {1, 1, 1});
  scene.transfer.kernel = kernel;
  scene.materials[0].youngs_modulus = 100;  // long steps: snapshots hold floats
  scene.time.dt_max = 1e-2;
  NewParticles particles = scattered(scene, {0, 0, 0}, {0.2, 0.2, 0.2});
  std::array<double, 9> A{-1, 0, 0, 0, 0.5, 0, 0, 0, 2};
  move(particles, A, dimension);
  EXPECT_LE(error_of_gradients(scene, A, particles), 1e-5);
}

TEST_P(MirroredWalls, KeepShearOnAFloorThatSticks) {
  const auto [dimension, kernel] = GetParam();
  Scene scene = walled_scene(dimension, Precision::kDouble, kDx, {-1, 0, -1}, {1, 1, 1});
  scene.grid.domain->boundary[2] = BoundaryType::kSticky;
  scene.transfer.kernel = kernel;
  scene.materials[0].youngs_modulus = 100;  // long steps: snapshots hold floats
  scene.time.dt_max = 1e-2;
  NewParticles particles = scattered(scene, {-0.1, 0, -0.1}, {0.1, 0.2, 0.1});
  std::array<double, 9> A{0, 1.5, 0, 0, -1, 0, 0, 0.5, 0};
  move(particles, A, dimension);
  EXPECT_LE(error_of_gradients(scene, A, particles), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(All, MirroredWalls,
                         testing::Combine(testing::Values(2, 3), testing::Values(2, 3)));

// 2^32 cells away: an index of 32 bits would be 0.
TEST(MirroredWallsFarAway, AreNoneWithinReach) {
  const double far = std::ldexp(kDx, 32);
  const Scene scene = walled_scene(2, Precision::kDouble, kDx, {-far, -1, 0}, {far, 1, 0});
  const auto walls = domain_walls<2, double>(scene);
  EXPECT_FALSE(walls.mirrors[0] || walls.mirrors[1]);
  EXPECT_TRUE(walls.mirrors[2] && walls.mirrors[3]);
}

struct Thrown {
  const char* name;
  Integrator integrator;
  TransferType transfer;
};
void PrintTo(const Thrown& c, std::ostream* out) { *out << c.name; }
// Not FLIP, which hands on what the wall takes from its own nodes; an image gives them none.
class MirrorImage : public testing::TestWithParam<Thrown> {};

// Thrown at the wall x = 0, or at what is thrown at it from behind.
std::vector<float> ends(const Thrown& c, int dimension, bool wall) {
  const double far = 1;
  Scene scene = walled_scene(dimension, Precision::kDouble, kDx, {wall ? 0 : -far, -far, -far},
                             {far, far, far});
  scene.simulation.integrator = c.integrator;
  scene.transfer.type = c.transfer;
  scene.simulation.fps = 50;
  scene.implicit.tolerance = 1e-9;
  if (c.integrator != Integrator::kExplicit) scene.time.dt_max = 5e-3;
  NewParticles particles = scattered(scene, {0.05, -0.1, -0.1}, {0.25, 0.1, 0.1});
  const std::size_t count = particles.position.size();
  particles.velocity.assign(count, {-2, 0.7, 0.3});
  if (dimension == 2)
    for (Vec3& v : particles.velocity) v[2] = 0;
  Simulation simulation = simulate(scene);
  const std::uint32_t first = simulation.add_particles(particles).front();
  if (!wall) {
    for (std::size_t p = 0; p < count; ++p)
      particles.position[p][0] *= -1, particles.velocity[p][0] *= -1;
    simulation.add_particles(particles);
  }
  for (int frame = 0; frame < 10; ++frame) simulation.advance_frame();
  const Snapshot now = simulation.snapshot();
  std::vector<float> x(count * static_cast<std::size_t>(dimension));
  const std::size_t D = static_cast<std::size_t>(dimension);
  for (std::size_t p = 0; p < now.size(); ++p)
    if (now.id[p] >= first && now.id[p] < first + count)
      std::copy_n(now.position.begin() + static_cast<std::ptrdiff_t>(p * D), D,
                  x.begin() + static_cast<std::ptrdiff_t>((now.id[p] - first) * D));
  return x;
}

TEST_P(MirrorImage, IsWhatASlipperyWallIs) {
  for (const int dimension : {2, 3}) {
    const std::vector<float> at_wall = ends(GetParam(), dimension, true),
                             at_image = ends(GetParam(), dimension, false);
    double worst = 0, way = 0;
    for (std::size_t i = 0; i < at_wall.size(); ++i) {
      worst = std::max(worst, std::abs(static_cast<double>(at_wall[i] - at_image[i])));
      way = std::max(way, static_cast<double>(at_wall[i]));
    }
    EXPECT_LE(worst, 1e-6) << dimension << "D";
    EXPECT_GT(way, 0.3) << "has not come back";
  }
}

// Velocities along x after some steps of what falls to the wall x = 0 from rest, or of what it and
// its image do that a force draws together.
std::vector<float> falls(bool wall) {
  const double g = 50;
  Scene scene = walled_scene(2, Precision::kDouble, kDx, {wall ? 0.0 : -1.0, -1, 0}, {1, 1, 0});
  scene.time.dt_max = 2e-4;
  if (wall) scene.simulation.gravity = {-g, 0, 0};
  NewParticles particles = scattered(scene, {0, -0.1, 0}, {0.2, 0.1, 0});
  Simulation simulation = simulate(scene);
  const std::uint32_t first = simulation.add_particles(particles).front();
  const auto count = static_cast<std::uint32_t>(particles.position.size());
  if (!wall) {
    for (Vec3& x : particles.position) x[0] *= -1;
    simulation.add_particles(particles);
    simulation.set_force(force_of([&](std::uint32_t id, double) {
      return Vec3{id < first + count ? -g : g, 0, 0};
    }));
  }
  simulation.advance_until(0.05);
  const Snapshot now = simulation.snapshot();
  std::vector<float> v(count);
  for (std::size_t p = 0; p < now.size(); ++p)
    if (now.id[p] >= first && now.id[p] < first + count) v[now.id[p] - first] = now.velocity[2 * p];
  return v;
}

TEST(MirrorImages, FallAsTheirWeightSays) {
  const std::vector<float> at_wall = falls(true), at_image = falls(false);
  double worst = 0, fastest = 0;
  for (std::size_t i = 0; i < at_wall.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(at_wall[i] - at_image[i])));
    fastest = std::max(fastest, std::abs(static_cast<double>(at_wall[i])));
  }
  EXPECT_LE(worst, 1e-5);
  EXPECT_GT(fastest, 0.5);
}

INSTANTIATE_TEST_SUITE_P(
    All, MirrorImage,
    testing::Values(Thrown{"apic", Integrator::kExplicit, TransferType::kApic},
                    Thrown{"pic", Integrator::kExplicit, TransferType::kPic},
                    Thrown{"polypic", Integrator::kExplicit, TransferType::kPolypic},
                    Thrown{"semi_implicit", Integrator::kSemiImplicit, TransferType::kApic},
                    Thrown{"optimization", Integrator::kOptimization, TransferType::kApic}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace firn::test
