// Mesh files of every format on their way from a scene file to particles and to signed distances.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "firn/scene_file.h"
#include "firn/simulation.h"
#include "src/scene/sampling.h"
#include "src/scene/shapes.h"
#include "tests/support/expect_error.h"
#include "tests/support/meshes.h"
#include "tests/support/scratch_folder.h"

namespace firn {
namespace {

Scene scene_of(const std::string& file, const std::string& directory) {
  const std::string shape =
      "{ type = \"mesh\", file = \"" + file + "\", scale = 2, translation = [1, 0, 0] }";
  return parse_scene(
      "[simulation]\ndimension = 3\n[grid]\ndx = 0.05\n[material.m]\npreset = \"jello\"\ndensity = "
      "500\n"
      "[[body]]\nmaterial = \"m\"\nshape = " +
          shape + "\n[[collider]]\nshape = " + shape + "\n",
      "s.toml", directory);
}

// A cube of half width 0.25 at (0.1, 0, 0), twice as large and moved: from 0.7 to 1.7 along x.
class MeshScene : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
#if !defined(FIRN_WITH_OPENVDB)
    GTEST_SKIP() << "mesh shapes need OpenVDB";
#endif
    const TriangleMesh mesh = cube(0.25, {0.1, 0, 0});
    const std::string format = GetParam();
    const std::string bytes = format == "obj"          ? as_obj(mesh)
                              : format == "ascii_ply"  ? as_ascii_ply(mesh)
                              : format == "binary_ply" ? as_binary_ply(mesh)
                              : format == "ascii_stl"  ? as_ascii_stl(mesh)
                                                       : as_binary_stl(mesh);
    const std::string file = "cube." + format.substr(format.size() - 3);
    test::write_text(folder_ / file, bytes);
    scene_ = scene_of(file, folder_.path().string());
  }
  test::ScratchFolder folder_;
  Scene scene_;
};

TEST_P(MeshScene, FillsWithParticles) {
  const Simulation simulation(scene_, {Device::kCpu, 1});
  const Snapshot s = simulation.snapshot();
  // Eight per cell of volume 1 in all; the samples along the faces are the uncertain ones.
  const double cells = 1 / std::pow(0.05, 3), faces = 6 / std::pow(0.05, 2);
  EXPECT_NEAR(static_cast<double>(s.size()), 8 * cells, 0.5 * 8 * faces / 4);
  double mass = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    mass += static_cast<double>(s.mass[i]);
    EXPECT_NEAR(s.position[3 * i], 1.2, 0.5 + 1e-4);
    EXPECT_NEAR(s.position[3 * i + 1], 0, 0.5 + 1e-4);
    EXPECT_NEAR(s.position[3 * i + 2], 0, 0.5 + 1e-4);
  }
  // 0.1 % of a cell per cell of the surface, and the rounding of edges by the grid of distances.
  EXPECT_NEAR(mass, 500, 500 * (1e-3 * faces / cells + 12 * std::pow(0.025, 2)));
}

TEST_P(MeshScene, CollidesWhereItIs) {
  const CompiledShape shape = compile_shape(scene_.colliders[0].shape, 3, scene_.grid.dx);
  for (const double out : {-0.06, 0.04}) {  // within the band, whose distances are linear at a face
    EXPECT_NEAR(distance(shape, {1.7 + out, 0.1, 0.1}), out, 1e-5);
    EXPECT_NEAR(distance(shape, {1.2, -0.5 - out, -0.2}), out, 1e-5);
  }
}

TEST_P(MeshScene, HasAnOutlineWithoutDistances) {
  const Shape& shape = scene_.bodies[0].shape;
  const CompiledShape whole = compile_shape(shape, 3, scene_.grid.dx),
                      outline = outline_shape(shape, 3, scene_.grid.dx);
  EXPECT_EQ(outline.min, whole.min);
  EXPECT_EQ(outline.max, whole.max);
  ASSERT_EQ(outline.reports.size(), 1u);
  EXPECT_TRUE(outline.meshes.empty());
  // 4096 voxels of half a cell are refused, as where the distances are made.
  test::expect_error(ErrorCategory::kScene, {"4100 voxels across"},
                     [&] { outline_shape(shape, 3, 2.0 / 4100); });
  test::expect_error(ErrorCategory::kScene, {"4100 voxels across"},
                     [&] { compile_shape(shape, 3, 2.0 / 4100); });
  EXPECT_NO_THROW(outline_shape(shape, 3, 2.0 / 4000));
}

// The cube of edge 1.
TEST_P(MeshScene, KnowsItsVolume) {
  Shape around;
  around.type = ShapeType::kTransform;
  around.rotation = {0.3, 0.2, 0.1};
  around.scale = 3;
  around.children = {scene_.bodies[0].shape};
  EXPECT_NEAR(enclosed_volume(around, 3).value_or(0), 27, 27e-6);
  around.children[0].solid = MeshSolid::kShell;
  EXPECT_FALSE(enclosed_volume(around, 3));
  around.type = ShapeType::kUnion;
  EXPECT_FALSE(enclosed_volume(around, 3));
}

TEST(ShapeVolumes, OfSpheresAndBoxesAreKnown) {
  Shape turned;
  turned.type = ShapeType::kTransform;
  turned.rotation = {0, 0, 0.4};
  turned.scale = 1.5;
  turned.children.resize(1);
  Shape& shape = turned.children[0];
  shape.radius = 0.4;
  for (int d : {2, 3}) {
    for (ShapeType type : {ShapeType::kSphere, ShapeType::kBox}) {
      shape.type = type;
      shape.min = {-0.3, 0.1, 0.2};
      shape.max = {0.5, 0.6, 1.1};
      const double measured = shape_volume(compile_shape(turned, d, 0.05), 0.05);
      EXPECT_NEAR(enclosed_volume(turned, d).value_or(0), measured, 1e-3 * measured) << d;
    }
    shape.rounding = 0.05;
    EXPECT_FALSE(enclosed_volume(turned, d));
    shape.rounding = 0;
  }
}

INSTANTIATE_TEST_SUITE_P(All, MeshScene,
                         testing::Values("obj", "ascii_ply", "binary_ply", "ascii_stl",
                                         "binary_stl"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace firn
