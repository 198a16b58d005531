// The surfaces of shapes as pictures show them: they lie on the boundary and enclose the volume.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "src/render/mesh.h"
#include "src/scene/shapes.h"

namespace firn {
namespace {

Vec3 to_point(const V3d& x) { return {x[0], x[1], x[2]}; }

TEST(Shapes, MeshSurfacesLieOnTheBoundary) {
  std::vector<Shape> shapes(5);
  shapes[0].type = ShapeType::kSphere;
  shapes[1].type = ShapeType::kBox;
  shapes[2].type = ShapeType::kCapsule;
  shapes[3].type = ShapeType::kTorus;
  shapes[4].type = ShapeType::kEllipsoid;
  for (Shape& shape : shapes) {
    shape.center = {0.1, -0.2, 0.3};
    shape.radius = 0.5;
    shape.tube_radius = 0.2;
    shape.radii = {0.3, 0.5, 0.8};
    shape.min = {-0.4, -0.3, -0.2};
    shape.max = {0.2, 0.3, 0.4};
    shape.axis = {1, 2, 3};
    Shape transform;
    transform.type = ShapeType::kTransform;
    transform.translation = {1, 2, 3};
    transform.rotation = {0.3, -0.7, 1.1};
    transform.scale = 1.5;
    shape.rounding = 0.1;
    transform.children = {shape};
    const CompiledShape solid = compile_shape(transform, 3, 0.1);
    Mesh mesh;
    append_shape(transform, {}, mesh);
    ASSERT_FALSE(mesh.indices.empty());
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
      V3d x, n;
      for (int c = 0; c < 3; ++c) {
        x[c] = mesh.positions[i][c];
        n[c] = mesh.normals[i][c];
      }
      // Positions of size 4 in single precision are exact to 4e-7; a step of 1e-4 crosses the
      // surface.
      EXPECT_LT(distance(solid, to_point(x - n * 1e-4)), 0) << static_cast<int>(shape.type);
      EXPECT_GT(distance(solid, to_point(x + n * 1e-4)), 0) << static_cast<int>(shape.type);
    }
  }
}

// Every closed surface encloses the volume that its formula gives, so no part of it is missing.
TEST(Shapes, MeshVolumes) {
  const auto volume = [](const Shape& shape) {
    Mesh mesh;
    append_shape(shape, {}, mesh);
    double sum = 0;
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
      const V3f &a = mesh.positions[mesh.indices[i]], &b = mesh.positions[mesh.indices[i + 1]],
                &c = mesh.positions[mesh.indices[i + 2]];
      const V3f outward = mesh.normals[mesh.indices[i]] + mesh.normals[mesh.indices[i + 1]] +
                          mesh.normals[mesh.indices[i + 2]];
      const V3f area = cross(b - a, c - a);
      sum += std::copysign(1.0, dot(area, outward)) * dot(a, area) / 6;
    }
    return sum;
  };
  Shape box;
  box.type = ShapeType::kBox;
  box.min = {1, 2, 3};
  box.max = {2, 4, 6};
  EXPECT_NEAR(volume(box), 6, 1e-5);
  Shape cylinder;
  cylinder.type = ShapeType::kCylinder;
  cylinder.radius = 0.5;
  // A polygon of 96 corners falls short of its circle by (2 pi / 96)^2 / 6 = 7e-4.
  EXPECT_NEAR(volume(cylinder) / (M_PI * 0.25), 1, 1e-3);
  cylinder.type = ShapeType::kCone;
  EXPECT_NEAR(volume(cylinder) / (M_PI * 0.25 / 3), 1, 1e-3);
  // What is cut out is missing; 12 edges of 0.5 to 1 m and the rims are bevelled within a cell of
  // 1/128 m.
  Shape cut, ball;
  ball.center = {1.5, 2.5, 3.5};
  ball.radius = 0.3;
  box.max = {2, 3, 4};
  cut.type = ShapeType::kDifference;
  cut.children = {box, ball};
  EXPECT_NEAR(volume(cut), 1 - 4 * M_PI / 3 * 0.027, 12 * std::pow(1.0 / 128, 2));
  cut.type = ShapeType::kIntersection;
  ball.center = {1, 2, 3};  // an eighth of it
  cut.children = {box, ball};
  EXPECT_NEAR(volume(cut), M_PI / 6 * 0.027, 0.3 * 6 * std::pow(0.3 / 128, 2));
}

}  // namespace
}  // namespace firn
