// Choosing the reader of a mesh file, and judging how well its triangles enclose a volume.
#include "src/scene/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "firn/error.h"
#include "src/scene/mesh_seams.h"

namespace firn {
namespace {

std::string read_bytes(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) throw Error(ErrorCategory::kFile, fmt::format("{}: {}", path, error.message()));
  std::ifstream file(path, std::ios::binary);
  std::string bytes(size, '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size)))
    throw Error(ErrorCategory::kFile, fmt::format("{}: cannot be read", path));
  return bytes;
}

TriangleMesh parsed_mesh(const std::string& path, bool fans) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension == ".obj") return parse_obj(read_bytes(path), path, fans);
  if (extension == ".ply") return parse_ply(read_bytes(path), path);
  if (extension == ".stl") return parse_stl(read_bytes(path), path);
  throw Error(
      ErrorCategory::kFile,
      fmt::format("{}: not a mesh format that is known here; use .obj, .ply or .stl", path));
}

using Triangle = std::array<std::uint32_t, 3>;

// One use of an edge by a triangle; `forward` if the triangle runs from the smaller to the larger
// vertex.
struct EdgeUse {
  std::uint32_t low, high, triangle;
  bool forward;
  bool same_edge(const EdgeUse& b) const { return low == b.low && high == b.high; }
};

bool is_degenerate(const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }

std::vector<EdgeUse> sorted_edge_uses(const std::vector<Triangle>& triangles) {
  std::vector<EdgeUse> uses;
  uses.reserve(3 * triangles.size());
  for (std::uint32_t i = 0; i < triangles.size(); ++i) {
    const Triangle& t = triangles[i];
    if (is_degenerate(t)) continue;
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      uses.push_back({std::min(a, b), std::max(a, b), i, a < b});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const EdgeUse& a, const EdgeUse& b) {
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  });
  return uses;
}

std::vector<std::uint32_t> ends_of_open_edges(const std::vector<Triangle>& triangles) {
  const std::vector<EdgeUse> uses = sorted_edge_uses(triangles);
  std::vector<std::uint32_t> ends;
  for (std::size_t begin = 0, end = 0; begin < uses.size(); begin = end) {
    for (end = begin; end < uses.size() && uses[end].same_edge(uses[begin]);) ++end;
    if (end - begin == 1) ends.insert(ends.end(), {uses[begin].low, uses[begin].high});
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

std::uint32_t root(std::vector<std::uint32_t>& parent, std::uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

// About the middle of the first triangle's corner, so that meshes far from the origin lose no
// digits.
double enclosed_volume(const TriangleMesh& mesh) {
  const Vec3 o = mesh.vertices[mesh.triangles[0][0]];
  double six = 0;
  for (const auto& t : mesh.triangles) {
    double e[3][3];
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) e[k][i] = mesh.vertices[t[k]][i] - o[i];
    six += e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
           e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
  }
  return six / 6;
}

}  // namespace

void close_seams(std::vector<Triangle>& triangles, std::span<const std::vector<Vec3>> places) {
  std::vector<std::uint32_t> ends = ends_of_open_edges(triangles);
  if (ends.empty()) return;
  // Less than 0: a lies before b in the first of the places that tells them apart.
  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    for (const std::vector<Vec3>& x : places)
      if (x[a] != x[b]) return x[a] < x[b] ? -1 : 1;
    return 0;
  };
  std::stable_sort(ends.begin(), ends.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return compare(a, b) < 0; });
  std::vector<std::uint32_t> one(places[0].size());
  std::iota(one.begin(), one.end(), 0u);
  for (std::size_t i = 1; i < ends.size(); ++i)
    if (compare(ends[i - 1], ends[i]) == 0) one[ends[i]] = one[ends[i - 1]];
  for (Triangle& t : triangles)
    for (std::uint32_t& corner : t) corner = one[corner];
}

// In a sequence vertices that meet for a while are no seam.
TriangleMesh load_mesh(const std::string& path, bool fans) {
  TriangleMesh mesh = parsed_mesh(path, fans);
  if (!fans) close_seams(mesh.triangles, {&mesh.vertices, 1});
  return mesh;
}

MeshReport inspect(const TriangleMesh& mesh, const std::string& name) {
  MeshReport report;
  report.name = name;
  report.vertices = mesh.vertices.size();
  report.triangles = mesh.triangles.size();
  std::vector<std::uint32_t> parent(mesh.triangles.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const std::vector<EdgeUse> uses = sorted_edge_uses(mesh.triangles);
  for (std::size_t begin = 0, end = 0; begin < uses.size(); begin = end) {
    std::size_t forward = 0;
    for (end = begin; end < uses.size() && uses[end].same_edge(uses[begin]); ++end) {
      forward += uses[end].forward;
      parent[root(parent, uses[end].triangle)] = root(parent, uses[begin].triangle);
    }
    if (end - begin == 1)
      ++report.boundary_edges;
    else if (end - begin > 2 || forward != 1)
      ++report.non_manifold_edges;
  }
  for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
    const bool degenerate = is_degenerate(mesh.triangles[i]);
    report.degenerate_triangles += degenerate;
    report.shells += !degenerate && parent[i] == i;
  }
  report.watertight =
      report.shells > 0 && report.boundary_edges == 0 && report.non_manifold_edges == 0;
  if (!mesh.triangles.empty()) report.volume = enclosed_volume(mesh);
  report.inside_out = report.volume < 0;
  report.volume = std::abs(report.volume);
  return report;
}

std::string describe(const MeshReport& r) {
  if (r.watertight) return {};
  std::string what;
  if (r.boundary_edges > 0)
    what += fmt::format("{} open edge{}", r.boundary_edges, r.boundary_edges == 1 ? "" : "s");
  if (r.non_manifold_edges > 0)
    what += fmt::format(
        "{}{} edge{} where triangles disagree about the outside or more than two meet",
        what.empty() ? "" : " and ", r.non_manifold_edges, r.non_manifold_edges == 1 ? "" : "s");
  if (what.empty()) what = "no triangle with an area";
  return fmt::format(
      "{}: the mesh is not watertight: {} in {} triangles ({} part{}). Its inside is taken where "
      "the winding number exceeds one half (solid = \"winding\"), which closes holes by smooth "
      "caps; "
      "solid = \"shell\" with a thickness makes a sheet of it, and a repaired mesh is exact.",
      r.name, what, r.triangles, r.shells, r.shells == 1 ? "" : "s");
}

}  // namespace firn
