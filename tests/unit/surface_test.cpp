// Surfaces of particles: closed, of the particles' volume, and where the particles are.
#if defined(FIRN_WITH_OPENVDB)
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <tuple>

#include "src/surface/material_surfaces.h"
#include "src/surface/particle_surface.h"
#include "src/surface/pieces.h"
#include "tests/support/particle_clouds.h"

namespace firn::test {
namespace {

class SurfacesOfShapes : public testing::TestWithParam<std::tuple<SurfaceKernel, Holds>> {};

TEST_P(SurfacesOfShapes, AreClosedAndEncloseTheParticlesVolume) {
  const auto [kernel, shape] = GetParam();
  const Cloud particles = cloud(shape);
  for (const double voxel : {0.5, 0.67, 1.0}) {
    const ParticleSurface surface(particles.particles(), {voxel, 10, kernel});
    expect_closed(surface.mesh());
    EXPECT_NEAR(enclosed_volume(surface.mesh()), particles.total(), 0.02 * particles.total());
  }
}

// No drop comes off, and there is no hole, though the sheet and the rod have one or two particles
// across.
TEST_P(SurfacesOfShapes, AreOnePieceWithoutHoles) {
  const auto [kernel, shape] = GetParam();
  const ParticleSurface surface(cloud(shape).particles(), {0.67, 10, kernel});
  EXPECT_EQ(pieces(surface.mesh()), 1);
  EXPECT_EQ(euler_characteristic(surface.mesh()), 2);
}

INSTANTIATE_TEST_SUITE_P(Kernels, SurfacesOfShapes,
                         testing::Combine(testing::ValuesIn(kKernels),
                                          testing::Values(in_ball, in_block, in_sheet, in_rod)));

class Surfaces : public testing::TestWithParam<SurfaceKernel> {
 protected:
  const SurfaceSettings settings_{.kernel = GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Kernels, Surfaces, testing::ValuesIn(kKernels));

TEST_P(Surfaces, OfABallIsRound) {
  const ParticleSurface surface(cloud(in_ball).particles(), settings_);
  const SurfaceMesh& mesh = surface.mesh();
  ASSERT_GT(mesh.vertices(), 1000u);
  double square = 0;
  for (std::size_t i = 0; i < mesh.vertices(); ++i) {
    const float* x = &mesh.positions[3 * i];
    const float* n = &mesh.normals[3 * i];
    const double r = std::hypot(x[0], x[1], x[2]);
    EXPECT_NEAR(r, 0.4, kSpacing);
    EXPECT_GT((x[0] * n[0] + x[1] * n[1] + x[2] * n[2]) / r, 0.8);  // outward
    square += (r - 0.4) * (r - 0.4);
  }
  EXPECT_LT(std::sqrt(square / static_cast<double>(mesh.vertices())), 0.25 * kSpacing);
}

TEST_P(Surfaces, OfBodiesFourSpacingsApartAreTwo) {
  const auto blocks = [](double x, double y, double z) {
    return std::abs(std::abs(x) - 0.2) < 0.2 - 2 * kSpacing && std::abs(y) < 0.2 &&
           std::abs(z) < 0.2;
  };
  const ParticleSurface surface(cloud(blocks).particles(), settings_);
  for (std::size_t i = 0; i < surface.mesh().vertices(); ++i)
    EXPECT_GT(std::abs(surface.mesh().positions[3 * i]), 0.5 * kSpacing);
}

// Two of 20 by 10 by 20 particles, a lattice's, so many spacings from face to face.
Cloud blocks_apart(double gap) {
  Cloud blocks = cloud(
      [](double x, double y, double z) {
        return std::abs(x) < 10 * kSpacing && std::abs(y) < 10 * kSpacing &&
               std::abs(z) < 10 * kSpacing;
      },
      0);
  for (std::size_t i = 1; i < blocks.position.size(); i += 3)
    blocks.position[i] +=
        std::copysign(static_cast<float>(0.5 * gap * kSpacing), blocks.position[i]);
  return blocks;
}

void move_up(Cloud& cloud, double spacings) {
  for (std::size_t i = 1; i < cloud.position.size(); i += 3)
    cloud.position[i] += static_cast<float>(spacings * kSpacing);
}

constexpr double kStep = 0.4;  // spacings: places in the cells, which are 3 or 4 wide
constexpr int kSteps = 10;

double widest(const SurfaceMesh& mesh) {
  double x = 0;
  for (std::size_t i = 0; i < mesh.vertices(); ++i)
    x = std::max(x, std::abs(double{mesh.positions[3 * i]}));
  return x / kSpacing;
}

TEST_P(Surfaces, OfBodiesWithANarrowGapAreTwoWhereverItIs) {
  Cloud blocks = blocks_apart(2.5);
  // The level is such that half a percent of the volume is missing, of 8000 cells, at most.
  const double tolerance = 2 * 0.005 * 8000 / (4 * 20 * 20 + 8 * 20 * 10);
  const double width = widest(ParticleSurface(blocks.particles(), settings_).mesh());
  for (int step = 0; step < kSteps; ++step, move_up(blocks, kStep)) {
    const ParticleSurface surface(blocks.particles(), settings_);
    EXPECT_EQ(pieces(surface.mesh()), 2) << step;
    EXPECT_NEAR(widest(surface.mesh()), width, tolerance) << step;
  }
}

// Its inner side is a piece of its own.
TEST_P(Surfaces, OfABodyWithABubbleHaveItWhereverItIs) {
  Cloud block =
      cloud([](double x, double y,
               double z) { return in_block(x, y, z) && std::hypot(x, y, z) > 2.5 * kSpacing; },
            0);
  for (int step = 0; step < kSteps; ++step, move_up(block, kStep))
    EXPECT_EQ(pieces(ParticleSurface(block.particles(), settings_).mesh()), 2) << step;
}

TEST_P(Surfaces, AreTheSameForAnyNumberOfThreads) {
  const Cloud particles = cloud(in_ball);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const ParticleSurface one(particles.particles(), settings_);
  omp_set_num_threads(3);
  const ParticleSurface three(particles.particles(), settings_);
  omp_set_num_threads(threads);
  EXPECT_EQ(one.mesh().positions, three.mesh().positions);
  EXPECT_EQ(one.mesh().triangles, three.mesh().triangles);
}

// By a power of two, so that nothing is rounded otherwise: to 2·10^-8 m, where OpenVDB has no
// voxels.
TEST_P(Surfaces, OfTinyParticlesAreThoseOfLargeOnes) {
  const Cloud large = cloud(in_ball);
  Cloud tiny = large;
  for (float& x : tiny.position) x = std::ldexp(x, -20);
  for (float& v : tiny.volume) v = std::ldexp(v, -60);
  const ParticleSurface expected(large.particles(), settings_), found(tiny.particles(), settings_);
  EXPECT_EQ(found.mesh().triangles, expected.mesh().triangles);
  EXPECT_EQ(found.mesh().normals, expected.mesh().normals);
  std::vector<float> enlarged = found.mesh().positions;
  for (float& x : enlarged) x = std::ldexp(x, 20);
  EXPECT_EQ(enlarged, expected.mesh().positions);
}

TEST_P(Surfaces, CarryWhatParticlesCarry) {
  const Cloud particles = cloud(in_block);
  std::vector<float> values;
  for (std::size_t p = 0; p < particles.volume.size(); ++p) {
    values.push_back(7);
    values.push_back(particles.position[3 * p]);
  }
  const ParticleSurface surface(particles.particles(), settings_);
  const std::vector<float> carried = surface.at_vertices(values, 2);
  for (std::size_t i = 0; i < surface.mesh().vertices(); ++i) {
    EXPECT_NEAR(carried[2 * i], 7, 1e-5);
    EXPECT_NEAR(carried[2 * i + 1], surface.mesh().positions[3 * i], 2 * kSpacing);
  }
}

// Beyond the particles, whose mean about a vertex turns with 0.9 of this ball's spin. Of the mean
// square: what the least spread of a fit costs (near_fits.cpp), in single precision.
TEST_P(Surfaces, MoveAsARigidBodyDoes) {
  constexpr double kRadius = 7.5 * kSpacing;
  const Cloud ball =
      cloud([](double x, double y, double z) { return x * x + y * y + z * z < kRadius * kRadius; });
  const auto moved = [](const float* x) {
    return std::array<float, 3>{3 + 40 * x[2] - 20 * x[1], 20 * x[0] - 10 * x[2],
                                10 * x[1] - 40 * x[0]};
  };
  std::vector<float> velocity;
  for (std::size_t p = 0; p < ball.volume.size(); ++p)
    std::ranges::copy(moved(&ball.position[3 * p]), std::back_inserter(velocity));
  const ParticleSurface surface(ball.particles(), settings_);
  const std::vector<float> found = surface.fitted_at_vertices(velocity);
  ASSERT_EQ(found.size(), surface.mesh().positions.size());
  double off = 0, all = 0;
  for (std::size_t i = 0; i < found.size(); i += 3) {
    const auto expected = moved(&surface.mesh().positions[i]);
    for (std::size_t c = 0; c < 3; ++c) {
      off += std::pow(found[i + c] - expected[c], 2);
      all += std::pow(expected[c] - (c == 0 ? 3 : 0), 2);
    }
  }
  EXPECT_LT(std::sqrt(off / all), 0.01);
}

// A drop by itself has one velocity, whatever others have.
TEST_P(Surfaces, MoveAsTheirDropsDo) {
  const Cloud drops{{0, 0, 0, 1, 0, 0}, {1e-6f, 1e-6f}};
  const ParticleSurface surface(drops.particles(), settings_);
  const std::vector<float> found =
      surface.fitted_at_vertices(std::vector<float>{1, 2, 3, -4, -5, -6});
  const std::vector<std::uint32_t> nearest = surface.nearest_to_vertices();
  ASSERT_GT(nearest.size(), 0u);
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    const bool first = surface.mesh().positions[3 * i] < 0.5;
    EXPECT_EQ(nearest[i], first ? 0u : 1u);
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_EQ(found[3 * i + c], first ? static_cast<float>(c + 1) : -static_cast<float>(c + 4));
  }
}

TEST_P(Surfaces, KnowTheirNearestParticles) {
  const Cloud particles = cloud(in_block);
  const ParticleSurface surface(particles.particles(), settings_);
  const std::vector<std::uint32_t> found = surface.nearest_to_vertices();
  ASSERT_EQ(found.size(), surface.mesh().vertices());
  const auto square = [&](std::size_t p, const float* x) {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c)
      sum += std::pow(double{particles.position[3 * p + c]} - double{x[c]}, 2);
    return sum;
  };
  for (std::size_t i = 0; i < found.size(); i += 50) {
    const float* x = &surface.mesh().positions[3 * i];
    double least = 1;
    for (std::size_t p = 0; p < particles.volume.size(); ++p) least = std::min(least, square(p, x));
    EXPECT_NEAR(square(found[i], x), least, 1e-5 * least);  // in single precision
  }
}

TEST_P(Surfaces, LeaveOutWhatIsNotFinite) {
  Cloud particles = cloud(in_ball);
  const ParticleSurface clean(particles.particles(), settings_);
  const double volume = enclosed_volume(clean.mesh());
  particles.position.insert(particles.position.end(),
                            {std::numeric_limits<float>::quiet_NaN(), 0, 0});
  particles.volume.push_back(particles.volume.front());
  const ParticleSurface surface(particles.particles(), settings_);
  expect_closed(surface.mesh());
  EXPECT_NEAR(enclosed_volume(surface.mesh()), volume, 1e-3 * volume);
}

// Whatever its place among the voxels.
// Of 5 to 110 particles: as many spacings across as voxels are about the smallest.
TEST_P(Surfaces, OfSmallDropsHaveTheirVolume) {
  for (const double spacings : {1.1, 1.3, 1.5, 2.0, 3.0}) {
    const double radius = spacings * kSpacing;
    const Cloud drop = cloud(
        [&](double x, double y, double z) { return x * x + y * y + z * z < radius * radius; });
    const ParticleSurface surface({drop.position, drop.volume}, settings_);
    EXPECT_NEAR(enclosed_volume(surface.mesh()), drop.total(), 0.04 * drop.total())
        << drop.volume.size() << " particles";
  }
}

TEST_P(Surfaces, OfLoneDropsAreThere) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> anywhere(-1, 1);
  for (int i = 0; i < 50; ++i) {
    const std::vector<float> position{anywhere(random), anywhere(random), anywhere(random)};
    const std::vector<float> volume{static_cast<float>(std::pow(kSpacing, 3))};
    const ParticleSurface surface({position, volume}, settings_);
    EXPECT_NEAR(enclosed_volume(surface.mesh()) / volume[0], 1, 1e-3) << i;
  }
}

// Spray, of which some are neither apart nor together: what is less than a fiftieth of a particle
// would come and go from frame to frame.
TEST_P(Surfaces, OfSprayHaveNoCrumbs) {
  std::mt19937 random(5);
  std::bernoulli_distribution is_there(0.08);
  const Cloud spray = cloud([&](double, double, double) { return is_there(random); });
  const ParticleSurface surface(spray.particles(), settings_);
  expect_closed(surface.mesh());
  const Pieces pieces = pieces_of(surface.mesh());
  int count = 0, crumbs = 0;
  for (std::uint32_t i = 0; i < surface.mesh().vertices(); ++i) {
    if (pieces.of_vertex[i] != i) continue;
    ++count;
    crumbs += std::abs(pieces.volume[i]) < 0.019 * std::pow(kSpacing, 3) ? 1 : 0;
  }
  EXPECT_GT(count, 500);
  EXPECT_EQ(crumbs, 0) << "of " << count;
}

TEST_P(Surfaces, OfNoParticlesAreEmpty) {
  const ParticleSurface surface(SurfaceParticles{}, settings_);
  EXPECT_EQ(surface.mesh().vertices(), 0u);
  EXPECT_EQ(enclosed_volume(surface.mesh()), 0);
}

Snapshot two_bodies() {
  const Cloud particles = cloud(in_block);
  Snapshot snapshot;
  snapshot.position = particles.position;
  snapshot.volume = particles.volume;
  for (std::uint32_t p = 0; p < particles.volume.size(); ++p) {
    snapshot.id.push_back(p);
    snapshot.material.push_back(0);
    snapshot.body.push_back(particles.position[3 * p] > 0);
  }
  return snapshot;
}

TEST(MaterialSurfaces, OfSolidsAreOneForEachBodyAndOfLiquidsOne) {
  Scene scene;
  scene.materials.resize(1);
  for (const auto model : {MaterialModel::kFixedCorotated, MaterialModel::kIncompressible}) {
    scene.materials[0].model = model;
    const auto surfaces = material_surfaces(scene, two_bodies(), {true}, {});
    EXPECT_EQ(surfaces.size(), model == MaterialModel::kIncompressible ? 1u : 2u);
  }
  EXPECT_TRUE(material_surfaces(scene, two_bodies(), {false}, {}).empty());
}

TEST(MaterialSurfaces, SnowAndSandAreShownAsParticlesUnlessTheSceneSaysOtherwise) {
  Scene scene;
  scene.simulation.dimension = 3;
  scene.materials.resize(2);
  scene.materials[0].model = MaterialModel::kSnow;
  scene.materials[1].model = MaterialModel::kNeoHookean;
  EXPECT_FALSE(is_shown_as_surface(scene, 0));
  EXPECT_TRUE(is_shown_as_surface(scene, 1));
  scene.output.look = Look::kSurface;
  scene.materials[1].look = Look::kParticles;
  EXPECT_TRUE(is_shown_as_surface(scene, 0));
  EXPECT_FALSE(is_shown_as_surface(scene, 1));
  scene.simulation.dimension = 2;
  EXPECT_FALSE(is_shown_as_surface(scene, 0));
}

}  // namespace
}  // namespace firn::test
#endif
