// Meshes from files good and bad, and the report of their defects.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "firn/error.h"
#include "src/scene/mesh.h"
#include "src/scene/mesh_warnings.h"
#include "tests/support/meshes.h"

namespace firn {
namespace {

// Corner positions triangle by triangle: formats may renumber vertices.
std::vector<Vec3> corners(const TriangleMesh& m) {
  std::vector<Vec3> all;
  for (const auto& t : m.triangles)
    for (std::uint32_t i : t) all.push_back(m.vertices[i]);
  return all;
}

TEST(Mesh, EveryFormatReadsTheSameMesh) {
  const TriangleMesh m = cube(0.75, {1, -2, 0.5});  // exact in float and in few digits
  const std::pair<const char*, std::string> files[] = {{"a.obj", as_obj(m)},
                                                       {"b.ply", as_ascii_ply(m)},
                                                       {"c.PLY", as_binary_ply(m)},
                                                       {"d.stl", as_ascii_stl(m)},
                                                       {"e.stl", as_binary_stl(m)}};
  for (const auto& [name, bytes] : files) {
    const MeshFile file(name, bytes);
    const TriangleMesh read = load_mesh(file.path());
    EXPECT_EQ(corners(read), corners(m)) << name;
    EXPECT_EQ(read.vertices.size(), 8u) << name;
    EXPECT_TRUE(inspect(read, name).watertight) << name;
  }
}

// Those of a map, say, which single precision rounds by centimetres.
TEST(Mesh, PositionsKeepAllDigits) {
  const TriangleMesh mesh = parse_obj(
      "# map\n  v 500000.3 0 4e6\r\n\tv 500001 +0.1 0\nvn 0 0 1\nv 0 1 0 1\nf 1 2 3\n", "map");
  ASSERT_EQ(mesh.vertices.size(), 3U);
  EXPECT_EQ(mesh.vertices[0], (Vec3{500000.3, 0, 4e6}));
  EXPECT_EQ(mesh.vertices[1], (Vec3{500001, 0.1, 0}));
  const TriangleMesh old = parse_obj("v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r", "old");
  EXPECT_EQ(old.vertices.size(), 3U);
}

TEST(Mesh, PolygonsBecomeTriangles) {
  const TriangleMesh obj =
      parse_obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4/1 -3/2 -2/3 -1\n", "quad");
  EXPECT_EQ(obj.triangles.size(), 2u);
  const TriangleMesh ply = parse_ply(
      "ply\r\nformat ascii 1.0\r\nelement vertex 5\r\nproperty float x\r\nproperty float "
      "y\r\nproperty float z\r\n"
      "element face 1\r\nproperty list uchar uint vertex_index\r\nend_header\r\n"
      "0 0 0\r\n1 0 0\r\n1 1 0\r\n.5 +1.5 0\r\n0 1 0\r\n5 0 1 2 3 4\r\n",
      "pentagon");
  EXPECT_EQ(ply.triangles.size(), 3u);
  EXPECT_NEAR(ply.vertices[3][1], 1.5, 0);
}

TEST(Mesh, MalformedFilesAreErrorsThatNameTheFileAndTheReason) {
  const std::string vertices =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
      "z\n";
  const std::string faces = "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
  const std::string points = "0 0 0\n1 0 0\n0 1 0\n";
  const std::string ply_binary = as_binary_ply(cube()), stl_binary = as_binary_stl(cube());
  std::string wrong_count = stl_binary;
  wrong_count[0] = 'x';
  wrong_count[83] = '\x7f';
  struct Case {
    const char* name;
    std::string bytes, reason;
  };
  const Case cases[] = {
      {"empty.obj", "", "no triangle"},
      {"empty.ply", "", "not a PLY"},
      {"empty.stl", "", "not an STL"},
      {"points.obj", "v 0 0 0\nv 1 0 0\n", "no triangle"},
      {"range.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", ""},
      {"zero.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", ":4: '0' is the index of no vertex"},
      {"before.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -9 1 2\n", ":4: '-9' is the index of no vertex"},
      {"nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n", ":2: a coordinate is not a finite"},
      {"word.obj", "v 0 0 0\nv 1 o 0\nv 0 1 0\nf 1 2 3\n", "'o'"},
      {"huge.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 1e30 3\n", ":5: '1e30'"},
      {"more.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999/1\n", ":4: '99999999999/1'"},
      {"quad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 9\n", ""},
      {"cut.ply", vertices, "no end_header"},
      {"format.ply", "ply\nelement vertex 0\nend_header\n", "no format"},
      {"big_endian.ply", "ply\nformat binary_big_endian 1.0\nend_header\n", "big_endian"},
      {"type.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n",
       "unknown type 'quad'"},
      {"no_z.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0 \n",
       "x, y and z"},
      {"orphan.ply", "ply\nformat ascii 1.0\nproperty float x\nend_header\n", "before any element"},
      {"count.ply", "ply\nformat ascii 1.0\nelement vertex -3\nend_header\n", "-3"},
      {"huge.ply",
       "ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float "
       "y\nproperty float z\nend_header\n0 0 0\n",
       "too short"},
      {"nothing.ply", "ply\nformat ascii 1.0\nelement rock 4000000000\nend_header\n", "too short"},
      {"word.ply", vertices + faces + "0 0 0\n1 zero 0\n0 1 0\n3 0 1 2\n", "'zero'"},
      {"nan.ply", vertices + faces + "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", "not a finite"},
      {"short.ply", vertices + faces + points + "3 0 1", "ends in the middle"},
      {"edge.ply", vertices + faces + points + "2 0 1\n", "fewer than three"},
      {"list.ply", vertices + faces + points + "4000000000 0 1 2\n", "claims"},
      {"negative.ply", vertices + faces + points + "3 0 1 -2\n", "vertex -2"},
      {"range.ply", vertices + faces + points + "3 0 1 3\n", "only 3"},
      {"cut_binary.ply", ply_binary.substr(0, ply_binary.size() - 5), "ends in the middle"},
      {"cut.stl", stl_binary.substr(0, 300), "no triangle"},
      {"count.stl", wrong_count, "announces"},
      {"loop.stl", "solid x\nfacet\nvertex 0 0 0\nvertex 1 0 0\nendfacet\n", "has 2 vertices"},
      {"open.stl", "solid x\nfacet\nvertex 0 0 0\n", "middle of a facet"},
      {"word.stl", "solid x\nvertex 0 one 0\n", "'one'"},
      {"mesh.step", "whatever", ".obj, .ply or .stl"},
  };
  for (const Case& c : cases) {
    const MeshFile file(c.name, c.bytes);
    try {
      load_mesh(file.path());
      ADD_FAILURE() << c.name << " was accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.category(), ErrorCategory::kFile) << c.name;
      EXPECT_NE(std::string(e.what()).find(file.path()), std::string::npos)
          << c.name << ": " << e.what();
      EXPECT_NE(std::string(e.what()).find(c.reason), std::string::npos)
          << c.name << ": " << e.what();
    }
  }
  EXPECT_THROW(load_mesh(testing::TempDir() + "firn_no_such_file.obj"), Error);
}

TEST(Mesh, ReportSeesHolesShellsAndDisagreement) {
  const MeshReport closed = inspect(cube(), "cube");
  EXPECT_TRUE(closed.watertight);
  EXPECT_NEAR(closed.volume, 8, 1e-14);
  EXPECT_EQ(closed.shells, 1u);
  EXPECT_EQ(describe(closed), "");

  const MeshReport open = inspect(open_cube(), "open");
  EXPECT_FALSE(open.watertight);
  EXPECT_EQ(open.boundary_edges, 4u);
  EXPECT_EQ(open.non_manifold_edges, 0u);
  EXPECT_NE(describe(open).find("4 open edges"), std::string::npos);

  EXPECT_EQ(inspect(joined(cube(), cube(0.5, {3, 0, 0})), "two").shells, 2u);
  EXPECT_TRUE(inspect(reversed(cube()), "reversed").inside_out);

  TriangleMesh flipped = cube();
  std::swap(flipped.triangles[0][0], flipped.triangles[0][1]);
  EXPECT_EQ(inspect(flipped, "flipped").non_manifold_edges, 3u);

  TriangleMesh degenerate = cube();
  degenerate.triangles.push_back({1, 1, 2});
  EXPECT_EQ(inspect(degenerate, "degenerate").degenerate_triangles, 1u);
  EXPECT_TRUE(inspect(degenerate, "degenerate").watertight);
}

TEST(Mesh, AScenesWarningsNameEachOpenMeshOnce) {
  const MeshFile open("open.obj", as_obj(open_cube())), closed("closed.obj", as_obj(cube()));
  Shape leaf;
  leaf.type = ShapeType::kMesh;
  leaf.file = open.path();
  Shape both;
  both.type = ShapeType::kUnion;
  both.children = {leaf, leaf};
  Scene scene;
  scene.bodies.resize(2);
  scene.bodies[0].shape = both;
  scene.bodies[1].shape = leaf;
  scene.bodies[1].shape.file = closed.path();
  const std::vector<std::string> warnings = mesh_warnings(scene);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("open.obj"), std::string::npos);
  EXPECT_NE(warnings[0].find("open edge"), std::string::npos);
}

}  // namespace
}  // namespace firn
