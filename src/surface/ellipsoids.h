// The kernels of particles whose surface is anisotropic: ellipsoids that lie as the neighbours of
// each do, flat along a surface and long along a thread [Yu and Turk 2013].
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "src/analysis/cell_lists.h"

namespace firn {

struct SurfacePoint {
  float x, y, z;
};

// k(d) = (1 - d . M d)^2 within the ellipsoid d . M d < 1.
struct Ellipsoid {
  SurfacePoint center;           // m
  float xx = 0, yy = 0, zz = 0;  // of M, m^-2
  float xy = 0, yz = 0, zx = 0;  // twice those beside the diagonal
  float weight = 0;              // such that kernels sum to about one where particles are
};

class EllipsoidFit {
 public:
  using Cells = CellLists<3>;

  // In units of the particles' spacing: how far neighbours count, the semi-axes of an ellipsoid in
  // the midst of a mass, the least ones, and how far its centre may be from its particle.
  static constexpr float kNeighbours = 4, kLongest = 3.5f, kShortest = 1.25f, kMostShift = 0.5f;
  static constexpr int kWidth = 32;  // particles that are worked on side by side

  // `points` and `volumes` in the order of the cells, whose side is kNeighbours spacings. Particles
  // of cells that are not `wanted` get none. All must outlive it.
  EllipsoidFit(const Cells& cells, const std::vector<SurfacePoint>& points,
               const std::vector<float>& volumes, double spacing, const std::vector<char>& wanted);

  std::vector<Ellipsoid> take() { return std::move(ellipsoids_); }

 private:
  struct Block;
  struct Forms;
  template <class F>
  void for_blocks(const std::vector<char>& wanted, F&& f) const;
  template <class F>
  void for_neighbours(const Block& block, F&& f) const;
  Forms forms_of(const Block& block) const;
  void fit(const Block& block);
  void place(const Block& block);
  void weigh(const Block& block);

  const Cells& cells_;
  const std::vector<SurfacePoint>& points_;
  const std::vector<float>& volumes_;
  float spacing_, reach_;  // m
  std::vector<Ellipsoid> ellipsoids_;
};

}  // namespace firn
