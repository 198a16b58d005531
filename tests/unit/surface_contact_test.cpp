// What pictures show where surfaces meet walls: sharp edges, and solids that lie on them.
#if defined(FIRN_WITH_OPENVDB)
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "src/surface/material_surfaces.h"
#include "tests/support/wall_scenes.h"

namespace firn::test {
namespace {

class SurfacesOnWalls : public testing::TestWithParam<SurfaceKernel> {};

INSTANTIATE_TEST_SUITE_P(Kernels, SurfacesOnWalls, testing::ValuesIn(kKernels));

SurfaceMesh mesh_of(const Cloud& cloud, MaterialModel model, SurfaceKernel kernel) {
  Scene scene = scene_in_box();
  scene.materials[0].model = model;
  scene.output.surface_kernel = kernel;
  Snapshot snapshot;
  snapshot.position = cloud.position;
  snapshot.volume = cloud.volume;
  snapshot.material.assign(cloud.volume.size(), 0);
  snapshot.body.assign(cloud.volume.size(), 0);
  snapshot.id.resize(cloud.volume.size());
  return material_surfaces(scene, snapshot, {true}, walls_of(scene)).front().surface.mesh();
}

// How far from its axis, in spacings, a ball of 10 lies on the floor, and has a skirt half a
// spacing above it. A sphere has 0 and 3.1.
std::array<double, 2> collar_of(MaterialModel model, SurfaceKernel kernel) {
  const auto holds = [](double x, double y, double z) {
    return std::hypot(x, y + 0.2, z) < 10 * kSpacing;
  };
  const SurfaceMesh mesh = mesh_of(cloud(holds), model, kernel);
  std::array<double, 2> collar{};
  for (std::size_t i = 0; i < mesh.vertices(); ++i) {
    const V3 x = vertex(mesh, i);
    const double radius = std::hypot(x[0], x[2]) / kSpacing, height = (x[1] + 0.4) / kSpacing;
    if (height < 0.02) collar[0] = std::max(collar[0], radius);
    if (height < 0.5) collar[1] = std::max(collar[1], radius);
  }
  return collar;
}

TEST_P(SurfacesOnWalls, OfSolidsHaveNoSkirtWhereTheyLie) {
  const auto solid = collar_of(MaterialModel::kFixedCorotated, GetParam()),
             liquid = collar_of(MaterialModel::kIncompressible, GetParam());
  EXPECT_LT(solid[0], liquid[0] - 0.5);
  EXPECT_LT(solid[1], liquid[1]);
  EXPECT_LT(solid[1], 3.1 + 1);
}

// Beneath a block of strewn particles there is no gap.
TEST_P(SurfacesOnWalls, OfSolidsThatLieFlatTouchTheFloor) {
  const Cloud block = in_box([](double x, double y, double z) {
    return std::max({std::abs(x), y, std::abs(z)}) < 0.2;
  });
  const SurfaceMesh mesh = mesh_of(block, MaterialModel::kFixedCorotated, GetParam());
  int on_floor = 0;
  for (std::size_t i = 0; i < mesh.vertices(); ++i) {
    const V3 x = vertex(mesh, i);
    if (std::max(std::abs(x[0]), std::abs(x[2])) > 0.2 - 3 * kSpacing || x[1] > -0.3) continue;
    ++on_floor;
    EXPECT_LT(x[1], -0.4 + kOff);
  }
  EXPECT_GT(on_floor, 100);
}

// Pictures would show the first row of triangles at the water's edge as a bevel that catches light.
TEST_P(SurfacesOnWalls, AreCreasedWhereTheFreeSurfaceMeetsAWall) {
  const Cloud pool = in_box([](double, double y, double) { return y < 0; });
  ParticleSurface surface(pool.particles(), {.voxel = kVoxel, .kernel = GetParam()},
                          walls_of(scene_in_box()));
  std::vector<std::uint32_t> copied;
  const SurfaceMesh closed = surface.mesh();
  const SurfaceMesh mesh = std::move(surface).creased(copied);
  ASSERT_EQ(mesh.vertices(), closed.vertices() + copied.size());
  EXPECT_GT(copied.size(), 100u);
  EXPECT_EQ(mesh.triangles.size(), closed.triangles.size());
  for (std::size_t i = 0; i < copied.size(); ++i)
    EXPECT_EQ(norm(vertex(mesh, closed.vertices() + i) - vertex(mesh, copied[i])), 0);
  const auto lies_on_wall = [&](std::uint32_t i) {
    const V3 x = vertex(mesh, i);
    return x[0] < -0.4 + kOff && std::abs(x[2]) < 0.4 - 2 * kSpacing && x[1] > -0.4 + 2 * kSpacing;
  };
  int found = 0, bevelled = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
    const std::uint32_t* corner = &mesh.triangles[t];
    if (!std::all_of(corner, corner + 3, lies_on_wall)) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      ++found;
      bevelled += closed.normals[3 * std::size_t{closed.triangles[t + k]}] > -0.9f;
      EXPECT_LT(mesh.normals[3 * std::size_t{corner[k]}], -0.99f);
    }
  }
  EXPECT_GT(found, 100);
  EXPECT_GT(bevelled, 20);
}

// Pictures of large meshes have them once in memory.
TEST_P(SurfacesOnWalls, AreCreasedWhereTheyLie) {
  const Cloud ball = cloud([](double x, double y, double z) { return std::hypot(x, y, z) < 0.3; });
  ParticleSurface surface(ball.particles(), {.voxel = kVoxel, .kernel = GetParam()});
  const float* positions = surface.mesh().positions.data();
  const std::uint32_t* triangles = surface.mesh().triangles.data();
  std::vector<std::uint32_t> copied;
  const SurfaceMesh mesh = std::move(surface).creased(copied);
  EXPECT_TRUE(copied.empty());
  EXPECT_EQ(mesh.positions.data(), positions);
  EXPECT_EQ(mesh.triangles.data(), triangles);
}

}  // namespace
}  // namespace firn::test
#endif
