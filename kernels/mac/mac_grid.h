// The MAC grid of an incompressible fluid: velocities on the faces of cells (transfer/mac.h), cell
// classes and open areas of faces as channels of the same blocks. Cell c of a block and its lower
// faces along each axis have the same index.
#pragma once

#include "kernels/exec/node.h"
#include "kernels/fields/blocks.h"
#include "kernels/grid/update.h"

namespace firn {

// What a face holds between the transfers: (u, increment, w, u_boundary), with u its velocity, w =
// sum w V / sum w m its specific volume (m^d/kg) and u_boundary the normal velocity of the wall or
// body it touches. P2G leaves (momentum, mass, volume, impulse), see transfer/mac.h.
inline constexpr int kFaceSpecificVolume = 2, kFaceBoundaryVelocity = 3;

// Blocks around a block, itself included: offset o in {-1, 0, 1}^D has the place sum (o_a + 1) 3^a.
template <int D>
struct Around {
  static constexpr int kBlocks = D == 3 ? 27 : 9;
  static constexpr int kSelf = kBlocks / 2;
};

// What a block has that others have not: a boundary that may touch its cells, and faces that are
// asked for a velocity and got none from particles. A spray touches many blocks and fills none, so
// operators ask for these, and read masks, before they look at a cell. And what a rank keeps from
// step to step, whichever block has it: that its open areas are all 1, and that they are those of
// the block whose key is `measured`, whatever the time.
inline constexpr std::uint32_t kHasBoundary = 1, kHasGaps = 2, kIsWhole = 4, kIsMeasured = 8;
inline constexpr std::uint32_t kKeptTraits = kIsWhole | kIsMeasured;

template <class Real>
struct MacView {
  Node<Real>* faces = nullptr;         // [block][axis][64]
  std::uint32_t* around = nullptr;     // [block][3^D]: rank or kNoBlock
  std::uint32_t* traits = nullptr;     // [block]: of the above
  std::uint32_t* measured = nullptr;   // [block][2]: a key, low word first
  std::uint32_t* given = nullptr;      // [block][axis][2]: faces that particles give something to
  std::uint32_t* read = nullptr;       // [block][axis][2]: faces that particles will read
  std::uint32_t* fluid = nullptr;      // [block][2]: bit of each cell that holds particles
  std::uint32_t* valid = nullptr;      // [block][axis][2]: faces whose velocity is known
  std::uint32_t* reached = nullptr;    // [block][axis][2]: those that the next layer makes known
  std::uint32_t* separates = nullptr;  // [block][axis][2]: closed faces that liquid may leave
  std::uint32_t* opened = nullptr;  // [block][axis][2]: those of them that it leaves in this step
  Real* area = nullptr;             // [block][axis][64]: open share of a face, 0..1
  Real* mirrored = nullptr;         // [block][axis][64], see face_layers.h; null: no face clings
  Real* conductance = nullptr;      // [block][axis][64], see solve/elliptic_system.h
  Real* dirichlet = nullptr;        // [block][64]
  Real* rhs = nullptr;              // [block][64]
  Real* pressure = nullptr;         // [block][64]: pressure times dt, Pa s
  // 1 / density where all liquid has one (m^d/kg); 0 where faces differ. Sums over particles would
  // give it with rounding, and the solver is fastest where conductances are equal to the last bit.
  Real specific_volume = 0;
  // [block][64]: share of a cell's material that resists shear; null where none does. Its faces
  // have the density that the forces of the stress move, mass / dx^d: else projection and stress
  // would not see the same kinetic energy, and one would do work for the other.
  const Real* elastic_fraction = nullptr;
  // Liquid has it too, and without the mass that transpose_faces adds: faces beside walls are then
  // too light. specific_volume must be 0.
  bool whole_cells = false;
  bool still = false;        // no boundary moves
  bool ghost_fluid = false;  // p = 0 at the surface, not at the centre of the air cell
  Real* filled = nullptr;    // [block][64]: volume of liquid around the cell's centre / dx^D; see
                             // liquid/position_correction.h
};

template <class Real>
FIRN_HD inline Real specific_volume(const MacView<Real>& mac, const Node<Real>& face) {
  return mac.specific_volume > Real(0) && mac.elastic_fraction == nullptr
             ? mac.specific_volume
             : face[kFaceSpecificVolume];
}

// A cell of a block or of one of those around it.
struct CellAddress {
  std::uint32_t block, cell;
  FIRN_HD bool exists() const { return block != kNoBlock; }
};

template <int D, class Real>
FIRN_HD inline CellAddress cell_address(const MacView<Real>& mac, std::uint32_t block,
                                        const Vec<int, D>& local) {
  constexpr int kSide = BlockTraits<D>::kSide, kShift = BlockTraits<D>::kShift;
  int place = 0, stride = 1;
  Vec<int, D> inside;
  for (int a = 0; a < D; ++a, stride *= 3) {
    place += ((local[a] >> kShift) + 1) * stride;
    inside[a] = local[a] & (kSide - 1);
  }
  const std::uint32_t at =
      place == Around<D>::kSelf
          ? block
          : mac.around[static_cast<std::uint64_t>(block) * Around<D>::kBlocks + place];
  return {at, static_cast<std::uint32_t>(node_in_block<D>(inside))};
}

// The cell `by` steps along an axis from one of the block, at most a block away.
template <int D, class Real>
FIRN_HD inline CellAddress cell_beside(const MacView<Real>& mac, const CellAddress& at, int axis,
                                       int by) {
  constexpr int kSide = BlockTraits<D>::kSide;
  int stride = 1, place_stride = 1;
  for (int a = axis; a < D - 1; ++a) stride *= kSide;
  for (int a = 0; a < axis; ++a) place_stride *= 3;
  const int to = static_cast<int>(at.cell) / stride % kSide + by;
  const int turns = to < 0 ? -1 : to >= kSide ? 1 : 0;
  const auto cell =
      static_cast<std::uint32_t>(static_cast<int>(at.cell) + (by - turns * kSide) * stride);
  if (turns == 0) return {at.block, cell};
  const int place = Around<D>::kSelf + turns * place_stride;
  return {mac.around[static_cast<std::uint64_t>(at.block) * Around<D>::kBlocks +
                     static_cast<std::uint32_t>(place)],
          cell};
}

FIRN_HD inline bool test_bit(const std::uint32_t* words, std::uint32_t bit) {
  return (words[bit >> 5] >> (bit & 31u) & 1u) != 0;
}
template <class Real>
FIRN_HD inline bool has_boundary(const MacView<Real>& mac, std::uint32_t block) {
  return (mac.traits[block] & kHasBoundary) != 0;
}
// Word w of the block's cells that are fluid.
template <class Real>
FIRN_HD inline std::uint32_t fluid_word(const MacView<Real>& mac, std::uint32_t block,
                                        std::uint32_t w) {
  return mac.fluid[std::uint64_t{2} * block + w];
}
template <class Real>
FIRN_HD inline bool is_dry(const MacView<Real>& mac, std::uint32_t block) {
  return (fluid_word(mac, block, 0) | fluid_word(mac, block, 1)) == 0;
}
template <class Real>
FIRN_HD inline bool is_fluid(const MacView<Real>& mac, const CellAddress& at) {
  return at.exists() && test_bit(mac.fluid + std::uint64_t{2} * at.block, at.cell);
}
template <int D>
FIRN_HD constexpr std::uint64_t face_index(std::uint32_t block, int axis, std::uint32_t cell) {
  return (static_cast<std::uint64_t>(block) * D + static_cast<std::uint64_t>(axis)) *
             BlockTraits<D>::kNodes +
         cell;
}
template <int D>
FIRN_HD constexpr int axis_of_face(std::uint64_t face) {
  return static_cast<int>(face / BlockTraits<D>::kNodes % D);
}
template <int D>
FIRN_HD constexpr std::uint64_t face_word(std::uint32_t block, int axis) {
  return (static_cast<std::uint64_t>(block) * D + static_cast<std::uint64_t>(axis)) * 2;
}
FIRN_HD constexpr std::uint64_t cell_index(const CellAddress& at) {
  return static_cast<std::uint64_t>(at.block) * 64 + at.cell;
}
template <int D>
FIRN_HD inline Vec<int, D> stepped(Vec<int, D> local, int axis, int by) {
  local[axis] += by;
  return local;
}

// Whether a cell beside a face is fluid.
template <int D, class Real>
FIRN_HD inline bool is_wet(const MacView<Real>& mac, std::uint32_t block, const Vec<int, D>& local,
                           int axis) {
  return is_fluid(mac, cell_address<D>(mac, block, local)) ||
         is_fluid(mac, cell_address<D>(mac, block, stepped<D>(local, axis, -1)));
}

// Through a sliver of a face little flows at any velocity, so the solve leaves its velocity free by
// the inverse of its share: particles that read it would be shot away. Faces less open than this
// are continued from their neighbours instead.
inline constexpr double kOpenEnough = 0.5;

// Of elastic material at a face: the mean of both sides, of those that are fluid.
template <class Real>
FIRN_HD inline Real elastic_share(const MacView<Real>& mac, const CellAddress& upper,
                                  const CellAddress& lower) {
  if (mac.elastic_fraction == nullptr) return Real(0);
  const bool above = is_fluid(mac, upper), below = is_fluid(mac, lower);
  const Real sum = (above ? mac.elastic_fraction[cell_index(upper)] : Real(0)) +
                   (below ? mac.elastic_fraction[cell_index(lower)] : Real(0));
  return above && below ? Real(0.5) * sum : sum;
}

// How far a face has the density mass / dx^d: wholly, but for a short way where elastic material
// begins. With the material's own density a pressure gives a face beside air more momentum than its
// mass can have; a liquid would push a block that floats on it.
template <class Real>
FIRN_HD inline Real mass_share(const MacView<Real>& mac, const CellAddress& upper,
                               const CellAddress& lower) {
  return min(Real(64) * elastic_share(mac, upper, lower), Real(1));
}

// How far below a flat surface a cell's centre lies, in cells within [-1, 1], where the linear
// kernel about it is filled to a share `filled`.
template <class Real>
FIRN_HD inline Real depth_of(Real filled) {
  if (filled >= Real(0.5)) return Real(1) - sqrt(Real(2) * max(Real(1) - filled, Real(0)));
  return sqrt(Real(2) * max(filled, Real(0))) - Real(1);
}

// Whether a boundary leaves a part of one of its faces open.
template <int D, class Real>
FIRN_HD inline bool is_cut(const MacView<Real>& mac, const CellAddress& at) {
  for (int a = 0; a < D; ++a)
    for (int side = 0; side < 2; ++side) {
      const CellAddress face = cell_beside<D>(mac, at, a, side);
      if (!face.exists()) continue;
      const Real open = mac.area[face_index<D>(face.block, a, face.cell)];
      if (open > Real(0) && open < Real(1)) return true;
    }
  return false;
}

// Distance from the centre of a fluid cell to the surface towards its neighbour of air, in cells:
// the theta of the ghost fluid method [Gibou et al. 2002], not so small that it would swamp the
// matrix.
template <class Real>
FIRN_HD inline Real theta_of(const MacView<Real>& mac, const CellAddress& fluid,
                             const CellAddress& air) {
  constexpr Real kLeastTheta = Real(1e-2);
  const Real inside = depth_of(mac.filled[cell_index(fluid)]),
             outside = air.exists() ? depth_of(mac.filled[cell_index(air)]) : Real(-1);
  if (!(outside < Real(0))) return Real(1);
  return clamp(inside / (inside - outside), kLeastTheta, Real(1));
}
// The same where there is a ghost fluid, the air `by` = -1 or 1 along an axis. What a cut cell is
// filled to is known too roughly, and a small theta of its own would press all that flows into the
// wall out through one face: its surface is that of a whole cell beside it, so that both hold up
// the same, or else a cell away.
template <int D, class Real>
FIRN_HD inline Real surface_distance(const MacView<Real>& mac, const CellAddress& fluid,
                                     const CellAddress& air, int axis, int by) {
  if (!mac.ghost_fluid) return Real(1);
  if (!is_cut<D>(mac, fluid)) return theta_of(mac, fluid, air);
  for (int b = 0; b < D; ++b)
    for (int side = -1; side <= 1 && b != axis; side += 2) {
      const CellAddress beside = cell_beside<D>(mac, fluid, b, side);
      if (!is_fluid(mac, beside) || is_cut<D>(mac, beside)) continue;
      const CellAddress beyond = cell_beside<D>(mac, beside, axis, by);
      if (!is_fluid(mac, beyond)) return theta_of(mac, beside, beyond);
    }
  return Real(1);
}

}  // namespace firn
