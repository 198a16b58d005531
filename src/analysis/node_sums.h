// What particles bring to the nodes of a grid around them, by the weights of a B-spline: the mass
// and momentum that a transfer would, without its affine part. In blocks of 8 nodes along each
// axis, so that memory goes with the material.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/analysis/vorticity.h"

namespace firn {

struct NodeBlock {
  static constexpr int kSide = 8, kNodes = kSide * kSide * kSide;
  struct Node {
    double mass = 0;                   // kg
    std::array<double, 3> momentum{};  // kg m/s
    double heat = 0;                   // mass times temperature, kg K
  };
  std::array<int, 3> origin{};     // of its first node, in nodes
  std::array<Node, kNodes> nodes;  // x, y, z: z runs fastest
};

// Degree 1, 2 or 3. `temperature` (K) may be empty. In 2D blocks hold one layer of nodes. Particles
// that are not finite are nowhere.
std::vector<std::unique_ptr<NodeBlock>> node_sums(const ParticleMotion& motion,
                                                  std::span<const float> temperature, double dx,
                                                  int degree);

}  // namespace firn
