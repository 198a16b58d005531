// Signed distances against brute force over points on the surface, against set logic, and their
// metric properties.
#include "kernels/collide/sdf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>

#include "firn/error.h"
#include "src/scene/shapes.h"

namespace firn {
namespace {

constexpr double kPi = std::numbers::pi;

Shape sphere(Vec3 center, double radius) {
  Shape s;
  s.center = center;
  s.radius = radius;
  return s;
}
Shape box(Vec3 min, Vec3 max, double rounding = 0) {
  Shape s;
  s.type = ShapeType::kBox;
  s.min = min;
  s.max = max;
  s.rounding = rounding;
  return s;
}
Shape half_space(Vec3 point, Vec3 normal) {
  Shape s;
  s.type = ShapeType::kHalfSpace;
  s.point = point;
  s.normal = normal;
  return s;
}
Shape along_y(ShapeType type, double radius, double height) {
  Shape s;
  s.type = type;
  s.from = {0, 0, 0};
  s.to = {0, height, 0};
  s.radius = radius;
  return s;
}
Shape torus(double ring, double tube) {
  Shape s;
  s.type = ShapeType::kTorus;
  s.radius = ring;
  s.tube_radius = tube;
  return s;
}
Shape ellipsoid(Vec3 radii) {
  Shape s;
  s.type = ShapeType::kEllipsoid;
  s.radii = radii;
  return s;
}
Shape combine(ShapeType type, std::vector<Shape> children) {
  Shape s;
  s.type = type;
  s.children = std::move(children);
  return s;
}
Shape transform(Shape child, Vec3 translation, Vec3 rotation, double scale) {
  Shape s;
  s.type = ShapeType::kTransform;
  s.translation = translation;
  s.rotation = rotation;
  s.scale = scale;
  s.children = {std::move(child)};
  return s;
}

Vec3 random_point(std::mt19937& engine, double reach) {
  std::uniform_real_distribution<double> u(-reach, reach);
  return {u(engine), u(engine), u(engine)};
}

double gap(const Vec3& a, const Vec3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

struct Leaf {
  const char* name;
  Shape shape;
  std::function<Vec3(double, double)> surface;  // from the unit square onto the surface
  double stretch;  // the surface moves at most this far per unit of u or v
  std::function<bool(const Vec3&)> inside;
};

// A solid of revolution about y from its profile, a polyline from axis to axis.
Leaf revolved(const char* name, Shape shape, std::vector<std::array<double, 2>> profile,
              std::function<bool(double, double)> inside) {
  double length = 0, widest = 0;
  for (std::size_t i = 1; i < profile.size(); ++i)
    length += std::hypot(profile[i][0] - profile[i - 1][0], profile[i][1] - profile[i - 1][1]);
  for (const auto& p : profile) widest = std::max(widest, p[0]);
  const auto surface = [profile, length](double u, double v) -> Vec3 {
    double s = u * length;
    std::size_t i = 1;
    double edge = 0;
    for (;; ++i) {
      edge = std::hypot(profile[i][0] - profile[i - 1][0], profile[i][1] - profile[i - 1][1]);
      if (s <= edge || i + 1 == profile.size()) break;
      s -= edge;
    }
    const double w = std::min(s / edge, 1.0);
    const double r = profile[i - 1][0] + w * (profile[i][0] - profile[i - 1][0]);
    const double y = profile[i - 1][1] + w * (profile[i][1] - profile[i - 1][1]);
    return {r * std::cos(2 * kPi * v), y, r * std::sin(2 * kPi * v)};
  };
  return {name, std::move(shape), surface, std::max(length, 2 * kPi * widest),
          [inside](const Vec3& x) { return inside(std::hypot(x[0], x[2]), x[1]); }};
}

std::vector<Leaf> leaves() {
  std::vector<std::array<double, 2>> stadium;
  for (int i = 0; i <= 200; ++i) {
    const double a = kPi * (i / 200.0 - 0.5);
    stadium.push_back({0.4 * std::cos(a), (i <= 100 ? 0.0 : 0.9) + 0.4 * std::sin(a)});
  }
  const Vec3 e{0.9, 0.5, 0.3};
  return {
      revolved("cylinder", along_y(ShapeType::kCylinder, 0.5, 0.8),
               {{0, 0}, {0.5, 0}, {0.5, 0.8}, {0, 0.8}},
               [](double r, double y) { return r < 0.5 && y > 0 && y < 0.8; }),
      revolved("cone", along_y(ShapeType::kCone, 0.6, 0.9), {{0, 0}, {0.6, 0}, {0, 0.9}},
               [](double r, double y) { return y > 0 && r < 0.6 * (1 - y / 0.9); }),
      revolved("capsule", along_y(ShapeType::kCapsule, 0.4, 0.9), stadium,
               [](double r, double y) { return std::hypot(r, y - std::clamp(y, 0.0, 0.9)) < 0.4; }),
      {"torus", torus(0.7, 0.25),
       [](double u, double v) -> Vec3 {
         const double r = 0.7 + 0.25 * std::cos(2 * kPi * u);
         return {r * std::cos(2 * kPi * v), 0.25 * std::sin(2 * kPi * u),
                 r * std::sin(2 * kPi * v)};
       },
       2 * kPi * 0.95,
       [](const Vec3& x) { return std::hypot(std::hypot(x[0], x[2]) - 0.7, x[1]) < 0.25; }},
      {"ellipsoid", ellipsoid(e),
       [e](double u, double v) -> Vec3 {
         const double s = std::sin(kPi * u);
         return {e[0] * s * std::cos(2 * kPi * v), e[1] * std::cos(kPi * u),
                 e[2] * s * std::sin(2 * kPi * v)};
       },
       2 * kPi * 0.9,
       [e](const Vec3& x) {
         return std::pow(x[0] / e[0], 2) + std::pow(x[1] / e[1], 2) + std::pow(x[2] / e[2], 2) < 1;
       }},
  };
}

// The nearest of n x n surface points is no nearer than the surface and at most half a step in u
// and in v further.
TEST(Sdf, LeavesMatchBruteForce) {
  constexpr int n = 400;
  for (const Leaf& leaf : leaves()) {
    const CompiledShape shape = compile_shape(leaf.shape, 3, 0.1);
    std::vector<Vec3> surface;
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j < n; ++j) surface.push_back(leaf.surface(i / double(n), j / double(n)));
    std::mt19937 engine(11);
    for (int q = 0; q < 60; ++q) {
      const Vec3 x = random_point(engine, 1.2);
      double nearest = std::numeric_limits<double>::max();
      for (const Vec3& p : surface) nearest = std::min(nearest, gap(p, x));
      const double d = distance(shape, x);
      EXPECT_EQ(d < 0, leaf.inside(x)) << leaf.name << " " << x[0] << " " << x[1] << " " << x[2];
      EXPECT_LE(std::abs(d), nearest + 2e-4)
          << leaf.name;  // 2e-4: the polyline of the capsule, the ellipsoid's planes
      EXPECT_GE(std::abs(d), nearest - leaf.stretch / n) << leaf.name;
    }
  }
}

// Roots found by Newton's method satisfy the closest-point conditions: the foot lies on the
// ellipsoid and the way to it is normal there. Points on the symmetry planes are the hard ones.
TEST(Sdf, EllipsoidIsExactOnItsSymmetryPlanes) {
  const Vec3 a{0.9, 0.5, 0.3};
  const CompiledShape shape = compile_shape(ellipsoid(a), 3, 0.1);
  for (int axis = 0; axis < 3; ++axis)
    for (double at : {a[axis] + 0.4, a[axis] + 1e-3}) {
      Vec3 x{};
      x[axis] = at;
      EXPECT_NEAR(distance(shape, x), at - a[axis], 2e-4 * a[2]);
    }
  EXPECT_NEAR(distance(shape, {0, 0, 0}), -a[2], 2e-4 * a[2]);
}

TEST(Sdf, SphereBoxAndHalfSpaceHaveClosedForms) {
  EXPECT_DOUBLE_EQ(distance(compile_shape(sphere({1, 2, 3}, 0.5), 3, 0.1), {1, 2, 5}), 1.5);
  const CompiledShape b = compile_shape(box({0, 0, 0}, {2, 4, 6}), 3, 0.1);
  EXPECT_DOUBLE_EQ(distance(b, {5, 8, 3}), 5);
  EXPECT_DOUBLE_EQ(distance(b, {0.5, 2, 3}), -0.5);
  const CompiledShape r = compile_shape(box({0, 0, 0}, {2, 4, 6}, 0.5), 3, 0.1);
  EXPECT_NEAR(distance(r, {0, 0, 3}), 0.5 * (std::sqrt(2.0) - 1), 1e-15);
  EXPECT_DOUBLE_EQ(distance(r, {3, 2, 3}), 1);
  const CompiledShape h = compile_shape(half_space({0, 1, 0}, {0, 2, 0}), 3, 0.1);
  EXPECT_DOUBLE_EQ(distance(h, {7, 3.5, -2}), 2.5);
  EXPECT_DOUBLE_EQ(distance(h, {7, -1, -2}), -2);
}

// Outside a convex shape the distance is smooth with curvature at most 1/d, so central differences
// with step h err by at most (h/d)^2; everywhere it changes by no more than the way between two
// points.
TEST(Sdf, GradientIsAUnitVector) {
  std::vector<Shape> convex{sphere({0, 0, 0}, 0.5), box({-0.4, -0.3, -0.2}, {0.4, 0.3, 0.2}),
                            box({-0.4, -0.3, -0.2}, {0.4, 0.3, 0.2}, 0.1),
                            half_space({0, 0, 0}, {1, 2, 3})};
  for (const Leaf& leaf : leaves())
    if (leaf.shape.type != ShapeType::kTorus) convex.push_back(leaf.shape);
  constexpr double h = 1e-4, margin = 0.05;
  std::mt19937 engine(5);
  for (const Shape& s : convex) {
    const CompiledShape shape = compile_shape(s, 3, 0.1);
    for (int q = 0; q < 300; ++q) {
      const Vec3 x = random_point(engine, 1.5), y = random_point(engine, 1.5);
      EXPECT_LE(std::abs(distance(shape, x) - distance(shape, y)), gap(x, y) + 2e-4);
      if (distance(shape, x) < margin) continue;
      Vec3 gradient;
      for (int i = 0; i < 3; ++i) {
        Vec3 ahead = x, behind = x;
        ahead[i] += h;
        behind[i] -= h;
        gradient[i] = (distance(shape, ahead) - distance(shape, behind)) / (2 * h);
      }
      const double length = std::hypot(gradient[0], gradient[1], gradient[2]);
      EXPECT_NEAR(length, 1, std::pow(h / margin, 2) + 2e-4) << static_cast<int>(s.type);
      const Vec3 n = normal(shape, x, h);
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(n[i], gradient[i] / length, 1e-12);
    }
  }
}

TEST(Sdf, NormalIsAUnitVectorEvenWhereTheGradientVanishes) {
  const Vec3 n = normal(compile_shape(sphere({0, 0, 0}, 1), 3, 0.1), {0, 0, 0}, 1e-3);
  EXPECT_EQ(n, (Vec3{0, 1, 0}));
  const CompiledShape disc = compile_shape(sphere({0, 0, 0}, 1), 2, 0.1);
  EXPECT_EQ(normal(disc, {0, 0, 0}, 1e-3), (Vec3{0, 1, 0}));
}

TEST(Sdf, BooleansFollowSetLogic) {
  const std::vector<Shape> parts{sphere({0, 0, 0}, 0.7), box({-0.2, -0.9, -0.4}, {0.9, 0.3, 0.6}),
                                 along_y(ShapeType::kCone, 0.8, 1.0), torus(0.6, 0.3)};
  // (a u b u c) - (d n (b - c)): right children three deep, children on both sides.
  const Shape nested =
      combine(ShapeType::kDifference,
              {combine(ShapeType::kUnion, {parts[0], parts[1], parts[2]}),
               combine(ShapeType::kIntersection,
                       {parts[3], combine(ShapeType::kDifference, {parts[1], parts[2]})})});
  const CompiledShape shape = compile_shape(nested, 3, 0.1);
  std::vector<CompiledShape> part;
  for (const Shape& s : parts) part.push_back(compile_shape(s, 3, 0.1));
  std::mt19937 engine(3);
  int hits = 0;
  for (int q = 0; q < 4000; ++q) {
    const Vec3 x = random_point(engine, 1.2);
    bool in[4];
    for (int i = 0; i < 4; ++i) in[i] = distance(part[i], x) < 0;
    const bool expected = (in[0] || in[1] || in[2]) && !(in[3] && in[1] && !in[2]);
    EXPECT_EQ(distance(shape, x) < 0, expected);
    hits += expected;
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(!expected || (x[i] >= shape.min[i] && x[i] <= shape.max[i]));
    }
  }
  EXPECT_GT(hits, 400);
}

TEST(Sdf, TransformsRotateThenScaleThenMove) {
  const Shape child = box({-0.3, -0.2, -0.1}, {0.3, 0.2, 0.1});
  const CompiledShape plain = compile_shape(child, 3, 0.1);
  // A quarter turn about x, then about z: (x, y, z) -> (x, -z, y) -> (z, x, y).
  const CompiledShape moved =
      compile_shape(transform(child, {1, 2, 3}, {kPi / 2, 0, kPi / 2}, 2), 3, 0.1);
  const CompiledShape twice =
      compile_shape(transform(transform(transform(child, {0, 0, 0}, {kPi / 2, 0, 0}, 0.5),
                                        {0, 0, 0}, {0, 0, kPi / 2}, 4),
                              {1, 2, 3}, {0, 0, 0}, 1),
                    3, 0.1);
  std::mt19937 engine(9);
  for (int q = 0; q < 200; ++q) {
    const Vec3 p = random_point(engine, 1);
    const Vec3 x{1 + 2 * p[2], 2 + 2 * p[0], 3 + 2 * p[1]};
    EXPECT_NEAR(distance(moved, x), 2 * distance(plain, p), 1e-14);
    EXPECT_NEAR(distance(twice, x), 2 * distance(plain, p), 1e-14);
  }
  EXPECT_NEAR(moved.min[0], 1 - 0.2, 1e-14);
  EXPECT_NEAR(moved.max[1], 2 + 0.6, 1e-14);
  EXPECT_NEAR(moved.max[2], 3 + 0.4, 1e-14);
}

TEST(Sdf, TwoDimensionsIgnoreZ) {
  const CompiledShape b = compile_shape(box({0, 0, 0}, {2, 1, 0}), 2, 0.1);
  EXPECT_DOUBLE_EQ(distance(b, {1, 0.5, 0}), -0.5);
  EXPECT_DOUBLE_EQ(distance(b, {5, 5, 0}), 5);
  const CompiledShape e = compile_shape(ellipsoid({2, 1, 0}), 2, 0.1);
  EXPECT_NEAR(distance(e, {0, 0, 0}), -1, 2e-4);
  EXPECT_NEAR(distance(e, {0, 3, 0}), 2, 2e-4);
  const CompiledShape c =
      compile_shape(along_y(ShapeType::kCylinder, 0.5, 2), 2, 0.1);  // a rectangle
  EXPECT_DOUBLE_EQ(distance(c, {0.8, 1, 0}), 0.3);
  const CompiledShape turned =
      compile_shape(transform(box({0, 0, 0}, {2, 1, 0}), {0, 0, 0}, {0, 0, kPi / 2}, 1), 2, 0.1);
  EXPECT_NEAR(distance(turned, {-0.5, 1, 0}), -0.5, 1e-15);
  Shape ring = torus(1, 0.25);
  ring.axis = {0, 0, 1};
  EXPECT_NEAR(distance(compile_shape(ring, 2, 0.1), {2, 0, 0}), 0.75, 1e-15);
}

// Coordinates up to 2 and a handful of operations: 32 epsilons of that magnitude.
TEST(Sdf, SinglePrecisionAgreesWithDouble) {
  const double tolerance = 32 * 2 * static_cast<double>(std::numeric_limits<float>::epsilon());
  std::mt19937 engine(21);
  for (const Leaf& leaf : leaves()) {
    const CompiledShape shape =
        compile_shape(transform(leaf.shape, {0.1, 0.2, 0.3}, {0.3, 0.4, 0.5}, 1.1), 3, 0.1);
    const auto code = instructions<float>(shape);
    const SdfProgram<float> program{code.data(), static_cast<int>(code.size()), nullptr};
    for (int q = 0; q < 200; ++q) {
      const Vec3 x = random_point(engine, 1.2);
      const Vec<float, 3> y = {
          {static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2])}};
      const Vec3 rounded{y[0], y[1], y[2]};
      EXPECT_NEAR(signed_distance<3>(program, y), distance(shape, rounded), tolerance) << leaf.name;
    }
  }
}

TEST(Sdf, ManyChildrenAreFineAndTooDeepNestsAreRefused) {
  std::vector<Shape> many;
  for (int i = 0; i < 200; ++i) many.push_back(sphere({double(i), 0, 0}, 0.25));
  EXPECT_DOUBLE_EQ(distance(compile_shape(combine(ShapeType::kUnion, many), 3, 0.1), {150.5, 0, 0}),
                   0.25);

  Shape deep = sphere({0, 0, 0}, 1);
  for (int i = 1; i < kMaxSdfDepth; ++i)
    deep = combine(ShapeType::kUnion, {sphere({3.0 * i, 0, 0}, 1), deep});
  EXPECT_DOUBLE_EQ(distance(compile_shape(deep, 3, 0.1), {0, 2, 0}), 1);
  deep = combine(ShapeType::kUnion, {sphere({-3, 0, 0}, 1), deep});
  EXPECT_THROW(compile_shape(deep, 3, 0.1), Error);
}

TEST(Sdf, UnboundedShapesAreRefusedOnlyWhereTheyAreFilled) {
  const Shape ground = half_space({0, 0, 0}, {0, 1, 0});
  const CompiledShape open = compile_shape(ground, 3, 0.1);
  EXPECT_FALSE(open.bounded());
  EXPECT_THROW(require_bounded(open, "body \"ground\""), Error);
  const Shape slab = combine(ShapeType::kIntersection, {ground, box({0, -1, 0}, {1, 1, 1})});
  const CompiledShape closed = compile_shape(slab, 3, 0.1);
  EXPECT_NO_THROW(require_bounded(closed, "slab"));
  EXPECT_DOUBLE_EQ(closed.max[1], 0);
}

TEST(Sdf, MeaninglessShapesAreErrors) {
  std::vector<Shape> bad{sphere({0, 0, 0}, 0),
                         box({0, 0, 0}, {1, 0, 1}),
                         box({0, 0, 0}, {1, 1, 1}, 0.6),
                         half_space({0, 0, 0}, {0, 0, 0}),
                         along_y(ShapeType::kCone, 1, 0),
                         torus(1, 0),
                         ellipsoid({1, 0, 1}),
                         combine(ShapeType::kUnion, {sphere({0, 0, 0}, 1)}),
                         transform(sphere({0, 0, 0}, 1), {0, 0, 0}, {0, 0, 0}, 0),
                         sphere({0, 0, 0}, std::numeric_limits<double>::quiet_NaN()),
                         along_y(ShapeType::kCone, 1e200, 1e200),
                         sphere({0, 0, 0}, 1e20),
                         transform(box({0, 0, 0}, {1, 1, 1}), {0, 0, 0},
                                   {std::numeric_limits<double>::infinity(), 0, 0}, 1)};
  Shape steep;
  steep.type = ShapeType::kHeightField;
  steep.max = {1, 0, 1};
  steep.height.expression = "1e39 * x";
  bad.push_back(steep);
  for (std::size_t i = 0; i < bad.size(); ++i) {
    try {
      compile_shape(bad[i], 3, 0.1);
      ADD_FAILURE() << "shape " << i << " was accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.category(), ErrorCategory::kScene) << i;
    }
  }
}

}  // namespace
}  // namespace firn
