// Meshes made in code for tests (a cube, one without its lid, a sphere), and their bytes in every
// format.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "src/scene/mesh.h"

namespace firn {

// Triangles of the box's sides in the order -x, +x, -y, +y, -z, +z, outward.
inline TriangleMesh cube(double half = 1, Vec3 centre = {}) {
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

inline TriangleMesh open_cube() {
  TriangleMesh m = cube();
  m.triangles.erase(m.triangles.begin() + 6, m.triangles.begin() + 8);  // +y
  return m;
}

// Each triangle of an octahedron in four, `levels` times, pushed out to the unit sphere.
inline TriangleMesh icosphere(int levels, double radius = 1) {
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

inline TriangleMesh joined(TriangleMesh a, const TriangleMesh& b) {
  const auto shift = static_cast<std::uint32_t>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& t : b.triangles)
    a.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  return a;
}

inline TriangleMesh reversed(TriangleMesh m) {
  for (auto& t : m.triangles) std::swap(t[1], t[2]);
  return m;
}

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

inline std::string as_obj(const TriangleMesh& m) {
  std::string s = "# made by a test\n";
  for (const Vec3& v : m.vertices) s += fmt::format("v {} {} {}\n", v[0], v[1], v[2]);
  for (const auto& t : m.triangles) s += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return s;
}

inline std::string ply_header(const TriangleMesh& m, const char* format) {
  return fmt::format(
      "ply\nformat {} 1.0\ncomment by a test\nelement vertex {}\nproperty float x\nproperty double "
      "y\n"
      "property uchar red\nproperty float z\nelement face {}\nproperty list uchar int "
      "vertex_indices\nend_header\n",
      format, m.vertices.size(), m.triangles.size());
}

inline std::string as_ascii_ply(const TriangleMesh& m) {
  std::string s = ply_header(m, "ascii");
  for (const Vec3& v : m.vertices) s += fmt::format("{} {} 7 {}\n", v[0], v[1], v[2]);
  for (const auto& t : m.triangles) s += fmt::format("3 {} {} {}\n", t[0], t[1], t[2]);
  return s;
}

inline std::string as_binary_ply(const TriangleMesh& m) {
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

inline std::string as_ascii_stl(const TriangleMesh& m) {
  std::string s = "solid test\n";
  for (const auto& t : m.triangles) {
    s += "facet normal 0 0 0\n outer loop\n";
    for (std::uint32_t i : t)
      s += fmt::format("  vertex {} {} {}\n", m.vertices[i][0], m.vertices[i][1], m.vertices[i][2]);
    s += " endloop\nendfacet\n";
  }
  return s + "endsolid test\n";
}

inline std::string as_binary_stl(const TriangleMesh& m) {
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

}  // namespace firn
