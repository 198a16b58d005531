// Sequences of meshes: which of them hold a time, what is refused by name, and the distances and
// velocities that kernels read between them, against brute force and rigid motion.
#include "src/scene/mesh_sequence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "firn/scene_file.h"
#include "kernels/collide/sdf.h"
#include "src/scene/document.h"
#include "src/scene/input_files.h"
#include "src/scene/scene_document.h"
#include "src/scene/shapes.h"
#include "src/scene/winding_number.h"
#include "tests/support/expect_error.h"
#include "tests/support/sequences.h"
#include "tests/support/sim_scenes.h"

namespace firn {
namespace {

using test::Deformation;
using test::expect_error;
using test::SequenceFiles;
using Vector = Vec<double, 3>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Vec3 turned(const Vec3& x, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]};
}

TEST(MeshSequence, NumbersStandWhereThePatternSays) {
  EXPECT_EQ(numbered_file("a/walk_%04d.obj", 7), "a/walk_0007.obj");
  EXPECT_EQ(numbered_file("walk%d.ply", 12), "walk12.ply");
  EXPECT_EQ(numbered_file("%02d.obj", 123), "123.obj");
  EXPECT_EQ(numbered_file("100%d/50%/walk_%03d.obj", 7), "100%d/50%/walk_007.obj");
  for (const char* pattern : {"walk.obj", "%s.obj", "%d_%d.obj", "%4d.obj", "100%.obj", "%", "%0d"})
    EXPECT_FALSE(is_numbered(pattern)) << pattern;
}

TEST(MeshSequence, IntervalsMeetAtTheTimesOfMeshes) {
  Shape shape;
  shape.type = ShapeType::kMeshSequence;
  shape.first = 10, shape.last = 400, shape.start = 0.37;
  for (const double fps : {23.976, 24.0, 30.0, 7.0, 1000.0}) {
    shape.fps = fps;
    const auto rests = interval_at(shape, 0.36);
    EXPECT_EQ(rests, (SequenceInterval{-kInfinity, 0.37, 0, 0}));
    double time = 0.37;
    for (std::size_t i = 0; i < 390; ++i) {
      const SequenceInterval at = interval_at(shape, time);
      ASSERT_EQ(at.begin, time) << "a step that ends there must begin in the next interval";
      ASSERT_EQ(at.from, i);
      ASSERT_EQ(at.to, i + 1);
      ASSERT_EQ(interval_at(shape, std::nextafter(at.end, 0.0)), at);
      time = at.end;
    }
    EXPECT_EQ(interval_at(shape, time), (SequenceInterval{time, kInfinity, 390, 390}));
    EXPECT_EQ(interval_at(shape, 1e9).from, 390u);
    Shape round = shape;
    round.loop = true;
    EXPECT_EQ(interval_at(round, time).to, 0u);
    EXPECT_EQ(interval_at(round, interval_at(round, time).end).from, 0u);
  }
}

SequenceFiles moving(const TriangleMesh& mesh, const Deformation& move, int count = 3,
                     double fps = 10) {
  return SequenceFiles(mesh, count, fps, move);
}

TEST(MeshSequence, NamesTheFileThatDoesNotFit) {
  const auto stay = [](const Vec3& x, double) { return x; };
  const auto loaded = [](const SequenceFiles& files) {
    return [&files] { cached_sequence(files.shape()); };
  };
  const SequenceFiles missing = moving(cube(), stay);
  std::filesystem::remove(missing.file(2));
  expect_error(ErrorCategory::kFile, {missing.file(2), "no such file"}, loaded(missing));

  const SequenceFiles garbled = moving(cube(), stay);
  garbled.write(3, "v 1 2\n");
  expect_error(ErrorCategory::kFile, {garbled.file(3)}, loaded(garbled));

  const SequenceFiles more = moving(cube(), stay);
  more.write(2, as_obj(icosphere(0)));
  expect_error(ErrorCategory::kFile, {more.file(2), "6 vertices", more.file(1), "8"}, loaded(more));

  const SequenceFiles fewer = moving(cube(), stay);
  TriangleMesh lid = cube();
  lid.triangles.pop_back();
  fewer.write(3, as_obj(lid));
  expect_error(ErrorCategory::kFile, {fewer.file(3), "11 triangles", "12"}, loaded(fewer));

  const SequenceFiles other = moving(cube(), stay);
  TriangleMesh swapped = cube();
  std::swap(swapped.triangles[4], swapped.triangles[5]);
  other.write(2, as_obj(swapped));
  expect_error(ErrorCategory::kFile, {other.file(2), "triangle 5", "corners"}, loaded(other));

  const SequenceFiles open = moving(open_cube(), stay);
  expect_error(ErrorCategory::kScene, {"do not enclose", "shell"},
               [&] { compile_shape(open.shape(), 3, 0.2); });
}

// The diagonal that is shorter in one mesh is the longer one in the next.
TEST(MeshSequence, QuadsAreCutAlike) {
  const SequenceFiles files = moving(cube(), [](const Vec3& x, double) { return x; });
  const auto quads = [](double shear) {
    std::string text;
    for (int i = 0; i < 8; ++i) {
      const double x = i & 1 ? 1 : -1, y = i & 2 ? 1 : -1, z = i & 4 ? 1 : -1;
      text += fmt::format("v {} {} {}\n", x + shear * y, y, z);
    }
    return text + "f 1 5 7 3\nf 2 4 8 6\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 4 2\nf 5 6 8 7\n";
  };
  files.write(1, quads(-0.5));
  files.write(2, quads(0));
  files.write(3, quads(0.5));
  EXPECT_EQ(cached_sequence(files.shape())->triangles.size(), 12u);
}

TEST(MeshSequence, AllItsFilesTellWhetherARunMayGoOn) {
  const SequenceFiles files = moving(cube(), [](const Vec3& x, double t) {
    return Vec3{x[0] + t, x[1], x[2]};
  });
  Scene scene;
  scene.colliders.resize(1);
  scene.colliders[0].shape = files.shape();
  const auto before = input_files(scene);
  EXPECT_EQ(before.size(), 3u);
  require_same_files(scene, before);
  files.write(2, as_obj(cube(0.5)));
  expect_error(ErrorCategory::kScene, {files.file(2)}, [&] { require_same_files(scene, before); });
}

// --- in scenes ---

std::string scene_with(const std::string& owner, const std::string& shape,
                       const std::string& more = "") {
  const std::string ball = "{ type = \"sphere\", center = [0, 9, 0], radius = 1 }";
  return "[grid]\ndx = 0.1\n[material.m]\npreset = \"jello\"\n[[" + owner + "]]\n" +
         (owner == "collider" ? "" : "material = \"m\"\n") + "shape = " + shape + "\n" + more +
         "[[body]]\nmaterial = \"m\"\nshape = " + ball + "\n";
}

TEST(MeshSequence, IsTheWholeShapeOfACollider) {
  const SequenceFiles files = moving(cube(), [](const Vec3& x, double t) {
    return Vec3{x[0] + t, x[1], x[2]};
  });
  const std::string folder = files.folder().path().string();
  const std::string it =
      "{ type = \"mesh_sequence\", file = \"mesh_%03d.obj\", first = 1, last = 3, fps = 10 }";
  const auto parsed = [&](const std::string& text) {
    return [text, folder] { return parse_scene(text, "s.toml", folder); };
  };
  const Scene scene = parsed(scene_with("collider", it))();
  EXPECT_EQ(scene.colliders[0].shape.file, files.shape().file) << "relative to the scene";
  Shape read = files.shape();
  EXPECT_EQ(scene.colliders[0].shape, read);
  const std::string moved = "{ type = \"transform\", translation = [0, 1, 0], child = " + it + " }";
  EXPECT_NO_THROW(parsed(scene_with("collider", moved))());
  EXPECT_NO_THROW(parsed(scene_with("collider", it, "place = { center = [0, 0, 0] }\n"))());

  for (const std::string owner : {"body", "source"})
    expect_error(ErrorCategory::kScene, {"s.toml:7:", "for colliders", "as a mesh"},
                 parsed(scene_with(owner, it)));
  const std::string both = "{ type = \"union\", children = [" + it + ", " + it + "] }";
  expect_error(ErrorCategory::kScene, {"s.toml:6:", "whole shape of a collider"},
               parsed(scene_with("collider", both)));
  expect_error(ErrorCategory::kScene, {"s.toml:6:", "material cannot move"},
               parsed(scene_with("collider", it, "density = 100\n")));
  expect_error(ErrorCategory::kScene, {"needs dimension = 3"},
               parsed("[simulation]\ndimension = 2\n" + scene_with("collider", it)));
  std::filesystem::remove(files.file(2));
  expect_error(ErrorCategory::kFile, {"s.toml:6:", "lacks 1 of its 3 files", files.file(2)},
               parsed(scene_with("collider", it)));
}

// Scenes that are built in code are written and read again, which must lose nothing.
TEST(MeshSequence, ComesBackFromAWrittenScene) {
  const SequenceFiles files = moving(cube(), [](const Vec3& x, double) { return x; });
  Scene scene = test::empty_scene(3, 0.1);
  scene.materials = {test::elastic("jelly")};
  scene.bodies = {test::body("ball", 0, test::sphere({0, 3, 0}, 1))};
  scene.colliders = {test::collider("mesh", files.shape(), BoundaryType::kSlip)};
  Shape& shape = scene.colliders[0].shape;
  shape.start = 0.5, shape.loop = true, shape.size = 2, shape.rotation = {0, 1, 0};
  shape.solid = MeshSolid::kShell, shape.thickness = 0.3;
  const Scene read = parse_scene(scene::write_document(scene::document_of(scene)), "s.toml", "/");
  EXPECT_NEAR(read.colliders[0].shape.rotation[1], 1, 1e-15);
  shape.rotation = read.colliders[0].shape.rotation;
  EXPECT_EQ(read.colliders[0].shape, shape);
}

// --- what stands between two meshes ---

// A compiled sequence with the samples of the interval that holds a time, set to it.
class Seen {
 public:
  Seen(const Shape& shape, double dx) : shape_(compile_shape(shape, 3, dx)), source_(shape) {}
  void at(double time) {
    const DeformingGrid& grid = *shape_.deforming;
    shape_.meshes = grid.fill(grid.interval(time), DeformingGrid::one_by_one);
    EXPECT_LE(shape_.meshes.size(), grid.most_bytes());
    auto& header = *reinterpret_cast<DeformingHeader*>(shape_.meshes.data());
    set_time(header, time);
    keys_ = header.keys;
  }
  double distance(const Vec3& x) const { return firn::distance(shape_, x); }
  Vector velocity(const Vec3& x) const {
    return deformation_velocity(program(shape_), Vector{{x[0], x[1], x[2]}});
  }
  int keys() const { return keys_; }
  const CompiledShape& shape() const { return shape_; }

 private:
  CompiledShape shape_;
  Shape source_;
  int keys_ = 0;
};

// Places within `reach` of a sphere's surface.
std::vector<Vec3> around_sphere(const Vec3& centre, double radius, double reach, int count) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> u(-1, 1);
  std::vector<Vec3> places;
  while (static_cast<int>(places.size()) < count) {
    Vec3 x;
    for (double& c : x) c = (radius + reach) * u(engine);
    const double r = std::hypot(x[0], x[1], x[2]);
    if (std::abs(r - radius) > reach) continue;
    for (std::size_t a = 0; a < 3; ++a) x[a] += centre[a];
    places.push_back(x);
  }
  return places;
}

constexpr double kDx = 0.05, kVoxel = 0.5 * kDx, kRadius = 0.2;
// Of the distance to a sphere two second derivatives are 1 / r, and no distance within `reach` of
// it bends more than 1 / (r - reach). Between samples h apart that errs by h^2 / (8 r) along each
// of two axes, between keys for which it moves by 2 h by four times that.
double interpolation_error(double reach) { return 6 * kVoxel * kVoxel / (8 * (kRadius - reach)); }

TEST(DeformingGrid, FollowsASphereThatFlies) {
  const Vec3 v{2, -1, 0.5};  // from a mesh to the next 4.6 cells
  const TriangleMesh ball = icosphere(4, kRadius);
  const SequenceFiles files = moving(ball, [&](const Vec3& x, double t) {
    return Vec3{x[0] + t * v[0], x[1] + t * v[1], x[2] + t * v[2]};
  });
  Seen seen(files.shape(), kDx);
  for (const double t : {0.0, 0.013, 0.05, 0.0999, 0.1, 0.17}) {
    seen.at(t);
    EXPECT_EQ(seen.keys(), 6) << "|v| / fps in cells, rounded up, and one";
    const Vec3 centre{t * v[0], t * v[1], t * v[2]};
    for (const Vec3& x : around_sphere(centre, kRadius, 2 * kVoxel, 300)) {
      const double expected =
          std::hypot(x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]) - kRadius;
      // The icosphere lies inside of the sphere by up to its sagitta.
      EXPECT_NEAR(seen.distance(x), expected, interpolation_error(2 * kVoxel) + 0.002 * kRadius);
      const Vector found = seen.velocity(x);
      for (int a = 0; a < 3; ++a) EXPECT_NEAR(found[a], v[static_cast<std::size_t>(a)], 1e-5);
    }
  }
  seen.at(0.3);  // past the last
  EXPECT_EQ(seen.keys(), 1);
  EXPECT_NEAR(seen.distance({0.4 + kRadius, -0.2, 0.1}), 0, 0.1 * kVoxel);
  EXPECT_EQ(norm(seen.velocity({0.4 + kRadius, -0.2, 0.1})), 0);
}

TEST(DeformingGrid, HasTheVelocityOfTheNearestPoint) {
  const double spin = 3, grow = 0.4;  // rad/s, 1/s
  const auto move = [&](const Vec3& x, double t) {
    Vec3 y = turned(x, spin * t);
    for (double& c : y) c *= 1 + grow * t;
    return y;
  };
  const SequenceFiles files = moving(icosphere(4, kRadius), move, 5, 60);
  Seen seen(files.shape(), kDx);
  for (const double t : {0.004, 0.03, 0.06}) {
    seen.at(t);
    const double radius = kRadius * (1 + grow * t);
    for (const Vec3& x : around_sphere({0, 0, 0}, radius, 2 * kVoxel, 300)) {
      const double r = std::hypot(x[0], x[1], x[2]);
      // Chords in place of arcs: the radius is cos(spin / fps / 2) of what it is at least.
      EXPECT_NEAR(
          seen.distance(x), r - radius,
          interpolation_error(2 * kVoxel) + 0.002 * kRadius + radius * spin * spin / (8 * 60 * 60));
      const Vector v = seen.velocity(x), n{{x[0] / r, x[1] / r, x[2] / r}};
      const Vector expected = radius * spin * Vector{{-n[1], n[0], 0}} + grow * kRadius * n;
      // Between samples n turns by h / r, which errs by (h / r)^2 / 8 along each axis; the chord by
      // the square of spin / fps.
      const double bend = 3 * kVoxel * kVoxel / (8 * (radius - 3 * kVoxel) * (radius - 3 * kVoxel));
      const double chord = spin * spin / (60 * 60);
      // Facets are as wide as 0.1 radii, over which the nearest point moves evenly.
      EXPECT_LT(norm(v - expected), (radius * spin + grow * radius) * (bend + chord + 0.005));
    }
  }
}

TEST(DeformingGrid, IsInsideWhereTheMeshIs) {
  const SequenceFiles files =
      moving(cube(0.5), [](const Vec3& x, double t) { return turned(x, 2 * t); });
  Seen seen(files.shape(), 0.04);  // 25 cells wide: blocks inside without samples
  seen.at(0.05);
  EXPECT_EQ(seen.distance({0, 0, 0}), -6 * 0.02) << "that far it is only known to be inside";
  EXPECT_EQ(norm(seen.velocity({0, 0, 0})), 0);
  EXPECT_GT(seen.distance({0.9, 0, 0}), 3 * 0.04 - 1e-6);
  EXPECT_GT(seen.distance({30, 0, 0}), 25);
  const SequenceFiles inside_out =
      moving(reversed(cube(0.5)), [](const Vec3& x, double) { return x; });
  Seen turned_round(inside_out.shape(), 0.04);
  turned_round.at(0.05);
  EXPECT_LT(turned_round.distance({0.45, 0, 0}), 0);
}

TEST(DeformingGrid, SheetsOfAShell) {
  TriangleMesh sheet;
  sheet.vertices = {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 1}, {1, 0, -1}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  const SequenceFiles files = moving(sheet, [](const Vec3& x, double t) {
    return Vec3{x[0], x[1] + 3 * t, x[2]};
  });
  Shape shape = files.shape();
  shape.solid = MeshSolid::kShell;
  shape.thickness = 0.1;
  Seen seen(shape, kDx);
  seen.at(0.07);
  // Not in the middle, where the distance has a kink that keys round off.
  for (const double y : {-0.05, 0.03, 0.08}) {
    const double x = 0.21 + y;  // beside the sheet's middle
    EXPECT_NEAR(seen.distance({0.3, x, 0.2}), std::abs(y) - 0.05, 0.5 * kVoxel);
    EXPECT_NEAR(seen.velocity({0.3, x, 0.2})[1], 3, 1e-5);
  }
}

// Scale, turn and place are of the shape; thickness is not scaled.
TEST(DeformingGrid, IsPlacedAsAMeshIs) {
  const TriangleMesh ball = icosphere(3, 1);
  const SequenceFiles files = moving(ball, [](const Vec3& x, double t) {
    return Vec3{x[0] + 5 * t, x[1], x[2]};
  });
  Shape shape = files.shape();
  shape.size = 0.4;  // of the first: a factor of 0.2
  shape.rotation = {0, 0, 1.5707963267948966};
  shape.translation = {1, 2, 3};
  Shape outer;
  outer.type = ShapeType::kTransform;
  outer.translation = {0, 0, 1};
  outer.children = {shape};
  Seen seen(outer, kDx);
  seen.at(0.05);
  EXPECT_NEAR(seen.distance({1 + 0.2, 2 + 0.05, 4}), 0, 0.2 * kVoxel);
  EXPECT_NEAR(seen.velocity({1 + 0.2, 2 + 0.05, 4})[1], 1, 1e-5);
}

TEST(DeformingGrid, HasTheSameBytesInAnyOrder) {
  const SequenceFiles files =
      moving(icosphere(2, kRadius), [](const Vec3& x, double t) { return turned(x, 3 * t); });
  const CompiledShape shape = compile_shape(files.shape(), 3, kDx);
  const DeformingGrid& grid = *shape.deforming;
  const SequenceInterval interval = grid.interval(0.15);
  const GridBytes forward = grid.fill(interval, DeformingGrid::one_by_one);
  const GridBytes backward =
      grid.fill(interval, [](std::size_t n, const std::function<void(std::size_t)>& f) {
        while (n > 0) f(--n);
      });
  EXPECT_EQ(forward, backward);
}

TEST(DeformingGrid, RefusesWhatNoGridCanHold) {
  const SequenceFiles files = moving(icosphere(1, 1), [](const Vec3& x, double t) {
    return Vec3{x[0] + 1e6 * t, x[1], x[2]};
  });
  expect_error(ErrorCategory::kScene, {"moves through more than", "units"},
               [&] { compile_shape(files.shape(), 3, 0.01); });
  const SequenceFiles fast = moving(icosphere(1, 1), [](const Vec3& x, double t) {
    return Vec3{x[0] + 4e3 * t, x[1], x[2]};
  });
  const CompiledShape shape = compile_shape(fast.shape(), 3, 0.2);
  expect_error(ErrorCategory::kScene, {"from mesh 1", "more meshes per second"},
               [&] { shape.deforming->most_bytes(); });
}

}  // namespace
}  // namespace firn
