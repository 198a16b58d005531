// What tells of the files that shapes are read from knows all things with shapes.
#include "src/scene/input_files.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "src/scene/mesh_warnings.h"
#include "tests/support/meshes.h"
#include "tests/support/scratch_folder.h"

namespace firn {
namespace {

using Put = std::function<void(Scene&, const Shape&)>;

const std::pair<const char*, Put> kOwners[] = {
    {"body", [](Scene& s, const Shape& shape) { s.bodies.emplace_back().shape = shape; }},
    {"collider", [](Scene& s, const Shape& shape) { s.colliders.emplace_back().shape = shape; }},
    {"source", [](Scene& s, const Shape& shape) { s.sources.emplace_back().shape = shape; }},
    {"sink", [](Scene& s, const Shape& shape) { s.sinks.emplace_back().shape = shape; }},
    {"force", [](Scene& s, const Shape& shape) { s.forces.emplace_back().shape = shape; }},
    {"heat_source",
     [](Scene& s, const Shape& shape) { s.heat_sources.emplace_back().shape = shape; }},
    {"sensor", [](Scene& s, const Shape& shape) { s.sensors.emplace_back().shape = shape; }},
};

TEST(InputFiles, AreThoseOfAllThingsWithShapes) {
  const test::ScratchFolder folder;
  Shape mesh;
  mesh.type = ShapeType::kMesh;
  mesh.file = (folder / "lid.obj").string();
  test::write_text(mesh.file, as_obj(open_cube()));
  for (const auto& [owner, put] : kOwners) {
    SCOPED_TRACE(owner);
    Scene scene;
    scene.grid.dx = 0.1;
    put(scene, mesh);
    EXPECT_EQ(input_files(scene).size(), 1U);
    EXPECT_EQ(mesh_warnings(scene).size(), 1U);
  }
}

}  // namespace
}  // namespace firn
