// What kernels of surfaces differ in, flatness and edges, and what neither may do: flicker, or tear
// where particles are drawn apart.
#if defined(FIRN_WITH_OPENVDB)
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

#include "src/surface/material_surfaces.h"
#include "src/surface/particle_surface.h"
#include "tests/support/particle_clouds.h"

namespace firn::test {
namespace {

ParticleSurface surface_of(const Cloud& cloud, SurfaceKernel kernel) {
  return {cloud.particles(), {.kernel = kernel}};
}

struct Spread {
  double mean = 0, deviation = 0;  // in spacings
  int count = 0;
};
Spread spread_of(const std::vector<double>& values) {
  Spread spread;
  spread.count = static_cast<int>(values.size());
  for (const double v : values) spread.mean += v / (kSpacing * spread.count);
  for (const double v : values)
    spread.deviation += std::pow(v / kSpacing - spread.mean, 2) / spread.count;
  spread.deviation = std::sqrt(spread.deviation);
  return spread;
}

// Of a pool's surface at z = 0 far from its sides.
Spread pool_heights(SurfaceKernel kernel) {
  const Cloud pool = cloud([](double x, double y, double z) {
    return std::abs(x) < 0.4 && std::abs(y) < 0.4 && z < 0 && z > -0.2;
  });
  const ParticleSurface surface = surface_of(pool, kernel);
  std::vector<double> heights;
  for (std::size_t i = 0; i < surface.mesh().vertices(); ++i) {
    const float* x = &surface.mesh().positions[3 * i];
    if (std::abs(x[0]) < 0.25 && std::abs(x[1]) < 0.25 && x[2] > -0.1) heights.push_back(x[2]);
  }
  return spread_of(heights);
}

// How far within the edges of a block that run along z its surface passes.
Spread edge_gaps(SurfaceKernel kernel) {
  const ParticleSurface surface = surface_of(cloud(in_block), kernel);
  std::vector<double> gaps;
  for (std::size_t i = 0; i < surface.mesh().vertices(); ++i) {
    const float* x = &surface.mesh().positions[3 * i];
    const double u = 0.3 - std::abs(x[0]), v = 0.2 - std::abs(x[1]);
    if (std::abs(x[2]) < 0.15 && std::abs(u - v) < 0.5 * kSpacing && u < 4 * kSpacing)
      gaps.push_back((u + v) / std::sqrt(2.0));
  }
  return spread_of(gaps);
}

TEST(SurfaceKernels, AnisotropicOnesMakePoolsFlatter) {
  const Spread round = pool_heights(SurfaceKernel::kIsotropic),
               flat = pool_heights(SurfaceKernel::kAnisotropic);
  ASSERT_GT(flat.count, 1000);
  RecordProperty("isotropic", std::to_string(round.deviation));
  RecordProperty("anisotropic", std::to_string(flat.deviation));
  EXPECT_LT(flat.deviation, round.deviation);
  EXPECT_NEAR(flat.mean, 0, 0.25);
}

TEST(SurfaceKernels, AnisotropicOnesKeepEdges) {
  const Spread round = edge_gaps(SurfaceKernel::kIsotropic),
               sharp = edge_gaps(SurfaceKernel::kAnisotropic);
  ASSERT_GT(sharp.count, 100);
  RecordProperty("isotropic", std::to_string(round.mean));
  RecordProperty("anisotropic", std::to_string(sharp.mean));
  EXPECT_LT(sharp.mean, round.mean);
}

// Of a sheet of one particle above a pool, both of one material: one level stands for both, and the
// sheet should be one spacing thick.
double sheet_thickness(SurfaceKernel kernel) {
  const Cloud pool = cloud([](double x, double y, double z) {
    return std::abs(x) < 0.4 && std::abs(y) < 0.4 &&
           ((z > -0.4 && z < -0.1) || (z > 0.2 && z < 0.2 + kSpacing));
  });
  const ParticleSurface surface = surface_of(pool, kernel);
  std::vector<double> above, below;
  for (std::size_t i = 0; i < surface.mesh().vertices(); ++i) {
    const float* x = &surface.mesh().positions[3 * i];
    if (std::abs(x[0]) < 0.3 && std::abs(x[1]) < 0.3 && x[2] > 0.1)
      (surface.mesh().normals[3 * i + 2] > 0 ? above : below).push_back(x[2]);
  }
  EXPECT_EQ(pieces(surface.mesh()), 2);
  return spread_of(above).mean - spread_of(below).mean;
}

TEST(SurfaceKernels, AnisotropicOnesKeepSheetsThin) {
  const double round = sheet_thickness(SurfaceKernel::kIsotropic),
               thin = sheet_thickness(SurfaceKernel::kAnisotropic);
  EXPECT_GT(thin, 0.8);
  EXPECT_LT(thin, 1.25);
  EXPECT_LT(thin, round);
}

class SurfaceKernelTest : public testing::TestWithParam<SurfaceKernel> {};
INSTANTIATE_TEST_SUITE_P(Kernels, SurfaceKernelTest, testing::ValuesIn(kKernels));

// The surface moves by no more than they do, and nowhere by so much that something of a particle's
// size has come or gone.
TEST_P(SurfaceKernelTest, TrembleNoMoreThanTheirParticles) {
  constexpr double kMost = 0.01;  // along each axis, spacings
  for (const Holds shape : {in_ball, in_sheet, in_rod}) {
    const Cloud still = cloud(shape);
    Cloud trembling = still;
    std::mt19937 random(11);
    const auto most = static_cast<float>(kMost * kSpacing);
    std::uniform_real_distribution<float> off(-most, most);
    for (float& x : trembling.position) x += off(random);
    const ParticleSurface before = surface_of(still, GetParam()),
                          after = surface_of(trembling, GetParam());
    const Off off_surface = offset(after.mesh(), before.mesh());
    EXPECT_LT(off_surface.mean, std::sqrt(3.0) * kMost);
    EXPECT_LT(off_surface.most, 0.25);
  }
}

// The grid stands still, so a body that moves through it by a fraction of a voxel is sampled anew:
// its surface moves along, but for a part of a voxel.
TEST_P(SurfaceKernelTest, MoveWithTheirParticles) {
  for (const Holds shape : {in_ball, in_block}) {
    const Cloud still = cloud(shape);
    Cloud moved = still;
    const float way = 0.3f * 0.6f * static_cast<float>(kSpacing);
    for (float& x : moved.position) x += way;
    const ParticleSurface before = surface_of(still, GetParam());
    SurfaceMesh after = surface_of(moved, GetParam()).mesh();
    for (float& x : after.positions) x -= way;
    const Off off = offset(after, before.mesh());
    EXPECT_LT(off.mean, 0.05);
    EXPECT_LT(off.most, 0.25);
  }
}

// A block drawn to 1.6 times its length and as much thinner as its volume asks for, as jelly may
// be: particles are 1.6 spacings apart along it.
TEST_P(SurfaceKernelTest, HoldTogetherWhatIsDrawnOut) {
  constexpr float kLonger = 1.6f;
  Cloud block = cloud(in_block);
  for (std::size_t i = 0; i < block.position.size(); ++i)
    block.position[i] *= i % 3 == 0 ? kLonger : 1 / std::sqrt(kLonger);
  const ParticleSurface surface = surface_of(block, GetParam());
  expect_closed(surface.mesh());
  EXPECT_EQ(pieces(surface.mesh()), 1);
  EXPECT_EQ(euler_characteristic(surface.mesh()), 2);
}

TEST(SurfaceKernels, AreChosenByTheScene) {
  Scene scene;
  for (const SurfaceKernel kernel : kKernels) {
    scene.output.surface_kernel = kernel;
    EXPECT_EQ(surface_settings(scene).kernel, kernel);
  }
}

}  // namespace
}  // namespace firn::test
#endif
