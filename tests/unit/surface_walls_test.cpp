// Surfaces of particles beside walls: none of them lies within, and they meet what they touch.
#if defined(FIRN_WITH_OPENVDB)
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <tuple>

#include "src/surface/particle_surface.h"
#include "src/surface/walls.h"
#include "tests/support/particle_clouds.h"
#include "tests/support/wall_scenes.h"

namespace firn::test {
namespace {

// Positions are of single precision, and some are sums of a few.
constexpr double kRounding = 4e-7;

Shape sphere(double radius) {
  Shape shape;
  shape.type = ShapeType::kSphere;
  shape.radius = radius;
  return shape;
}

Scene scene_with(const Shape& shape) {
  Scene scene = scene_in_box();
  scene.colliders.resize(1);
  scene.colliders[0].shape = shape;
  return scene;
}

double distance(const Walls& walls, const V3& x) { return walls.distance(~Walls::Set{0}, x); }

void expect_outside(const SurfaceMesh& mesh, const Walls& walls, double tolerance = kRounding) {
  double deepest = 0;
  for (std::size_t i = 0; i < mesh.vertices(); ++i)
    deepest = std::max(deepest, -distance(walls, vertex(mesh, i)));
  EXPECT_LE(deepest, tolerance);
}

// How far the middles of triangles are in a wall, in spacings; the deepest first.
std::vector<double> deep_middles(const SurfaceMesh& mesh, const Walls& walls) {
  std::vector<double> deep;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
    V3 sum = V3::zero();
    for (std::size_t k = 0; k < 3; ++k) sum += vertex(mesh, mesh.triangles[t + k]);
    deep.push_back(-distance(walls, sum * (1.0 / 3)) / kSpacing);
  }
  std::sort(deep.rbegin(), deep.rend());
  return deep;
}

// Particles of a shape that lie outside the walls. Of cells that these cut the parts.
Cloud cloud_beside(const Walls& walls, const std::function<bool(double, double, double)>& holds,
                   double jitter = 1) {
  const Cloud all = cloud(holds, jitter);
  Cloud result;
  for (std::size_t p = 0; p < all.volume.size(); ++p) {
    const float* x = &all.position[3 * p];
    if (distance(walls, {{x[0], x[1], x[2]}}) < 0.25 * kSpacing) continue;
    result.position.insert(result.position.end(), x, x + 3);
    result.volume.push_back(all.volume[p]);
  }
  return result;
}

class SurfacesAtWalls : public testing::TestWithParam<SurfaceKernel> {
 protected:
  ParticleSurface surface_of(const Cloud& cloud, const Walls& walls) const {
    return {cloud.particles(), {.voxel = kVoxel, .kernel = GetParam()}, walls};
  }
};

INSTANTIATE_TEST_SUITE_P(Kernels, SurfacesAtWalls, testing::ValuesIn(kKernels));

bool fills_corner(double x, double y, double z) { return x < 0.1 && y < 0 && z < 0.1; }
bool fills_box(double, double y, double) { return y < 0; }

TEST_P(SurfacesAtWalls, OfABlockInACornerEndThere) {
  const Walls walls = walls_of(scene_in_box());
  const Cloud block = in_box(fills_corner);
  for (const double voxel : {0.5, 0.67, 1.0}) {
    const ParticleSurface surface(block.particles(), {.voxel = voxel, .kernel = GetParam()}, walls);
    const SurfaceMesh& mesh = surface.mesh();
    expect_closed(mesh);
    EXPECT_EQ(euler_characteristic(mesh), 2) << voxel;
    expect_outside(mesh, walls);
    EXPECT_NEAR(enclosed_volume(mesh), block.total(), 0.02 * block.total());
  }
}

// What faces a wall lies on it, but for the row of triangles at the water's edge. No edge of the
// tank is cut off: of 40 spacings along each, rounding by a fraction of one would be missed in the
// areas. Half a voxel of the water's edge may be.
TEST_P(SurfacesAtWalls, OfALiquidMeetTheWallsOfATank) {
  const Walls walls = walls_of(scene_in_box());
  const SurfaceMesh mesh = surface_of(in_box(fills_box), walls).mesh();
  double at_side = 0, at_floor = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
    const V3 a = vertex(mesh, mesh.triangles[t]), b = vertex(mesh, mesh.triangles[t + 1]),
             c = vertex(mesh, mesh.triangles[t + 2]);
    const V3 area = cross(b - a, c - a) * 0.5;
    if (norm(area) < 1e-9) continue;  // of vertices that lie in a corner
    const double away_from_side = 0.4 + std::max({a[0], b[0], c[0]}),
                 away_from_floor = 0.4 + std::max({a[1], b[1], c[1]});
    if (area[0] < -0.9 * norm(area)) {
      if (std::max({a[1], b[1], c[1]}) < -kSpacing) {
        EXPECT_LT(away_from_side, kOff);
      }
      if (away_from_side < kOff) at_side += norm(area);
    }
    if (area[1] < -0.9 * norm(area)) {
      EXPECT_LT(away_from_floor, kOff);
      at_floor += norm(area);
    }
  }
  EXPECT_NEAR(at_floor, 0.64, std::pow(kVoxel * kSpacing, 2));
  EXPECT_NEAR(at_side, 0.8 * 0.4, 0.8 * 0.5 * kVoxel * kSpacing);
}

// Where vertices come to lie on the edges of walls, triangles of them would be lines.
TEST_P(SurfacesAtWalls, HaveTrianglesThatAreNone) {
  const Walls walls = walls_of(scene_in_box());
  for (const Cloud& liquid : {in_box(fills_box), in_box(fills_corner)}) {
    const ParticleSurface surface = surface_of(liquid, walls);
    const SurfaceMesh& mesh = surface.mesh();
    expect_closed(mesh);
    std::size_t lines = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
      const V3 a = vertex(mesh, mesh.triangles[t]), b = vertex(mesh, mesh.triangles[t + 1]),
               c = vertex(mesh, mesh.triangles[t + 2]);
      const double longest = std::max({norm(b - a), norm(c - b), norm(a - c)});
      lines += norm(cross(b - a, c - a)) <= 1e-3 * kVoxel * kSpacing * longest ? 1 : 0;
    }
    EXPECT_LE(lines, mesh.triangles.size() / 3 / 5000) << "of " << mesh.triangles.size() / 3;
  }
}

// The edge of the liquid at the wall is no lower or higher than its surface.
TEST_P(SurfacesAtWalls, HaveNoLip) {
  const Walls walls = walls_of(scene_in_box());
  const SurfaceMesh mesh = surface_of(in_box(fills_box), walls).mesh();
  double at_wall = 0, within = 0;
  int vertices = 0, others = 0;
  for (std::size_t i = 0; i < mesh.vertices(); ++i) {
    const V3 x = vertex(mesh, i);
    if (x[1] < -2 * kSpacing || std::abs(x[2]) > 0.3) continue;
    const double away = 0.4 - std::abs(x[0]);
    // Of those on the wall the uppermost count.
    if (away < 1e-6 && x[1] > -0.5 * kSpacing) at_wall += x[1], ++vertices;
    if (away > 6 * kSpacing) within += x[1], ++others;
  }
  ASSERT_GT(vertices, 50);
  EXPECT_NEAR(at_wall / vertices, within / others, 0.3 * kSpacing);
}

TEST_P(SurfacesAtWalls, OfASphereEndThere) {
  const Walls walls = walls_of(scene_with(sphere(0.2)));
  const Cloud pool = cloud_beside(walls, in_block);
  const SurfaceMesh mesh = surface_of(pool, walls).mesh();
  expect_closed(mesh);
  expect_outside(mesh, walls);
  EXPECT_NEAR(enclosed_volume(mesh), pool.total(), 0.02 * pool.total());
  // A chord of the sphere between vertices of two voxels' distance.
  const double chord = std::pow(2 * kVoxel * kSpacing, 2) / (8 * 0.2) / kSpacing;
  EXPECT_LT(deep_middles(mesh, walls)[0], chord);
  int touching = 0, apart = 0;
  for (std::size_t i = 0; i < mesh.vertices(); ++i) {
    const V3 x = vertex(mesh, i);
    if (std::abs(x[1]) > 0.12 || norm(x) > 0.2 + 1.5 * kSpacing) continue;
    ++(norm(x) - 0.2 < kOff ? touching : apart);
  }
  // Of particles strewn over a whole spacing some leave a gap beside the sphere.
  EXPECT_GT(touching, 1000);
  EXPECT_LT(apart, 0.05 * touching);
}

TEST_P(SurfacesAtWalls, OfAnObliquePlaneEndThere) {
  Shape plane;
  plane.type = ShapeType::kHalfSpace;
  plane.normal = {0.36, 0.8, 0.48};
  plane.point = {0, -0.1, 0};
  const Walls walls = walls_of(scene_with(plane));
  const Cloud block = cloud_beside(walls, in_block);
  const SurfaceMesh mesh = surface_of(block, walls).mesh();
  expect_closed(mesh);
  expect_outside(mesh, walls);
  EXPECT_LT(deep_middles(mesh, walls)[0], kRounding / kSpacing);
  EXPECT_NEAR(enclosed_volume(mesh), block.total(), 0.02 * block.total());
  int touching = 0, apart = 0;
  for (std::size_t i = 0; i < mesh.vertices(); ++i) {
    const V3 x = vertex(mesh, i);
    const bool rim = !in_block(1.1 * x[0], 0, 1.1 * x[2]) || x[1] > 0.15 || x[1] < -0.15;
    const double away = distance(walls, x);
    if (rim || away > 1.5 * kSpacing) continue;
    ++(away < kOff ? touching : apart);
  }
  EXPECT_GT(touching, 500);
  EXPECT_LT(apart, 0.05 * touching);
}

// A box within the liquid, turned and moved: its edges are convex.
TEST_P(SurfacesAtWalls, OfABodyThatMovesEndWhereItIs) {
  Shape box;
  box.type = ShapeType::kBox;
  box.min = {-0.1, -0.1, -0.1};
  box.max = {0.1, 0.1, 0.1};
  const Scene scene = scene_with(box);
  ColliderState state;
  state.rotation = {0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1};
  state.translation = {0.06, 0.1, 0};
  state.pivot = {0.02, 0, 0};
  const std::vector<ColliderState> states{state};
  const SceneWalls all(scene);
  const Walls moved = all.at(states), rest = all.at({});
  // The corner (0.1, 0.1, 0.1) of the box.
  EXPECT_NEAR(distance(moved, {{0.8 * 0.08 - 0.6 * 0.1 + 0.08, 0.6 * 0.08 + 0.8 * 0.1 + 0.1, 0.1}}),
              0, 1e-12);
  const Cloud pool = cloud_beside(moved, in_block);
  const SurfaceMesh mesh = surface_of(pool, moved).mesh();
  expect_closed(mesh);
  expect_outside(mesh, moved);
  EXPECT_NEAR(enclosed_volume(mesh), pool.total(), 0.02 * pool.total());
  // Edges are followed, but for a triangle before each of the corners.
  const std::vector<double> deep = deep_middles(mesh, moved);
  EXPECT_LT(deep[8], 0.15);
  EXPECT_LT(deep[0], 0.5 * kVoxel);
  double deepest = 0;
  for (std::size_t i = 0; i < mesh.vertices(); ++i)
    deepest = std::max(deepest, -distance(rest, vertex(mesh, i)));
  EXPECT_GT(deepest, kSpacing);  // it is not at rest
}

// All of which lies on walls.
TEST_P(SurfacesAtWalls, OfAFullTankWithABallAreBoth) {
  const Walls walls = walls_of(scene_with(sphere(0.2)));
  const Cloud full = cloud_beside(
      walls,
      [](double x, double y, double z) {
        return std::max({std::abs(x), std::abs(y), std::abs(z)}) < 0.4;
      },
      0.4);
  const SurfaceMesh mesh = surface_of(full, walls).mesh();
  expect_closed(mesh);
  expect_outside(mesh, walls);
  EXPECT_EQ(pieces(mesh), 2);
  // Nothing of it is free, so that no level encloses more or less than there is room.
  const double room = 0.512 - 4.0 / 3 * std::numbers::pi * 0.008;
  EXPECT_NEAR(enclosed_volume(mesh), room, 0.002 * room);
}

// What is two spacings from a wall does not touch it, and is as it is without.
TEST_P(SurfacesAtWalls, OfWhatIsApartAreAsWithout) {
  Scene scene = scene_in_box();
  scene.grid.domain->min[1] = -0.2 - 2 * kSpacing;
  const Walls walls = walls_of(scene);
  const SurfaceMesh free = surface_of(cloud(in_block), {}).mesh(),
                    beside = surface_of(cloud(in_block), walls).mesh();
  double lowest = 1;
  for (std::size_t i = 0; i < beside.vertices(); ++i)
    lowest = std::min(lowest, vertex(beside, i)[1]);
  EXPECT_GT(lowest, -0.2 - kSpacing);
  EXPECT_NEAR(enclosed_volume(beside), enclosed_volume(free), 0.01 * enclosed_volume(free));
}

// A plate between two parts of a liquid, a cell thick, holds them apart.
TEST_P(SurfacesAtWalls, OfBothSidesOfAPlateAreTwo) {
  Shape plate;
  plate.type = ShapeType::kBox;
  plate.min = {-0.5, -kSpacing, -0.5};
  plate.max = {0.5, kSpacing, 0.5};
  const Walls walls = walls_of(scene_with(plate));
  const Cloud both = cloud_beside(walls, in_block);
  const SurfaceMesh mesh = surface_of(both, walls).mesh();
  expect_closed(mesh);
  expect_outside(mesh, walls);
  EXPECT_EQ(pieces(mesh), 2);
  EXPECT_NEAR(enclosed_volume(mesh), both.total(), 0.02 * both.total());
}

// Of one particle a film, which is one piece on its wall.
TEST_P(SurfacesAtWalls, OfAFilmLieOnTheWall) {
  Scene scene = scene_in_box();
  scene.grid.domain->min[2] = 0;
  const Walls walls = walls_of(scene);
  const Cloud film = cloud(in_sheet, 0.5);
  const SurfaceMesh mesh = surface_of(film, walls).mesh();
  expect_closed(mesh);
  expect_outside(mesh, walls);
  EXPECT_EQ(pieces(mesh), 1);
  EXPECT_EQ(euler_characteristic(mesh), 2);
  EXPECT_NEAR(enclosed_volume(mesh), film.total(), 0.02 * film.total());
}

TEST_P(SurfacesAtWalls, OfADropAreFlatThere) {
  Scene scene = scene_in_box();
  const Walls walls = walls_of(scene);
  for (const double above : {0.0, 0.1, 0.3, 0.6}) {  // spacings
    const std::vector<float> position{0, static_cast<float>(-0.4 + above * kSpacing), 0};
    const std::vector<float> volume{static_cast<float>(std::pow(kSpacing, 3))};
    const ParticleSurface surface({position, volume}, {.kernel = GetParam()}, walls);
    expect_closed(surface.mesh());
    expect_outside(surface.mesh(), walls);
    EXPECT_NEAR(enclosed_volume(surface.mesh()) / volume[0], 1, 0.01) << above;
  }
}

// Nothing of it comes out of the other side.
TEST_P(SurfacesAtWalls, OfADropStayOnTheirSideOfAThinWall) {
  Shape plate;
  plate.type = ShapeType::kBox;
  plate.min = {-0.5, -0.1 * kSpacing, -0.5};
  plate.max = {0.5, 0, 0.5};
  const Walls walls = walls_of(scene_with(plate));
  const std::vector<float> position{0, static_cast<float>(0.1 * kSpacing), 0};
  const std::vector<float> volume{static_cast<float>(std::pow(kSpacing, 3))};
  const ParticleSurface surface({position, volume}, {.kernel = GetParam()}, walls);
  expect_outside(surface.mesh(), walls);
  for (std::size_t i = 0; i < surface.mesh().vertices(); ++i)
    EXPECT_GE(vertex(surface.mesh(), i)[1], -kRounding);
  EXPECT_NEAR(enclosed_volume(surface.mesh()) / volume[0], 1, 0.01);
}

// Nothing jumps where the liquid is near a wall: its surface moves by no more than the particles.
TEST_P(SurfacesAtWalls, TrembleNoMoreThanTheirParticles) {
  constexpr double kMost = 0.01;  // along each axis, spacings
  const Walls walls = walls_of(scene_with(sphere(0.2)));
  const Cloud still = cloud_beside(walls, in_block);
  Cloud trembling = still;
  std::mt19937 random(11);
  const auto most = static_cast<float>(kMost * kSpacing);
  std::uniform_real_distribution<float> off(-most, most);
  for (float& x : trembling.position) x += off(random);
  const ParticleSurface before = surface_of(still, walls), after = surface_of(trembling, walls);
  const Off off_surface = offset(after.mesh(), before.mesh());
  EXPECT_LT(off_surface.mean, std::sqrt(3.0) * kMost);
  EXPECT_LT(off_surface.most, 0.25);
}

TEST_P(SurfacesAtWalls, AreTheSameForAnyNumberOfThreads) {
  const Walls walls = walls_of(scene_with(sphere(0.2)));
  const Cloud pool = cloud_beside(walls, in_block);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const ParticleSurface one = surface_of(pool, walls);
  omp_set_num_threads(3);
  const ParticleSurface three = surface_of(pool, walls);
  omp_set_num_threads(threads);
  EXPECT_EQ(one.mesh().positions, three.mesh().positions);
  EXPECT_EQ(one.mesh().triangles, three.mesh().triangles);
}

TEST(SceneWalls, AreFacesThatMaterialStopsAtAndColliders) {
  Scene scene = scene_with(sphere(0.2));
  EXPECT_EQ(walls_of(scene).count(), 7);
  scene.grid.domain->boundary[3] = BoundaryType::kOpen;
  scene.grid.domain->boundary[0] = scene.grid.domain->boundary[1] = BoundaryType::kPeriodic;
  EXPECT_EQ(walls_of(scene).count(), 4);
  scene.grid.domain.reset();
  EXPECT_EQ(walls_of(scene).count(), 1);
  scene.colliders.clear();
  EXPECT_TRUE(walls_of(scene).none());
}

}  // namespace
}  // namespace firn::test
#endif
