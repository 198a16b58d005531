// Winding numbers and signed-distance grids of meshes against closed forms; holes, shells and
// cavities.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "firn/error.h"
#include "src/scene/mesh.h"
#include "src/scene/shapes.h"
#include "src/scene/winding_number.h"
#include "tests/support/meshes.h"

namespace firn {
namespace {

double exact_winding(const TriangleMesh& m, const Vec<double, 3>& x) {
  double sum = 0;
  for (const auto& t : m.triangles) {
    Vec<double, 3> c[3];
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) c[k][i] = m.vertices[t[k]][i] - x[i];
    const double la = norm(c[0]), lb = norm(c[1]), lc = norm(c[2]);
    sum += 2 * std::atan2(dot(c[0], cross(c[1], c[2])), la * lb * lc + dot(c[0], c[1]) * lc +
                                                            dot(c[1], c[2]) * la +
                                                            dot(c[2], c[0]) * lb);
  }
  return sum / (4 * std::numbers::pi);
}

TEST(MeshGrid, WindingNumberOfTheHierarchyIsThatOfTheSum) {
  TriangleMesh bowl = icosphere(4);
  std::erase_if(bowl.triangles, [&](const auto& t) { return bowl.vertices[t[0]][1] > 0.5; });
  const WindingNumber winding(bowl);
  std::mt19937 engine(2);
  std::uniform_real_distribution<double> u(-1.5, 1.5);
  for (int q = 0; q < 300; ++q) {
    const Vec<double, 3> x = {{u(engine), u(engine), u(engine)}};
    EXPECT_NEAR(winding.at(x), exact_winding(bowl, x), 0.04);  // the error that its header promises
  }
}

// Towards the hole of this bowl the gradient grows to 1; its header promises a tenth of that.
TEST(MeshGrid, WindingGradientIsTheDerivative) {
  TriangleMesh bowl = icosphere(4);
  std::erase_if(bowl.triangles, [&](const auto& t) { return bowl.vertices[t[0]][1] > 0.5; });
  const WindingNumber winding(bowl);
  std::mt19937 engine(2);
  std::uniform_real_distribution<double> u(-0.6, 0.6);
  constexpr double h = 1e-4;
  for (int q = 0; q < 100; ++q) {
    const Vec<double, 3> x = {{u(engine), u(engine), u(engine)}};
    const Vec<double, 3> gradient = winding.gradient(x);
    for (int i = 0; i < 3; ++i) {
      Vec<double, 3> ahead = x, behind = x;
      ahead[i] += h;
      behind[i] -= h;
      EXPECT_NEAR(gradient[i], (exact_winding(bowl, ahead) - exact_winding(bowl, behind)) / (2 * h),
                  0.1);
    }
  }
}

TEST(MeshGrid, NearestTriangleOfACubeIsTheDistanceToTheBox) {
  const WindingNumber winding(cube());
  Shape box;
  box.type = ShapeType::kBox;
  box.min = {-1, -1, -1};
  box.max = {1, 1, 1};
  const CompiledShape expected = compile_shape(box, 3, 1);
  std::mt19937 engine(12);
  std::uniform_real_distribution<double> u(-2, 2);
  for (int q = 0; q < 1000; ++q) {
    const Vec3 x{u(engine), u(engine), u(engine)};
    const double d = std::abs(distance(expected, x));
    EXPECT_NEAR(winding.nearest({{x[0], x[1], x[2]}}, 10), d, 1e-14);
    EXPECT_EQ(winding.nearest({{x[0], x[1], x[2]}}, 0.5 * d), 0.5 * d);
  }
}

#if defined(FIRN_WITH_OPENVDB)

Shape mesh_shape(const MeshFile& file) {
  Shape s;
  s.type = ShapeType::kMesh;
  s.file = file.path();
  return s;
}

// Voxels are dx/2; trilinear interpolation of a distance errs by at most a fraction of one where it
// has kinks.
TEST(MeshGrid, GridOfACubeIsTheDistanceOfABox) {
  const MeshFile file("cube.stl", as_binary_stl(cube(0.5, {0.2, 0.3, 0.4})));
  constexpr double dx = 0.05;
  Shape shape = mesh_shape(file);
  shape.rotation = {0.3, -0.2, 0.5};
  shape.scale = 1.5;
  shape.translation = {5, 6, 7};
  Shape box;
  box.type = ShapeType::kBox;
  box.min = {-0.3, -0.2, -0.1};
  box.max = {0.7, 0.8, 0.9};
  Shape moved = shape;
  moved.type = ShapeType::kTransform;
  moved.children = {box};
  const CompiledShape a = compile_shape(shape, 3, dx), b = compile_shape(moved, 3, dx);
  std::mt19937 engine(6);
  std::uniform_real_distribution<double> u(0, 1);
  int near = 0;
  for (int q = 0; q < 20000; ++q) {
    Vec3 x;
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(a.min[i], b.min[i], 1e-6);  // STL keeps floats
      x[i] = b.min[i] - 0.2 + u(engine) * (b.max[i] - b.min[i] + 0.4);
    }
    const double expected = distance(b, x), band = 4 * dx;
    if (std::abs(expected) < band - dx) {
      EXPECT_NEAR(distance(a, x), expected, 0.25 * dx);
      ++near;
    } else if (expected < 0) {
      EXPECT_LT(distance(a, x), -band + 1.25 * dx);
    } else {
      EXPECT_GT(distance(a, x), band - 1.25 * dx);
      EXPECT_LE(distance(a, x), expected + 0.25 * dx);
    }
  }
  EXPECT_GT(near, 4000);
  EXPECT_GT(distance(a, {100, 6, 7}), 90);  // far away it is the distance to the mesh's box
}

// How far the flat triangles of an inscribed mesh lie below the unit sphere, in the middle of the
// worst.
double sagitta(const TriangleMesh& m) {
  double least = 1;
  for (const auto& t : m.triangles) {
    Vec3 middle{};
    for (std::uint32_t i : t)
      for (int a = 0; a < 3; ++a) middle[a] += m.vertices[i][a] / 3;
    least = std::min(least, std::hypot(middle[0], middle[1], middle[2]));
  }
  return 1 - least;
}

TEST(MeshGrid, GridOfASphereAndItsNormals) {
  const TriangleMesh mesh = icosphere(5);
  const MeshFile file("sphere.ply", as_binary_ply(mesh));
  constexpr double dx = 0.1;
  const CompiledShape shape = compile_shape(mesh_shape(file), 3, dx);
  const double low = sagitta(mesh);
  EXPECT_TRUE(shape.reports.at(0).watertight);
  std::mt19937 engine(8);
  std::normal_distribution<double> u;
  for (int q = 0; q < 2000; ++q) {
    Vec3 n{u(engine), u(engine), u(engine)};
    const double length = std::hypot(n[0], n[1], n[2]);
    for (double& c : n) c /= length;
    for (double offset : {-0.15, 0.0, 0.15}) {
      const Vec3 x{(1 + offset) * n[0], (1 + offset) * n[1], (1 + offset) * n[2]};
      // Trilinear interpolation of a curvature 2/r errs by (voxel^2 / 8) 2 / r, the facets by their
      // sagitta.
      const double voxel = 0.5 * dx, interpolation = voxel * voxel / 4 / 0.85;
      EXPECT_NEAR(distance(shape, x), offset, interpolation + low);
      const Vec3 m = normal(shape, x, 0.5 * dx);
      EXPECT_GT(m[0] * n[0] + m[1] * n[1] + m[2] * n[2], 0.999);
    }
  }
}

TEST(MeshGrid, HolesAreClosedAndNestedShellsAreOneSolid) {
  constexpr double dx = 0.1;
  const MeshFile open_file("open.obj", as_obj(open_cube()));
  const CompiledShape open = compile_shape(mesh_shape(open_file), 3, dx);
  EXPECT_FALSE(open.reports.at(0).watertight);
  EXPECT_LT(distance(open, {0, 0, 0}), -3 * dx);
  EXPECT_GT(distance(open, {0, 1.5, 0}), 0);
  // Through the missing lid the distance goes from inside to outside without a jump.
  double before = distance(open, {0, 0, 0});
  for (double y = 0.01; y < 2; y += 0.01) {
    const double d = distance(open, {0, y, 0});
    EXPECT_LT(std::abs(d - before), 0.03)
        << y;  // a distance would change by 0.01; the cap's is of first order
    before = d;
  }
  EXPECT_GT(before, 0.2);
  // Walls are untouched by the hole.
  EXPECT_NEAR(distance(open, {0.9, -0.5, 0}), -0.1, 0.25 * dx);

  const MeshFile overlap_file("overlap.obj", as_obj(joined(cube(), cube(1, {1, 0, 0}))));
  const CompiledShape overlap = compile_shape(mesh_shape(overlap_file), 3, dx);
  EXPECT_LT(distance(overlap, {0.5, 0, 0}), 0);  // in both
  EXPECT_LT(distance(overlap, {1.8, 0, 0}), 0);
  EXPECT_GT(distance(overlap, {2.2, 0, 0}), 0);
  const MeshFile cavity_file("cavity.obj", as_obj(joined(cube(), reversed(cube(0.5)))));
  const CompiledShape cavity = compile_shape(mesh_shape(cavity_file), 3, dx);
  EXPECT_GT(distance(cavity, {0, 0, 0}), 0);
  EXPECT_LT(distance(cavity, {0.75, 0, 0}), 0);
  const MeshFile reversed_file("reversed.obj", as_obj(reversed(cube())));
  EXPECT_LT(distance(compile_shape(mesh_shape(reversed_file), 3, dx), {0, 0, 0}), 0);
}

TEST(MeshGrid, SizeSetsTheLongestEdgeAndAbsurdSizesAreRefused) {
  TriangleMesh slab = cube();
  for (Vec3& v : slab.vertices) v[0] *= 4;
  const MeshFile file("slab.obj", as_obj(slab));
  Shape shape = mesh_shape(file);
  shape.size = 2;
  const CompiledShape sized = compile_shape(shape, 3, 0.1);
  EXPECT_NEAR(sized.max[0] - sized.min[0], 2, 1e-12);
  EXPECT_NEAR(sized.max[1] - sized.min[1], 0.5, 1e-12);
  shape.size = 2e6;
  EXPECT_THROW(compile_shape(shape, 3, 0.1), Error);
}

TEST(MeshGrid, SeveralMeshesShareOneBuffer) {
  const MeshFile a("first.obj", as_obj(cube(1))), b("second.obj", as_obj(cube(0.5, {3, 0, 0})));
  Shape both;
  both.type = ShapeType::kUnion;
  both.children = {mesh_shape(a), mesh_shape(b)};
  const CompiledShape shape = compile_shape(both, 3, 0.1);
  EXPECT_LT(distance(shape, {0, 0, 0}), -0.3);
  EXPECT_LT(distance(shape, {3, 0, 0}), -0.3);
  EXPECT_GT(distance(shape, {1.75, 0, 0}), 0.3);
  EXPECT_EQ(shape.code[1].mesh_offset % static_cast<std::int64_t>(kMeshGridAlignment), 0);
}

#endif

}  // namespace
}  // namespace firn
