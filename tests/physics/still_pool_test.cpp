// Pools at rest, with faces as dense as the material and as light as without control volumes
// [T 6.4.7, fig. 6.3]: the former stay still, the latter are stirred. Lattices and
// irregular particles, a body in the pool, basins that are not aligned with the grid.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 9.81, kDepth = 0.5, kDx = 0.05;
const double kFall = std::sqrt(kGravity * kDepth);  // 2.2 m/s, what gravity makes of such a depth

Scene water_scene() {
  Scene scene = thermal_scene(2, kDx);
  scene.simulation.gravity = {0, -kGravity, 0};
  scene.thermal.heat = false;
  scene.time.dt_max = 5e-3;
  scene.materials = {solid("water", 0, std::numeric_limits<double>::infinity())};
  return scene;
}

// One metre wide, half filled; its corner lies at (offset, offset).
Scene basin(Sampling sampling, double offset = 0) {
  Scene scene = water_scene();
  scene.grid.domain = closed_box({offset, offset, 0}, {1 + offset, 1 + offset, 0});
  scene.bodies = {body("pool", 0, box({offset, offset, 0}, {1 + offset, kDepth + offset, 0}))};
  scene.bodies[0].sampling = sampling;
  return scene;
}

Scene basin_with_disc(Sampling sampling) {
  Scene scene = basin(sampling);
  const Shape disc = sphere({0.5, 0.2, 0}, 0.13);
  scene.colliders = {collider("disc", disc, BoundaryType::kSlip)};
  Shape around;
  around.type = ShapeType::kDifference;
  around.children = {scene.bodies[0].shape, disc};
  scene.bodies[0].shape = around;
  return scene;
}

// One metre wide too, on its edge by 0.3 rad; the surface is level.
Scene tilted_basin(Sampling sampling) {
  Scene scene = water_scene();
  const double c = std::cos(0.3), s = std::sin(0.3);
  const Vec3 corner{}, along{c, s, 0}, up{-s, c, 0}, back{-c, -s, 0};
  Shape pool;
  pool.type = ShapeType::kIntersection;
  pool.children = {box({-1, 0, 0}, {1, 0.6, 0})};
  const std::array<std::array<Vec3, 2>, 3> walls{{{corner, up}, {corner, along}, {along, back}}};
  for (const auto& [point, normal] : walls) {
    const std::string name = "wall" + std::to_string(scene.colliders.size());
    scene.colliders.push_back(collider(name, half_space(point, normal), BoundaryType::kSlip));
    pool.children.push_back(half_space(point, {-normal[0], -normal[1], 0}));
  }
  scene.bodies = {body("pool", 0, pool)};
  scene.bodies[0].sampling = sampling;
  return scene;
}

struct Stirred {
  double fastest = 0, kinetic = 0;  // m/s, J
  std::vector<double> columns;      // m/s upwards, mean over the particles of a column of cells
};

Stirred after_a_second(Scene scene, FaceDensity density) {
  scene.thermal.face_density = density;
  Simulation simulation = simulate(scene);
  run_to(simulation, 1);
  const Snapshot s = simulation.snapshot();
  Stirred result;
  result.kinetic = simulation.stats().totals.kinetic;
  result.columns.resize(static_cast<std::size_t>(1 / kDx));
  std::vector<double> count(result.columns.size());
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double u = s.velocity[2 * i], v = s.velocity[2 * i + 1], x = s.position[2 * i];
    result.fastest = std::max(result.fastest, std::hypot(u, v));
    const auto column = static_cast<std::size_t>(std::clamp(x / kDx, 0.0, 1 / kDx - 1));
    result.columns[column] += v;
    ++count[column];
  }
  for (std::size_t c = 0; c < count.size(); ++c) result.columns[c] /= count[c];
  return result;
}

struct Pool {
  const char* name;
  Scene scene;
};
std::vector<Pool> regular_pools() {
  return {{"aligned", basin(Sampling::kUniform)},
          {"between cells", basin(Sampling::kUniform, 0.35 * kDx)},
          {"with a disc", basin_with_disc(Sampling::kUniform)}};
}
std::vector<Pool> irregular_pools() {
  return {{"Poisson", basin(Sampling::kPoisson)},
          {"random", basin(Sampling::kRandom)},
          {"Poisson, between cells", basin(Sampling::kPoisson, 0.35 * kDx)},
          {"Poisson, with a disc", basin_with_disc(Sampling::kPoisson)},
          {"Poisson, tilted", tilted_basin(Sampling::kPoisson)},
          {"lattice, tilted", tilted_basin(Sampling::kUniform)}};
}

// The quadratic kernel of a face beside a wall has 1/6 of itself beyond the wall. With so much less
// mass the weight of the pool lifts it with g / 5: the pool goes round, faster than a tenth of a
// fall, and has a thousand times the energy of one that only levels out.
void expect_stirred(const Pool& pool, double energy_at_rest) {
  const Stirred stirred = after_a_second(pool.scene, FaceDensity::kCell);
  EXPECT_GE(stirred.fastest, 0.1 * kFall);
  EXPECT_GE(stirred.kinetic, 1e3 * energy_at_rest);
}

// Where the surface is level to the cell, all that moves is what the solves leave: 1e-6 of the
// largest divergence before them, g dt / dx, over the cells of the depth.
TEST(StillPool, OfALatticeRestsToTheToleranceOfTheSolves) {
  const double left = 1e-6 * kGravity * 5e-3 / kDx * kDepth;
  for (const Pool& pool : regular_pools()) {
    SCOPED_TRACE(pool.name);
    const Stirred rests = after_a_second(pool.scene, FaceDensity::kMaterial);
    EXPECT_LE(rests.fastest, left);
    expect_stirred(pool, rests.kinetic);
  }
}

// Irregular particles level out first where cells at the surface are not equally full. After a
// second that has passed but for a hundredth of what the depth could give.
TEST(StillPool, OfIrregularParticlesComesToRest) {
  for (const Pool& pool : irregular_pools()) {
    SCOPED_TRACE(pool.name);
    const Stirred rests = after_a_second(pool.scene, FaceDensity::kMaterial);
    EXPECT_LE(rests.fastest, 0.01 * kFall);
    expect_stirred(pool, rests.kinetic);
  }
}

// As the source's figure has it: up along both walls, and down between them.
TEST(StillPool, RisesAtItsWallsWhereFacesHaveTheirMassOverWholeCells) {
  for (Sampling sampling : {Sampling::kUniform, Sampling::kPoisson}) {
    SCOPED_TRACE(static_cast<int>(sampling));
    const auto columns = after_a_second(basin(sampling), FaceDensity::kCell).columns;
    EXPECT_GE(columns.front(), 0.05 * kFall);
    EXPECT_GE(columns.back(), 0.05 * kFall);
    double middle = 0;
    for (std::size_t c = 2; c + 2 < columns.size(); ++c) middle = std::max(middle, columns[c]);
    EXPECT_LE(middle, columns.front());
    EXPECT_LE(middle, columns.back());
  }
}

// Faces of solids have that density anyway, and with what lies beyond walls: to the last bit.
TEST(StillPool, SolidsTakeNoNotice) {
  std::array<Snapshot, 2> ends;
  for (FaceDensity density : {FaceDensity::kMaterial, FaceDensity::kCell}) {
    Scene scene = water_scene();
    scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
    scene.materials = {solid("gel", 1e4, 1e6)};
    scene.bodies = {body("block", 0, box({0.02, 0.1, 0}, {0.5, 0.5, 0}))};
    scene.thermal.face_density = density;
    Simulation simulation = simulate(scene);
    run_to(simulation, 0.25);
    ends.at(static_cast<std::size_t>(density)) = simulation.snapshot();
  }
  EXPECT_TRUE(ends[0].position == ends[1].position);
  EXPECT_TRUE(ends[0].velocity == ends[1].velocity);
}

}  // namespace
}  // namespace firn::test
