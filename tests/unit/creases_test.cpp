// Normals of meshes that come without any: smooth where they are round, and edges stay edges.
#include "src/render/creases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace firn::test {
namespace {

// Of a sphere by latitude and longitude, whose seam has its vertices twice.
Mesh globe(std::uint32_t rings, std::uint32_t sectors) {
  Mesh mesh;
  for (std::uint32_t i = 0; i <= rings; ++i)
    for (std::uint32_t j = 0; j <= sectors; ++j) {
      const double a = std::numbers::pi * i / rings,
                   b = 2 * std::numbers::pi * (j % sectors) / sectors;
      mesh.positions.push_back(
          {{static_cast<float>(std::sin(a) * std::cos(b)), static_cast<float>(std::cos(a)),
            static_cast<float>(std::sin(a) * std::sin(b))}});
    }
  for (std::uint32_t i = 0; i < rings; ++i)
    for (std::uint32_t j = 0; j < sectors; ++j) {
      const std::uint32_t p = i * (sectors + 1) + j, q = p + sectors + 1;
      for (const std::uint32_t v : {p, p + 1, q + 1, p, q + 1, q}) mesh.indices.push_back(v);
    }
  return mesh;
}

TEST(Creases, WhatIsRoundIsSmooth) {
  Mesh mesh = globe(16, 24);
  add_creased_normals(mesh);
  ASSERT_EQ(mesh.normals.size(), mesh.indices.size());
  ASSERT_EQ(mesh.positions.size(), mesh.indices.size());
  float worst = 1;
  for (std::size_t c = 0; c < mesh.normals.size(); ++c) {
    // At the poles some have no area, or one of rounding, and vertices lie that far apart.
    if (std::abs(mesh.positions[c][1]) < 0.999f)
      worst = std::min(worst, std::abs(dot(mesh.normals[c], mesh.positions[c])));
  }
  EXPECT_GT(worst, 0.998f) << "more than four degrees, where faces are off by eight";
}

TEST(Creases, EdgesStay) {
  Mesh mesh;  // the faces of a cube that meet at a corner, of shared vertices
  mesh.positions = {{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}},
                    {{1, 1, 0}}, {{0, 1, 1}}, {{1, 0, 1}}};
  mesh.indices = {0, 2, 4, 0, 4, 1, 0, 3, 5, 0, 5, 2, 0, 1, 6, 0, 6, 3};
  add_creased_normals(mesh);
  for (const V3f& normal : mesh.normals)
    EXPECT_NEAR(std::max({std::abs(normal[0]), std::abs(normal[1]), std::abs(normal[2])}), 1, 1e-5);
}

}  // namespace
}  // namespace firn::test
