// What is told of a scene without sampling all of it, against what is there.
#include <gtest/gtest.h>

#include <cmath>

#include "firn/scene_file.h"
#include "tests/support/meshes.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

void expect_alike(const Scene& scene) {
  const SceneEstimate exact = estimate(scene), quick = estimate(scene, EstimateMode::kQuick);
  ASSERT_TRUE(exact.exact);
  ASSERT_FALSE(quick.exact);
  const auto expect_near = [](double a, double b, double part, const char* what) {
    EXPECT_NEAR(a, b, part * b) << what;
  };
  const auto number = [](auto n) { return static_cast<double>(n); };
  expect_near(number(quick.particles), number(exact.particles), 0.01, "particles");
  ASSERT_EQ(quick.particles_per_body.size(), exact.particles_per_body.size());
  for (std::size_t b = 0; b < exact.particles_per_body.size(); ++b)
    expect_near(number(quick.particles_per_body[b]), number(exact.particles_per_body[b]), 0.02,
                "of a body");
  expect_near(number(quick.blocks), number(exact.blocks), 0.05, "blocks");
  expect_near(number(quick.particle_bytes), number(exact.particle_bytes), 0.1, "particle_bytes");
  expect_near(number(quick.state_bytes), number(exact.state_bytes), 0.1, "state_bytes");
  EXPECT_NEAR(quick.dt_limit, exact.dt_limit, 0.02 * exact.dt_limit);
  EXPECT_EQ(quick.limited_by, exact.limited_by);
  for (std::size_t a = 0; a < 3; ++a) {
    const double slack = 0.02 * (exact.bounds_max[a] - exact.bounds_min[a]);
    EXPECT_NEAR(quick.bounds_min[a], exact.bounds_min[a], slack);
    EXPECT_NEAR(quick.bounds_max[a], exact.bounds_max[a], slack);
  }
}

TEST(Estimate, QuickIsNearExactIn2D) {
  Scene scene = empty_scene(2, 0.002, Precision::kSingle);
  scene.materials = {elastic("jelly"), sand("sand")};
  Shape ring;
  ring.type = ShapeType::kDifference;
  ring.children = {sphere({0.5, 0.5, 0}, 0.4), sphere({0.55, 0.5, 0}, 0.25)};
  scene.bodies = {body("ring", 0, ring), body("small", 1, sphere({1.5, 0.5, 0}, 0.05)),
                  body("slab", 1, box({-1, -0.5, 0}, {2, -0.1, 0}), {3, 0, 0})};
  expect_alike(scene);
}

TEST(Estimate, QuickIsNearExactIn3D) {
  Scene scene = empty_scene(3, 0.0125, Precision::kSingle);
  scene.materials = {elastic("jelly"), snow("snow")};
  scene.bodies = {body("ball", 0, sphere({0, 0, 0}, 0.4)),
                  body("slab", 1, box({-0.5, -0.6, -0.5}, {0.5, -0.45, 0.5}), {0, 0, 1})};
  expect_alike(scene);
  // The same counted stage by stage: other halos.
  scene.simulation.fused = false;
  expect_alike(scene);
}

Shape mesh_of(const MeshFile& file) {
  Shape shape;
  shape.type = ShapeType::kMesh;
  shape.file = file.path();
  return shape;
}

// A ball, and a disc two cells thick, which hardly shows on the coarse grids that are quick.
TEST(Estimate, QuickIsNearExactOfMeshes) {
#if !defined(FIRN_WITH_OPENVDB)
  GTEST_SKIP() << "mesh shapes need OpenVDB";
#endif
  const MeshFile ball("ball.obj", as_obj(icosphere(3, 0.5)));
  Scene scene = empty_scene(3, 0.0125, Precision::kSingle);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("ball", 0, mesh_of(ball))};
  const auto expect_near = [&](double part) {
    const SceneEstimate exact = estimate(scene), quick = estimate(scene, EstimateMode::kQuick);
    ASSERT_FALSE(quick.exact);
    const auto n = static_cast<double>(exact.particles);
    EXPECT_NEAR(static_cast<double>(quick.particles), n, part * n);
  };
  expect_near(0.01);
  TriangleMesh flat = icosphere(4, 0.5);
  for (Vec3& x : flat.vertices) x[1] *= 0.01;
  const MeshFile disc("disc.obj", as_obj(flat));
  scene.grid.dx = 0.005;
  scene.bodies = {body("disc", 0, mesh_of(disc))};
  expect_near(0.05);  // whose edge, a voxel thick, the exact count loses
}

// 2000 cells across: the distances would have 10^8 voxels and more.
TEST(Estimate, LargeMeshesAreToldByTheVolumeThatTheyEnclose) {
#if !defined(FIRN_WITH_OPENVDB)
  GTEST_SKIP() << "mesh shapes need OpenVDB";
#endif
  const TriangleMesh mesh = icosphere(3, 0.5);
  const MeshFile ball("large.obj", as_obj(mesh));
  Scene scene = empty_scene(3, 1.0 / 2000, Precision::kSingle);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("ball", 0, mesh_of(ball))};
  const double expected = 8 * inspect(mesh, "").volume * std::pow(2000.0, 3);
  const SceneEstimate quick = estimate(scene, EstimateMode::kQuick);
  EXPECT_NEAR(static_cast<double>(quick.particles), expected, 1e-5 * expected);
  EXPECT_NEAR(quick.bounds_max[0], 0.5, 0.02);
}

TEST(Estimate, SmallScenesAreCounted) {
  const SceneEstimate quick = estimate(busy_scene(3, Precision::kSingle), EstimateMode::kQuick);
  EXPECT_TRUE(quick.exact);
  EXPECT_EQ(quick.particles, estimate(busy_scene(3, Precision::kSingle)).particles);
}

// Counts of particles and blocks beyond 32 bits: each halving of dx takes four times the memory.
TEST(Estimate, WhatNoSimulationHoldsIsToldAllTheSame) {
  Scene scene = empty_scene(2, 1e-6, Precision::kSingle);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("disc", 0, sphere({0, 0, 0}, 0.1))};
  scene.bodies[0].sampling = Sampling::kUniform;
  double before = 0;
  for (; scene.grid.dx > 1e-7; scene.grid.dx /= 2) {
    const SceneEstimate e = estimate(scene, EstimateMode::kQuick);
    const double bytes = static_cast<double>(e.particle_bytes) + static_cast<double>(e.grid_bytes);
    EXPECT_NEAR(static_cast<double>(e.particles) * scene.grid.dx * scene.grid.dx / 4, 0.031416,
                1e-4);
    EXPECT_GT(bytes, 50.0 * static_cast<double>(e.particles));
    if (before > 0) {
      EXPECT_NEAR(bytes / before, 4, 0.8);
    }
    before = bytes;
  }
}

// A liquid is the same whether its preset or the scene says that it is incompressible.
TEST(Estimate, IncompressiblePresetsHaveNoSound) {
  const auto step = [](const std::string& model) {
    return estimate(parse_scene("[simulation]\ndimension = 2\nintegrator = \"incompressible\"\n"
                                "[grid]\ndx = 0.05\n[material.w]\npreset = \"water\"\n" +
                                    model +
                                    "[[body]]\nmaterial = \"w\"\n"
                                    "shape = { type = \"box\", min = [0, 0], max = [0.8, 1] }\n",
                                "t.toml", ""))
        .dt_limit;
  };
  EXPECT_EQ(step("model = \"incompressible\"\n"), step(""));
}

TEST(Estimate, TheHardestSnowTakesTheShortestStep) {
  Scene scene = empty_scene(3, 0.05, Precision::kDouble);
  scene.materials = {snow("snow"), elastic("jelly")};
  scene.bodies = {body("ball", 0, sphere({0, 0, 0}, 0.2))};
  scene.time.dt_max = 1;
  const SceneEstimate soft = estimate(scene);
  // J_P = 0.01: mu and lambda are e^(10 * 0.99) times what they were.
  EXPECT_NEAR(soft.dt_limit / soft.dt_hardened, std::exp(0.5 * 10 * 0.99), 1e-3 * std::exp(4.95));
  scene.bodies[0].material = 1;
  EXPECT_EQ(estimate(scene).dt_hardened, estimate(scene).dt_limit);
}

}  // namespace
}  // namespace firn::test
