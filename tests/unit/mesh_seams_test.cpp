// Seams of mesh files, where vertices are there several times for a texture or a normal: closed,
// whatever format has them, and in sequences where they stay so.
#include "src/scene/mesh_seams.h"

#include <gtest/gtest.h>

#include "src/scene/mesh.h"
#include "src/scene/shapes.h"
#include "tests/support/expect_error.h"
#include "tests/support/meshes.h"
#include "tests/support/sequences.h"

namespace firn {
namespace {

using namespace test;

// Every triangle with corners of its own.
TriangleMesh split(const TriangleMesh& mesh) {
  TriangleMesh all;
  for (const auto& t : mesh.triangles) {
    const auto n = static_cast<std::uint32_t>(all.vertices.size());
    for (const std::uint32_t corner : t) all.vertices.push_back(mesh.vertices[corner]);
    all.triangles.push_back({n, n + 1, n + 2});
  }
  return all;
}

TEST(MeshSeams, OfFilesAreClosed) {
  const TriangleMesh m = split(cube(0.75, {1, -2, 0.5}));
  ASSERT_EQ(inspect(m, "split").boundary_edges, 36u);
  const std::pair<const char*, std::string> files[] = {
      {"a.obj", as_obj(m)}, {"b.ply", as_ascii_ply(m)}, {"c.ply", as_binary_ply(m)}};
  for (const auto& [name, bytes] : files) {
    const MeshFile file(name, bytes);
    const MeshReport report = inspect(load_mesh(file.path()), name);
    EXPECT_TRUE(report.watertight) << name;
    EXPECT_EQ(report.volume, 1.5 * 1.5 * 1.5) << name;
  }
}

// Two cubes that share a face are two parts, which no edge has four triangles of.
TEST(MeshSeams, ClosedPartsThatTouchStayApart) {
  TriangleMesh both = cube(0.5, {0, 0, 0});
  const TriangleMesh other = cube(0.5, {1, 0, 0});
  for (auto t : other.triangles) {
    for (std::uint32_t& corner : t) corner += 8;
    both.triangles.push_back(t);
  }
  both.vertices.insert(both.vertices.end(), other.vertices.begin(), other.vertices.end());
  const MeshFile file("both.obj", as_obj(both));
  const MeshReport report = inspect(load_mesh(file.path()), "both");
  EXPECT_TRUE(report.watertight);
  EXPECT_EQ(report.shells, 2u);
}

TEST(MeshSeams, OfSequencesAreClosedWhereTheyStayTogether) {
  TriangleMesh mesh = split(cube(0.5));
  const auto grow = [](const Vec3& x, double time) { return Vec3{x[0] * (1 + time), x[1], x[2]}; };
  const SequenceFiles whole(mesh, 3, 10, grow), torn(mesh, 3, 10, grow);
  EXPECT_NO_THROW(compile_shape(whole.shape(), 3, 0.2));
  // Its last triangle leaves the others for a while.
  for (std::size_t i = mesh.vertices.size() - 3; i < mesh.vertices.size(); ++i)
    mesh.vertices[i][2] += 0.1;
  torn.write(2, as_obj(mesh));
  expect_error(ErrorCategory::kScene, {"do not enclose", "shell"},
               [&] { compile_shape(torn.shape(), 3, 0.2); });
}

}  // namespace
}  // namespace firn
