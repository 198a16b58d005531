// Meshes as sheets: all within half a thickness of the triangles, as bodies and as colliders, open
// or closed, against closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "firn/scene_file.h"
#include "src/scene/mesh_warnings.h"
#include "src/scene/sampling.h"
#include "src/scene/shapes.h"
#include "src/state/body_warnings.h"
#include "tests/support/expect_error.h"
#include "tests/support/meshes.h"
#include "tests/support/sim_scenes.h"

#if defined(FIRN_WITH_OPENVDB)

namespace firn {
namespace {

using Vector = Vec<double, 3>;
constexpr double kPi = std::numbers::pi;

// The half of an icosphere that lies above y = 0: its equator is a ring of edges.
TriangleMesh hemisphere(int levels) {
  TriangleMesh m = icosphere(levels);
  std::erase_if(m.triangles, [&](const auto& t) {
    return m.vertices[t[0]][1] + m.vertices[t[1]][1] + m.vertices[t[2]][1] < 0;
  });
  return m;
}

// The square of edge 2 in the plane y = 0.
TriangleMesh square() {
  TriangleMesh m;
  m.vertices = {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 1}, {1, 0, -1}};
  m.triangles = {{0, 1, 2}, {0, 2, 3}};
  return m;
}

Shape shell_of(const MeshFile& file, double thickness) {
  Shape s;
  s.type = ShapeType::kMesh;
  s.file = file.path();
  s.solid = MeshSolid::kShell;
  s.thickness = thickness;
  return s;
}

double to_segment(const Vector& x, const Vector& a, const Vector& b) {
  const Vector e = b - a;
  return norm(x - a - clamp(dot(x - a, e) / dot(e, e), 0.0, 1.0) * e);
}

// By barycentric coordinates of the foot, else by the edges.
double to_triangle(const Vector& x, const Vector& a, const Vector& b, const Vector& c) {
  const Vector u = b - a, v = c - a, w = x - a;
  const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), below = uu * vv - uv * uv;
  const double s = (vv * dot(w, u) - uv * dot(w, v)) / below;
  const double t = (uu * dot(w, v) - uv * dot(w, u)) / below;
  if (s >= 0 && t >= 0 && s + t <= 1) return norm(w - s * u - t * v);
  return std::min({to_segment(x, a, b), to_segment(x, b, c), to_segment(x, c, a)});
}

double brute_force(const TriangleMesh& m, const Vec3& at) {
  const auto corner = [&](std::uint32_t i) {
    return Vector{{m.vertices[i][0], m.vertices[i][1], m.vertices[i][2]}};
  };
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& t : m.triangles)
    nearest = std::min(
        nearest, to_triangle({{at[0], at[1], at[2]}}, corner(t[0]), corner(t[1]), corner(t[2])));
  return nearest;
}

// Of the distance r from a point two second derivatives are 1/r, and no distance bends more:
// trilinear interpolation between voxels of edge h errs by h^2/8 times both, at the corner of the
// voxel that is nearest to the triangles. Voxels keep floats.
double interpolation(double r, double h) { return h * h / 4 / (r - std::sqrt(3.0) * h) + 1e-6; }

// The largest difference of the normals of two triangles that share an edge: on the inner side of
// the edge the gradient of the distance jumps by it.
double largest_crease(const TriangleMesh& m) {
  const auto normal_of = [&](const auto& t) {
    Vector c[3];
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) c[k][i] = m.vertices[t[k]][i];
    const Vector n = cross(c[1] - c[0], c[2] - c[0]);
    return n * (1 / norm(n));
  };
  double largest = 0;
  for (const auto& a : m.triangles)
    for (const auto& b : m.triangles) {
      const auto shared = std::count_if(
          a.begin(), a.end(), [&](auto i) { return std::find(b.begin(), b.end(), i) != b.end(); });
      if (shared == 2) largest = std::max(largest, norm(normal_of(a) - normal_of(b)));
    }
  return largest;
}

class MeshShell : public testing::TestWithParam<const char*> {
 protected:
  const TriangleMesh mesh_ = std::string(GetParam()) == "square" ? square() : hemisphere(3);
  const MeshFile file_{std::string(GetParam()) + ".obj", as_obj(mesh_)};
};

TEST_P(MeshShell, DistanceIsThatToTheTrianglesLessHalfTheThickness) {
  constexpr double dx = 0.05, h = 0.5 * dx, half = 2 * dx;
  const CompiledShape shell = compile_shape(shell_of(file_, 2 * half), 3, dx);
  // What jumps by 1 within a voxel is off by a quarter of its diagonal at most.
  const double crease = largest_crease(mesh_) * std::sqrt(3.0) * h / 4;
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> u(-1.4, 1.4);
  int near = 0, within = 0;
  for (int q = 0; q < 20000; ++q) {
    const Vec3 x{u(engine), u(engine), u(engine)};
    const double r = brute_force(mesh_, x), d = distance(shell, x);
    // Wherever it is: between the corners of a voxel distances differ by no more than its diagonal.
    if (r < 2 * dx) ++within;
    if (r - half < 3 * dx) {
      EXPECT_NEAR(d, r - half, std::sqrt(3.0) * h);
    }
    if (r >= 2 * dx && r - half < 3 * dx) {
      EXPECT_NEAR(d, r - half, interpolation(r, h) + crease);
      ++near;
    }
    if (r - half >= 3 * dx) {
      EXPECT_GT(d, 2.9 * dx);
      EXPECT_LE(d, r - half + interpolation(r, h) + crease);  // beyond the band: a lower bound
    }
  }
  EXPECT_GT(near, 1500);
  EXPECT_GT(within, 700);
}

TEST_P(MeshShell, PointsAwayFromItOnBothSides) {
  constexpr double dx = 0.05;
  const CompiledShape shell = compile_shape(shell_of(file_, 2 * dx), 3, dx);
  const double top = std::string(GetParam()) == "square" ? 0 : 1;
  for (const double side : {-1.0, 1.0}) {
    const Vec3 n = normal(shell, {0.1, top + side * 2 * dx, 0.1}, 0.5 * dx);
    EXPECT_GT(side * n[1], 0.95);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, MeshShell, testing::Values("square", "hemisphere"),
                         [](const auto& test) { return std::string(test.param); });

// What lies within t of a flat square of edge a, by Steiner's formula: a^2 2t + 4a pi t^2/2 +
// 4/3 pi t^3.
TEST(MeshShell, VolumeOfASquare) {
  const MeshFile file("sheet.obj", as_obj(square()));
  constexpr double dx = 0.05, h = 0.5 * dx, t = 2 * dx, a = 2;
  const double rim = 4 * a * kPi * t,
               exact = a * a * 2 * t + rim * t / 2 + 4.0 / 3 * kPi * t * t * t;
  const double cells = (2 * a * a + rim) / (dx * dx);
  EXPECT_NEAR(shape_volume(compile_shape(shell_of(file, 2 * t), 3, dx), dx), exact,
              rim * interpolation(t, h) + 1e-3 * cells * dx * dx * dx);
}

// Of a hemisphere of radius R: half the shell of a ball, and half a torus below its rim.
TEST(MeshShell, VolumeOfAHemisphere) {
  const TriangleMesh mesh = hemisphere(5);
  const MeshFile file("bowl.obj", as_obj(mesh));
  constexpr double dx = 0.05, h = 0.5 * dx, t = 2 * dx;
  const double shell = 2 * kPi / 3 * (std::pow(1 + t, 3) - std::pow(1 - t, 3));
  const double area = 2 * kPi * ((1 + t) * (1 + t) + (1 - t) * (1 - t)) + 2 * kPi * kPi * t;
  double sagitta = 0;  // of the flat triangles
  for (const auto& triangle : mesh.triangles) {
    Vector middle = Vector::zero();
    for (const std::uint32_t i : triangle)
      for (int k = 0; k < 3; ++k) middle[k] += mesh.vertices[i][k] / 3;
    sagitta = std::max(sagitta, 1 - norm(middle));
  }
  EXPECT_NEAR(shape_volume(compile_shape(shell_of(file, 2 * t), 3, dx), dx),
              shell + kPi * kPi * t * t,
              area * (interpolation(t, h) + 1e-3 * dx) + 4 * kPi * 2 * t * sagitta);
}

// The thickness is in metres of the world, but for a transform around the shape.
TEST(MeshShell, ItsOwnScaleLeavesTheThickness) {
  const MeshFile file("scaled.obj", as_obj(square()));
  constexpr double dx = 0.05;
  Shape shape = shell_of(file, 4 * dx);
  shape.scale = 3;
  const CompiledShape own = compile_shape(shape, 3, dx);
  EXPECT_NEAR(own.max[0] - own.min[0], 6 + 4 * dx, 1e-12);
  EXPECT_NEAR(own.max[1] - own.min[1], 4 * dx, 1e-12);
  EXPECT_NEAR(distance(own, {1, 4 * dx, 1}), 2 * dx, 1e-6);
  Shape around;
  around.type = ShapeType::kTransform;
  around.scale = 2;
  around.children = {shape};
  const CompiledShape moved = compile_shape(around, 3, dx);
  EXPECT_NEAR(moved.max[0] - moved.min[0], 12 + 8 * dx, 1e-12);
  EXPECT_NEAR(distance(moved, {1, 6 * dx, 1}), 2 * dx, 1e-6);
}

// A thick shell of a closed mesh fills most of it, and its inner side has a band of its own.
TEST(MeshShell, OfAClosedMeshLeavesItsMiddle) {
  const MeshFile file("box.obj", as_obj(cube()));
  constexpr double dx = 0.05;
  const CompiledShape shell = compile_shape(shell_of(file, 1.6), 3, dx);
  EXPECT_NEAR(distance(shell, {0, 0, 0}), 0.2, 1e-2);
  EXPECT_LT(distance(shell, {0.9, 0, 0}), -3 * dx);
  EXPECT_NEAR(distance(shell, {1.9, 0, 0}), 0.1, 1e-6);
}

Scene sheet_scene(const MeshFile& file, const std::string& keys, const std::string& more = "") {
  return parse_scene(
      "[simulation]\nframes = 24\n[grid]\ndx = 0.1\n[material.m]\npreset = \"jello\"\n"
      "density = 500\n[[body]]\nname = \"sheet\"\nmaterial = \"m\"\nshape = { type = "
      "\"mesh\", file = \"" +
          file.path() + "\"" + keys + " }\n" + more,
      "s.toml", "");
}

TEST(MeshShell, AFlatMeshHasParticlesOnlyAsAShell) {
  const MeshFile file("flat.obj", as_obj(square()));
  const Scene flat = sheet_scene(file, "");
  const std::vector<std::string> warnings = body_warnings(flat);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("flat; solid = \"shell\" with a thickness"), std::string::npos)
      << warnings[0];
  test::expect_error(ErrorCategory::kScene, {"solid = \"shell\""}, [&] { test::simulate(flat); });

  // Turned, it is flat no more, and its volume on coarse cells is not 0.
  const Scene turned = sheet_scene(file, ", rotation = [20, 30, 10]");
  ASSERT_EQ(body_warnings(turned).size(), 1u);
  EXPECT_NE(body_warnings(turned)[0].find("encloses nothing"), std::string::npos);
  test::expect_error(ErrorCategory::kScene, {"encloses nothing", "solid = \"shell\""},
                     [&] { test::simulate(turned); });

  const Scene sheet = sheet_scene(file, ", solid = \"shell\", thickness = 0.2");
  EXPECT_TRUE(body_warnings(sheet).empty());
  EXPECT_TRUE(mesh_warnings(sheet).empty());
  const Snapshot s = test::simulate(sheet).snapshot();
  constexpr double t = 0.1, a = 2;
  const double volume = a * a * 2 * t + 4 * a * kPi * t * t / 2 + 4.0 / 3 * kPi * t * t * t;
  const double surface = 2 * a * a + 4 * a * kPi * t;
  // Eight to a cell; those along the surface are the uncertain ones. Its distances are
  // interpolated over half a cell.
  EXPECT_NEAR(static_cast<double>(s.size()), 8 * volume / 1e-3, 0.25 * 8 * surface / 1e-2);
  double mass = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    mass += static_cast<double>(s.mass[i]);
    EXPECT_LT(std::abs(s.position[3 * i + 1]), 0.1 + 1e-4);
  }
  EXPECT_NEAR(mass, 500 * volume, 500 * surface * 0.005);
}

// A block that falls on a sheet comes to rest on it; nothing of it goes through.
TEST(MeshShell, ACollidingSheetHoldsWhatFallsOnIt) {
  const MeshFile file("floor.obj", as_obj(square()));
  Scene scene =
      sheet_scene(file, ", solid = \"shell\", thickness = 0.2, translation = [0, -0.1, 0]");
  Collider floor;
  floor.name = "floor";
  floor.shape = scene.bodies[0].shape;
  floor.boundary = BoundaryType::kSeparate;
  scene.colliders = {floor};
  scene.bodies[0].shape = test::box({-0.3, 0.1, -0.3}, {0.3, 0.5, 0.3});
  Simulation simulation = test::simulate(scene);
  double lowest = 1;
  for (int frame = 0; frame < 24; ++frame) {
    simulation.advance_frame();
    const Snapshot s = simulation.snapshot();
    for (std::size_t i = 0; i < s.size(); ++i)
      lowest = std::min<double>(lowest, s.position[3 * i + 1]);
  }
  EXPECT_GT(lowest, -0.05);  // half a cell: nodes within the sheet hold what lies above them
  EXPECT_LT(lowest, 0.05);
}

TEST(MeshShell, WhatMakesNoSenseIsRefused) {
  const MeshFile file("keys.obj", as_obj(square()));
  const struct {
    const char *keys, *message;
  } cases[] = {
      {", thickness = 0.1", "'thickness' belongs to a mesh with solid = \"shell\""},
      {", solid = \"winding\", thickness = 0.1", "'thickness' belongs to a mesh with solid"},
      {", solid = \"shell\"", "needs the key 'thickness'"},
      {", solid = \"shell\", thickness = 0", "'thickness' must be > 0"},
      {", solid = \"shel\", thickness = 0.1", "did you mean 'shell'?"}};
  for (const auto& c : cases)
    test::expect_error(ErrorCategory::kScene, {"s.toml:", c.message},
                       [&] { sheet_scene(file, c.keys); });
  Scene scene = sheet_scene(file, ", solid = \"shell\", thickness = 2.5");
  test::expect_error(ErrorCategory::kScene, {"\"sheet\"", "not be thicker than its mesh"},
                     [&] { test::simulate(scene); });
  scene.bodies[0].shape.thickness = 0;
  test::expect_error(ErrorCategory::kScene, {"body.0.shape", "needs the key 'thickness'"},
                     [&] { validate(scene); });
  scene.bodies[0].shape.thickness = 0.1;
  scene.bodies[0].shape.solid = MeshSolid::kWinding;
  test::expect_error(ErrorCategory::kScene, {"body.0.shape.thickness", "belongs to"},
                     [&] { validate(scene); });
}

TEST(MeshShell, OneThatIsTooThinForTheGridIsToldOf) {
  const MeshFile file("thin.obj", as_obj(square()));
  const auto warnings = mesh_warnings(sheet_scene(file, ", solid = \"shell\", thickness = 0.09"));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("a shell of 0.09 m is thinner than a cell"), std::string::npos);
  EXPECT_TRUE(mesh_warnings(sheet_scene(file, ", solid = \"shell\", thickness = 0.1")).empty());
  const std::string both =
      "{ type = \"mesh\", file = \"" + file.path() + "\", solid = \"shell\", thickness = 0.06 }";
  const Scene scaled =
      sheet_scene(file, ", solid = \"shell\", thickness = 0.1",
                  "[[collider]]\nshape = { type = \"transform\", scale = 2, child = " + both +
                      " }\n[[collider]]\nshape = " + both + "\n");
  ASSERT_EQ(mesh_warnings(scaled).size(), 1u);
  EXPECT_NE(mesh_warnings(scaled)[0].find("0.06"), std::string::npos);
}

TEST(MeshShell, AnOpenMeshIsToldWhatItIsTakenFor) {
  const MeshFile file("lid.obj", as_obj(open_cube()));
  const auto warnings = mesh_warnings(sheet_scene(file, ""));
  ASSERT_EQ(warnings.size(), 1u);
  for (const char* part : {"4 open edges", "solid = \"winding\"", "solid = \"shell\""})
    EXPECT_NE(warnings[0].find(part), std::string::npos) << warnings[0];
}

}  // namespace
}  // namespace firn

#endif
