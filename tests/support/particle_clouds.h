// Particles of simple shapes for tests of surfaces, and what is asked of their meshes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "src/surface/particle_surface.h"

namespace firn::test {

inline constexpr SurfaceKernel kKernels[] = {SurfaceKernel::kIsotropic,
                                             SurfaceKernel::kAnisotropic};

inline constexpr double kSpacing = 0.02;

struct Cloud {
  std::vector<float> position, volume;
  SurfaceParticles particles() const { return {position, volume}; }
  double total() const { return static_cast<double>(volume.size()) * std::pow(kSpacing, 3); }
};

using Holds = bool (*)(double, double, double);

// Jittered points of a lattice that lie within a shape of side at most one about the origin.
inline Cloud cloud(const std::function<bool(double, double, double)>& holds, double jitter = 1) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> off(-0.5 * jitter, 0.5 * jitter);
  Cloud result;
  const int n = static_cast<int>(0.5 / kSpacing);
  for (int i = -n; i < n; ++i)
    for (int j = -n; j < n; ++j)
      for (int k = -n; k < n; ++k) {
        const double x = (i + 0.5 + off(random)) * kSpacing, y = (j + 0.5 + off(random)) * kSpacing,
                     z = (k + 0.5 + off(random)) * kSpacing;
        if (!holds((i + 0.5) * kSpacing, (j + 0.5) * kSpacing, (k + 0.5) * kSpacing)) continue;
        for (const double c : {x, y, z}) result.position.push_back(static_cast<float>(c));
        result.volume.push_back(static_cast<float>(std::pow(kSpacing, 3)));
      }
  return result;
}

inline bool in_ball(double x, double y, double z) { return x * x + y * y + z * z < 0.16; }
inline bool in_block(double x, double y, double z) {
  return std::abs(x) < 0.3 && std::abs(y) < 0.2 && std::abs(z) < 0.25;
}
inline bool in_sheet(double x, double y, double z) {  // of one particle
  return std::abs(x) < 0.4 && std::abs(y) < 0.4 && z > 0 && z < kSpacing;
}
inline bool in_rod(double x, double y, double z) {  // of two by two
  return std::abs(x) < 0.4 && std::abs(y) < kSpacing && std::abs(z) < kSpacing;
}

// Every edge belongs to two triangles, which pass along it in opposite directions.
inline void expect_closed(const SurfaceMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3)
    for (int k = 0; k < 3; ++k) ++edges[{mesh.triangles[t + k], mesh.triangles[t + (k + 1) % 3]}];
  for (const auto& [edge, count] : edges) {
    ASSERT_EQ(count, 1);
    ASSERT_TRUE(edges.contains({edge.second, edge.first}));
  }
}

// How many surfaces that do not touch a mesh has.
inline int pieces(const SurfaceMesh& mesh) {
  std::vector<std::uint32_t> root(mesh.vertices());
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](std::uint32_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  int count = static_cast<int>(mesh.vertices());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const std::uint32_t a = find(mesh.triangles[t]),
                        b = find(mesh.triangles[t % 3 == 2 ? t - 2 : t + 1]);
    count -= a != b ? 1 : 0;
    root[a] = b;
  }
  return count;
}

// 2 for each closed piece, less 2 for each hole through it.
inline int euler_characteristic(const SurfaceMesh& mesh) {
  const auto triangles = static_cast<int>(mesh.triangles.size() / 3);
  return static_cast<int>(mesh.vertices()) - 3 * triangles / 2 + triangles;
}

struct Off {
  double most = 0, mean = 0;  // spacings; root of the mean square
};

// How far vertices lie from another mesh, across it: from the plane of its nearest vertex.
inline Off offset(const SurfaceMesh& mesh, const SurfaceMesh& other) {
  using Key = std::array<int, 3>;
  const auto key = [](const float* x, int a, int b, int c) {
    return Key{static_cast<int>(std::floor(x[0] / kSpacing)) + a,
               static_cast<int>(std::floor(x[1] / kSpacing)) + b,
               static_cast<int>(std::floor(x[2] / kSpacing)) + c};
  };
  std::map<Key, std::vector<std::size_t>> cells;
  for (std::size_t j = 0; j < other.vertices(); ++j)
    cells[key(&other.positions[3 * j], 0, 0, 0)].push_back(j);
  Off result;
  for (std::size_t i = 0; i < mesh.vertices(); ++i) {
    const float* x = &mesh.positions[3 * i];
    double nearest = 1e30, off = 0;
    for (int n = 0; n < 27; ++n) {
      const auto cell = cells.find(key(x, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1));
      if (cell == cells.end()) continue;
      for (const std::size_t j : cell->second) {
        double square = 0, across = 0;
        for (std::size_t c = 0; c < 3; ++c) {
          const double d = x[c] - other.positions[3 * j + c];
          square += d * d, across += d * other.normals[3 * j + c];
        }
        if (square < nearest) nearest = square, off = std::abs(across);
      }
    }
    if (nearest > 1e29) off = 1e30;
    result.most = std::max(result.most, off / kSpacing);
    result.mean += std::pow(off / kSpacing, 2) / static_cast<double>(mesh.vertices());
  }
  result.mean = std::sqrt(result.mean);
  return result;
}

}  // namespace firn::test
