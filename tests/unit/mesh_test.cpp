// Meshes from files good and bad, the report of their defects, and their distances against closed
// forms. The meshes are made here: a cube, an icosphere, a cube without its lid, two shells.
#include "src/scene/mesh.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <random>

#include "firn/error.h"
#include "src/scene/shapes.h"
#include "src/scene/winding_number.h"

namespace firn {
namespace {

// Triangles of the box's sides in the order -x, +x, -y, +y, -z, +z, outward.
TriangleMesh cube(double half = 1, Vec3 centre = {}) {
  TriangleMesh m;
  for (int i = 0; i < 8; ++i)
    m.vertices.push_back({centre[0] + (i & 1 ? half : -half), centre[1] + (i & 2 ? half : -half),
                          centre[2] + (i & 4 ? half : -half)});
  const std::uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                     {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (const auto& q : quads) {
    m.triangles.push_back({q[0], q[1], q[2]});
    m.triangles.push_back({q[0], q[2], q[3]});
  }
  return m;
}

TriangleMesh open_cube() {
  TriangleMesh m = cube();
  m.triangles.erase(m.triangles.begin() + 6, m.triangles.begin() + 8);  // +y
  return m;
}

// Each triangle of an octahedron in four, `levels` times, pushed out to the unit sphere.
TriangleMesh icosphere(int levels, double radius = 1) {
  TriangleMesh m;
  m.vertices = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  m.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                 {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int level = 0; level < levels; ++level) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [at, added] = middles.try_emplace({std::min(a, b), std::max(a, b)},
                                                   static_cast<std::uint32_t>(m.vertices.size()));
      if (added) {
        Vec3 v;
        for (int i = 0; i < 3; ++i) v[i] = m.vertices[a][i] + m.vertices[b][i];
        const double length = std::hypot(v[0], v[1], v[2]);
        for (double& c : v) c /= length;
        m.vertices.push_back(v);
      }
      return at->second;
    };
    std::vector<std::array<std::uint32_t, 3>> finer;
    for (const auto& t : m.triangles) {
      const std::uint32_t a = middle(t[0], t[1]), b = middle(t[1], t[2]), c = middle(t[2], t[0]);
      finer.insert(finer.end(), {{t[0], a, c}, {t[1], b, a}, {t[2], c, b}, {a, b, c}});
    }
    m.triangles = finer;
  }
  for (Vec3& v : m.vertices)
    for (double& c : v) c *= radius;
  return m;
}

TriangleMesh joined(TriangleMesh a, const TriangleMesh& b) {
  const auto shift = static_cast<std::uint32_t>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& t : b.triangles)
    a.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  return a;
}

TriangleMesh reversed(TriangleMesh m) {
  for (auto& t : m.triangles) std::swap(t[1], t[2]);
  return m;
}

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

std::string as_obj(const TriangleMesh& m) {
  std::string s = "# made by a test\n";
  for (const Vec3& v : m.vertices) s += fmt::format("v {} {} {}\n", v[0], v[1], v[2]);
  for (const auto& t : m.triangles) s += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return s;
}

std::string ply_header(const TriangleMesh& m, const char* format) {
  return fmt::format(
      "ply\nformat {} 1.0\ncomment by a test\nelement vertex {}\nproperty float x\nproperty double "
      "y\n"
      "property uchar red\nproperty float z\nelement face {}\nproperty list uchar int "
      "vertex_indices\nend_header\n",
      format, m.vertices.size(), m.triangles.size());
}

std::string as_ascii_ply(const TriangleMesh& m) {
  std::string s = ply_header(m, "ascii");
  for (const Vec3& v : m.vertices) s += fmt::format("{} {} 7 {}\n", v[0], v[1], v[2]);
  for (const auto& t : m.triangles) s += fmt::format("3 {} {} {}\n", t[0], t[1], t[2]);
  return s;
}

std::string as_binary_ply(const TriangleMesh& m) {
  std::string s = ply_header(m, "binary_little_endian");
  for (const Vec3& v : m.vertices) {
    append(s, static_cast<float>(v[0]));
    append(s, v[1]);
    append(s, std::uint8_t{7});
    append(s, static_cast<float>(v[2]));
  }
  for (const auto& t : m.triangles) {
    append(s, std::uint8_t{3});
    for (std::uint32_t i : t) append(s, static_cast<std::int32_t>(i));
  }
  return s;
}

std::string as_ascii_stl(const TriangleMesh& m) {
  std::string s = "solid test\n";
  for (const auto& t : m.triangles) {
    s += "facet normal 0 0 0\n outer loop\n";
    for (std::uint32_t i : t)
      s += fmt::format("  vertex {} {} {}\n", m.vertices[i][0], m.vertices[i][1], m.vertices[i][2]);
    s += " endloop\nendfacet\n";
  }
  return s + "endsolid test\n";
}

std::string as_binary_stl(const TriangleMesh& m) {
  std::string s = "solid although binary";
  s.resize(80, ' ');
  append(s, static_cast<std::uint32_t>(m.triangles.size()));
  for (const auto& t : m.triangles) {
    for (int i = 0; i < 3; ++i) append(s, 0.0f);
    for (std::uint32_t i : t)
      for (double c : m.vertices[i]) append(s, static_cast<float>(c));
    append(s, std::uint16_t{0});
  }
  return s;
}

class MeshFile {
 public:
  MeshFile(const std::string& name, const std::string& bytes)
      : path_(testing::TempDir() + "firn_mesh_" + name) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~MeshFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

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
      {"zero.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", ""},
      {"nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n", ":2: a coordinate is not a finite"},
      {"word.obj", "v 0 0 0\nv 1 o 0\nv 0 1 0\nf 1 2 3\n", "'o'"},
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

TEST(Mesh, WindingNumberOfTheHierarchyIsThatOfTheSum) {
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
TEST(Mesh, WindingGradientIsTheDerivative) {
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

TEST(Mesh, NearestTriangleOfACubeIsTheDistanceToTheBox) {
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
TEST(Mesh, GridOfACubeIsTheDistanceOfABox) {
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

TEST(Mesh, GridOfASphereAndItsNormals) {
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

TEST(Mesh, HolesAreClosedAndNestedShellsAreOneSolid) {
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

TEST(Mesh, SizeSetsTheLongestEdgeAndAbsurdSizesAreRefused) {
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

TEST(Mesh, SeveralMeshesShareOneBuffer) {
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
