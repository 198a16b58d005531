// Mass, centre and inertia of shapes against closed forms. The last cells of the integral have the
// diagonal d. There a curved surface of curvature radius R lies up to d^2/(2R) from the plane that
// stands for it, what a plane leaves of a cell is counted at the cell's centre, up to d from its
// own, in a layer d thick, and cells with an edge in them may be wrong altogether. A surface A with
// edges of length E gives the k-th moment about the centre of a body of radius R an error of at
// most ((1 + k) A / (2 R) + E) d^2 R^k.
#include "src/scene/mass_properties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/expect_error.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

constexpr double kPi = std::numbers::pi, kDensity = 400;

struct Solid {
  double volume, area, edges;
  Vec<double, 3> center;
  Mat<double, 3> inertia;  // of density 1
};

void expect_solid(const Shape& shape, int dimension, const Solid& exact) {
  const CompiledShape compiled = compile_shape(shape, dimension, 0.1);
  const RigidMass mass = mass_properties(compiled, kDensity, "it");
  double side = 0;
  for (int a = 0; a < dimension; ++a) side += std::pow(compiled.max[a] - compiled.min[a], 2);
  const double d = std::sqrt(side) / (dimension == 3 ? 128 : 512), R = mass.radius;
  const auto bound = [&](int k) {
    return ((1 + k) * exact.area / (2 * R) + exact.edges) * d * d * std::pow(R, k);
  };
  EXPECT_NEAR(mass.mass, kDensity * exact.volume, kDensity * bound(0));
  for (int a = 0; a < dimension; ++a)
    EXPECT_NEAR(mass.center[a], exact.center[a], bound(1) / exact.volume) << a;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      EXPECT_NEAR(mass.inertia(a, b), kDensity * exact.inertia(a, b), 2 * kDensity * bound(2))
          << a << b;
      double one = 0;
      for (int c = 0; c < 3; ++c) one += mass.inertia(a, c) * mass.inverse_inertia(c, b);
      EXPECT_NEAR(one, a == b ? 1 : 0, 1e-12);
    }
}

// Of the box with the edges `s` about its centre.
Mat<double, 3> box_inertia(const Vec<double, 3>& s) {
  const double m = s[0] * s[1] * s[2] / 12;
  return Mat<double, 3>::diagonal(
      {{m * (s[1] * s[1] + s[2] * s[2]), m * (s[0] * s[0] + s[2] * s[2]),
        m * (s[0] * s[0] + s[1] * s[1])}});
}
// What moving a mass by r from the centre adds.
Mat<double, 3> steiner(double m, const Vec<double, 3>& r) {
  return m * (Mat<double, 3>::scaled_identity(norm_squared(r)) - outer(r, r));
}

Shape turned(Shape shape, const Vec3& rotation, const Vec3& translation) {
  Shape s;
  s.type = ShapeType::kTransform;
  s.rotation = rotation;
  s.translation = translation;
  s.children = {std::move(shape)};
  return s;
}

TEST(MassProperties, Sphere) {
  const double r = 0.3, v = 4 * kPi / 3 * r * r * r;
  expect_solid(
      sphere({1, -2, 0.5}, r), 3,
      {v, 4 * kPi * r * r, 0, {{1, -2, 0.5}}, Mat<double, 3>::scaled_identity(0.4 * v * r * r)});
  const double a = kPi * r * r;
  expect_solid(sphere({1, -2, 0}, r), 2,
               {a, 2 * kPi * r, 0, {{1, -2, 0}}, Mat<double, 3>::scaled_identity(0.5 * a * r * r)});
}

TEST(MassProperties, Box) {
  const Vec<double, 3> s = {{0.2, 0.5, 1.1}};
  expect_solid(box({1, 2, 3}, {1.2, 2.5, 4.1}), 3,
               {0.11, 2 * (0.1 + 0.55 + 0.22), 4 * 1.8, {{1.1, 2.25, 3.55}}, box_inertia(s)});
  const Mat<double, 3> flat = Mat<double, 3>::scaled_identity(0.1 * (0.2 * 0.2 + 0.5 * 0.5) / 12);
  expect_solid(box({1, 2, 0}, {1.2, 2.5, 0}), 2, {0.1, 1.4, 4, {{1.1, 2.25, 0}}, flat});
}

TEST(MassProperties, TurnedUnion) {
  // An L of two boxes that share a face.
  Shape both;
  both.type = ShapeType::kUnion;
  both.children = {box({0, 0, 0}, {0.6, 0.2, 0.3}), box({0, 0.2, 0}, {0.2, 0.7, 0.3})};
  const Vec<double, 3> s1 = {{0.6, 0.2, 0.3}}, s2 = {{0.2, 0.5, 0.3}};
  const double m1 = 0.036, m2 = 0.03, m = m1 + m2;
  const Vec<double, 3> c1 = {{0.3, 0.1, 0.15}}, c2 = {{0.1, 0.45, 0.15}},
                       c = (1 / m) * (m1 * c1 + m2 * c2);
  const Mat<double, 3> inertia =
      box_inertia(s1) + steiner(m1, c1 - c) + box_inertia(s2) + steiner(m2, c2 - c);
  const Vec3 angles = {0.4, -0.7, 1.1}, shift = {2, 1, -3};
  const Mat<double, 3> R = rotation_from_euler({{angles[0], angles[1], angles[2]}});
  const Vec<double, 3> to = {{shift[0], shift[1], shift[2]}};
  const double area = 2 * m / 0.3 + 0.3 * 2.6, edges = 2 * 2.6 + 6 * 0.3;
  expect_solid(turned(both, angles, shift), 3,
               {m, area, edges, R * c + to, R * inertia * transpose(R)});
}

TEST(MassProperties, GivenMassAndInertia) {
  Scene scene = empty_scene(3, 0.1);
  scene.colliders = {collider("top", sphere({0, 1, 0}, 0.5), BoundaryType::kSlip)};
  scene.colliders[0].dynamics = Dynamics{.mass = 7};
  RigidMass mass = rigid_masses(scene).at(0);
  EXPECT_EQ(mass.mass, 7);
  EXPECT_NEAR(mass.inertia(1, 1), 0.4 * 7 * 0.25, 1e-3 * 0.7);
  scene.colliders[0].dynamics->inertia = {2, 2.5, 3, 0.1, 0.2, 0.3};
  mass = rigid_masses(scene).at(0);
  EXPECT_EQ(mass.inertia(2, 2), 3);
  EXPECT_EQ(mass.inertia(0, 1), 0.1);
  EXPECT_EQ(mass.inertia(2, 0), 0.2);
  EXPECT_EQ(mass.inertia(1, 2), 0.3);
}

TEST(MassProperties, RefusesWhatCannotBe) {
  const auto expect = [](const char* words, auto change) {
    Scene scene = empty_scene(3, 0.1);
    scene.colliders = {collider("thing", sphere({0, 1, 0}, 0.5), BoundaryType::kSlip)};
    scene.colliders[0].dynamics = Dynamics{.density = 10};
    change(scene, scene.colliders[0], *scene.colliders[0].dynamics);
    expect_error(ErrorCategory::kScene, {"collider \"thing\"", words},
                 [&] { rigid_masses(scene); });
  };
  using S = Scene;
  using C = Collider;
  using B = Dynamics;
  expect("has no end", [](S&, C& c, B&) { c.shape = ground(); });
  expect("is empty", [](S&, C& c, B&) {
    c.shape.type = ShapeType::kIntersection;
    c.shape.children = {sphere({0, 0, 0}, 1), sphere({5, 0, 0}, 1)};
  });
  expect("either a density > 0 or a mass > 0", [](S&, C&, B& b) { b.density = 0; });
  expect("either a density > 0 or a mass > 0", [](S&, C&, B& b) { b.density = -1; });
  expect("either a density > 0 or a mass > 0", [](S&, C&, B& b) { b.mass = 3; });
  expect("three numbers", [](S&, C&, B& b) { b = {.mass = 1, .inertia = {1, 2}}; });
  expect("positive about every axis", [](S&, C&, B& b) {
    b = {.mass = 1, .inertia = {1, 1, 1, 2, 0, 0}};
  });
  expect("no mass has this inertia", [](S&, C&, B& b) { b = {.mass = 1, .inertia = {1, 1, 2.1}}; });
  expect("key frames", [](S&, C& c, B&) { c.motion = Keyframes{{0}, {}, {}, {}}; });
  expect("\"explicit\"", [](S& s, C&, B&) { s.simulation.integrator = Integrator::kOptimization; });
}

TEST(MassProperties, MotionsMustMakeSense) {
  const auto expect = [](const char* words, const Keyframes& motion) {
    expect_error(ErrorCategory::kScene, {"it: ", words}, [&] { check_motion(motion, "it"); });
  };
  check_motion({{0, 1}, {{0, 0, 0}, {1, 0, 0}}, {}, {}}, "it");
  expect("at least one time", {});
  expect("increase", {{0, 0}, {}, {}, {}});
  expect("finite", {{0, NAN}, {}, {}, {}});
  expect("as many", {{0, 1}, {{0, 0, 0}}, {}, {}});
  expect("all finite", {{0}, {}, {{INFINITY, 0, 0}}, {}});
  expect("pivot", {{0}, {}, {}, {0, NAN, 0}});
}

}  // namespace
}  // namespace firn::test
