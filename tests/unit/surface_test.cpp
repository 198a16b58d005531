// Surfaces of particles: closed, of the particles' volume, and where the particles are.
#if defined(FIRN_WITH_OPENVDB)
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include "src/surface/material_surfaces.h"
#include "src/surface/particle_surface.h"

namespace firn {
namespace {

constexpr double kSpacing = 0.02;

struct Cloud {
  std::vector<float> position, volume;
  SurfaceParticles particles() const { return {position, volume}; }
  double total() const { return static_cast<double>(volume.size()) * std::pow(kSpacing, 3); }
};

// Jittered points of a lattice that lie within a shape of side at most one about the origin.
Cloud cloud(const std::function<bool(double, double, double)>& holds, double jitter = 1) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> off(-0.5 * jitter, 0.5 * jitter);
  Cloud result;
  const int n = static_cast<int>(0.5 / kSpacing);
  for (int i = -n; i < n; ++i)
    for (int j = -n; j < n; ++j)
      for (int k = -n; k < n; ++k) {
        const double x = (i + 0.5 + off(random)) * kSpacing, y = (j + 0.5 + off(random)) * kSpacing,
                     z = (k + 0.5 + off(random)) * kSpacing;
        if (!holds((i + 0.5) * kSpacing, (j + 0.5) * kSpacing, (k + 0.5) * kSpacing)) continue;
        for (const double c : {x, y, z}) result.position.push_back(static_cast<float>(c));
        result.volume.push_back(static_cast<float>(std::pow(kSpacing, 3)));
      }
  return result;
}

bool in_ball(double x, double y, double z) { return x * x + y * y + z * z < 0.16; }
bool in_block(double x, double y, double z) {
  return std::abs(x) < 0.3 && std::abs(y) < 0.2 && std::abs(z) < 0.25;
}
bool in_sheet(double x, double y, double z) {  // of one particle
  return std::abs(x) < 0.4 && std::abs(y) < 0.4 && z > 0 && z < kSpacing;
}
bool in_rod(double x, double y, double z) {  // of two by two
  return std::abs(x) < 0.4 && std::abs(y) < kSpacing && std::abs(z) < kSpacing;
}

// Every edge belongs to two triangles, which pass along it in opposite directions.
void expect_closed(const SurfaceMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3)
    for (int k = 0; k < 3; ++k) ++edges[{mesh.triangles[t + k], mesh.triangles[t + (k + 1) % 3]}];
  for (const auto& [edge, count] : edges) {
    ASSERT_EQ(count, 1);
    ASSERT_TRUE(edges.contains({edge.second, edge.first}));
  }
}

class Surfaces : public testing::TestWithParam<bool (*)(double, double, double)> {};

TEST_P(Surfaces, AreClosedAndEncloseTheParticlesVolume) {
  const Cloud particles = cloud(GetParam());
  for (const double voxel : {0.5, 0.67, 1.0}) {
    const ParticleSurface surface(particles.particles(), {voxel, 10});
    expect_closed(surface.mesh());
    EXPECT_NEAR(enclosed_volume(surface.mesh()), particles.total(), 0.02 * particles.total());
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Surfaces, testing::Values(in_ball, in_block, in_sheet, in_rod));

TEST(Surfaces, OfABallIsRound) {
  const ParticleSurface surface(cloud(in_ball).particles(), {});
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

TEST(Surfaces, OfBodiesFourSpacingsApartAreTwo) {
  const auto blocks = [](double x, double y, double z) {
    return std::abs(std::abs(x) - 0.2) < 0.2 - 2 * kSpacing && std::abs(y) < 0.2 &&
           std::abs(z) < 0.2;
  };
  const ParticleSurface surface(cloud(blocks).particles(), {});
  for (std::size_t i = 0; i < surface.mesh().vertices(); ++i)
    EXPECT_GT(std::abs(surface.mesh().positions[3 * i]), 0.5 * kSpacing);
}

TEST(Surfaces, AreTheSameForAnyNumberOfThreads) {
  const Cloud particles = cloud(in_ball);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const ParticleSurface one(particles.particles(), {});
  omp_set_num_threads(3);
  const ParticleSurface three(particles.particles(), {});
  omp_set_num_threads(threads);
  EXPECT_EQ(one.mesh().positions, three.mesh().positions);
  EXPECT_EQ(one.mesh().triangles, three.mesh().triangles);
}

TEST(Surfaces, CarryWhatParticlesCarry) {
  const Cloud particles = cloud(in_block);
  std::vector<float> values;
  for (std::size_t p = 0; p < particles.volume.size(); ++p) {
    values.push_back(7);
    values.push_back(particles.position[3 * p]);
  }
  const ParticleSurface surface(particles.particles(), {});
  const std::vector<float> carried = surface.at_vertices(values, 2);
  for (std::size_t i = 0; i < surface.mesh().vertices(); ++i) {
    EXPECT_NEAR(carried[2 * i], 7, 1e-5);
    EXPECT_NEAR(carried[2 * i + 1], surface.mesh().positions[3 * i], 2 * kSpacing);
  }
}

TEST(Surfaces, LeaveOutWhatIsNotFinite) {
  Cloud particles = cloud(in_ball);
  const ParticleSurface clean(particles.particles(), {});
  const double volume = enclosed_volume(clean.mesh());
  particles.position.insert(particles.position.end(),
                            {std::numeric_limits<float>::quiet_NaN(), 0, 0});
  particles.volume.push_back(particles.volume.front());
  const ParticleSurface surface(particles.particles(), {});
  expect_closed(surface.mesh());
  EXPECT_NEAR(enclosed_volume(surface.mesh()), volume, 1e-3 * volume);
}

// Whatever its place among the voxels.
TEST(Surfaces, OfLoneDropsAreThere) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> anywhere(-1, 1);
  for (int i = 0; i < 50; ++i) {
    const std::vector<float> position{anywhere(random), anywhere(random), anywhere(random)};
    const std::vector<float> volume{static_cast<float>(std::pow(kSpacing, 3))};
    const ParticleSurface surface({position, volume}, {});
    EXPECT_NEAR(enclosed_volume(surface.mesh()) / volume[0], 1, 1e-3) << i;
  }
}

TEST(Surfaces, OfNoParticlesAreEmpty) {
  const ParticleSurface surface(SurfaceParticles{}, {});
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
    const auto surfaces = material_surfaces(scene, two_bodies(), {true});
    EXPECT_EQ(surfaces.size(), model == MaterialModel::kIncompressible ? 1u : 2u);
  }
  EXPECT_TRUE(material_surfaces(scene, two_bodies(), {false}).empty());
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
}  // namespace firn
#endif
