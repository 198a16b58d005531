#pragma once

#include "kernels/mac/boundaries.h"
#include "kernels/mac/boundary_geometry.h"
#include "kernels/mac/face_masks.h"
#include "kernels/mac/pressure_slope.h"
#include "kernels/transfer/mac.h"

namespace firn {

template <int D, class Real>
struct ReleaseSlidingFaces {
  static constexpr const char* kName = "release_sliding_faces";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {};
  BoundaryGeometry<D, Real> boundary;
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    if (!has_boundary(mac, g.index())) return;
    std::uint32_t* valid = mac.valid + std::uint64_t{g.index()} * kWords;
    select_bits(
        g, kWords, [&](std::uint32_t w) { return valid[w]; },
        [&](std::uint32_t i) {
          return mac.area[face_index<D>(g.index(), 0, i)] > Real(0) ||
                 !boundary.slides(block, local_of_node<D>(static_cast<int>(i % kCells)),
                                  static_cast<int>(i / kCells));
        },
        [&](std::uint32_t w, std::uint32_t bits) { valid[w] = bits; });
  }
};

template <class Exec, int D, class Real>
void release_sliding_faces(Exec& exec, const GridUpdateParams<Real, D>& params,
                           const GridView<Real>& grid, const MacView<Real>& mac,
                           std::uint32_t max_blocks, const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                ReleaseSlidingFaces<D, Real>{{params, grid}, mac});
}

template <int D, class Real>
struct ConstrainFaces {
  static constexpr const char* kName = "constrain_faces";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes;
  struct Scratch {};
  BoundaryGeometry<D, Real> boundary;
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    const bool near = has_boundary(mac, g.index());
    for_each_bit(
        g, 2 * D, [&](std::uint32_t w) { return looked_at<D>(mac, g.index(), w); },
        [&](std::uint32_t i) {
          Node<Real>& face = mac.faces[face_index<D>(g.index(), 0, i)];
          if (!near) {
            at(face, kFaceIncrement) += at(face, kFaceVelocity);
            return;
          }
          const int axis = static_cast<int>(i / kCells);
          const std::uint64_t index = face_index<D>(g.index(), 0, i);
          const bool closed = mac.area[index] == Real(0);
          at(face, kFaceBoundaryVelocity) = closed || clings(mac, g.index(), index)
                                                ? constrained(g.index(), block, axis, i % kCells)
                                                : at(face, kFaceVelocity);
          // Released faces have been given a correction too.
          if (closed &&
              is_wet<D>(mac, g.index(), local_of_node<D>(static_cast<int>(i % kCells)), axis))
            at(face, kFaceCorrection) = Real(0);
        });
  }
  // One number of a face: its neighbours read the velocity while others are written, and what
  // loads or stores a vector would touch these, too.
  FIRN_HD static Real& at(Node<Real>& face, int number) {
    return reinterpret_cast<Real*>(&face)[number];
  }

  // Velocity, along its axis, of a face that no liquid passes.
  FIRN_HD Real constrained(std::uint32_t rank, const Vec<int, D>& block, int axis,
                           std::uint32_t cell) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(cell));
    const Vec<Real, D> x = boundary.face_position(block, local, axis);
    const NearestBoundary<D, Real> wall = boundary.nearest(x);
    if (wall.boundary == BoundaryType::kSticky) return wall.velocity[axis];
    const Vec<Real, D> n = boundary.normal(wall, x);
    Vec<Real, D> v = Vec<Real, D>::zero();  // where the normal has no part, none is asked for
    for (int b = 0; b < D; ++b)
      if (b == axis)
        v[b] = at(mac.faces[face_index<D>(rank, axis, cell)], kFaceVelocity);
      else if (n[b] != Real(0))
        v[b] = mean_along(rank, local, axis, b);
    // The projection has found that liquid against a closed face does not leave it.
    const bool held = wall.boundary == BoundaryType::kSeparate &&
                      is_wet<D>(mac, rank, local, axis) &&
                      !test_bit(mac.opened + face_word<D>(rank, axis), cell);
    const Vec<Real, D> kept =
        apply_boundary(held ? BoundaryType::kSlip : wall.boundary, Real(0), v, wall.velocity, n);
    return behind_walls(x, axis, kept[axis]);
  }
  // Behind two walls of the domain the nearer one holds a face against nothing but itself, and what
  // rests in the corner would fall with it for ever.
  FIRN_HD Real behind_walls(const Vec<Real, D>& x, int axis, Real v) const {
    const DomainWalls<Real, D>& walls = boundary.params.walls;
    const Real tolerance = boundary.same_place(x);
    for (int side = 0; walls.active && side < 2; ++side) {
      const Real in = side == 0 ? x[axis] - walls.min[axis] : walls.max[axis] - x[axis];
      if (in > tolerance) continue;
      const Real leaves = side == 0 ? v : -v;
      if (walls.boundary[2 * axis + side] != BoundaryType::kSeparate || leaves < Real(0)) return 0;
    }
    return v;
  }

  // The velocity along b at a face along `axis`: the mean of the four faces around it.
  FIRN_HD Real mean_along(std::uint32_t rank, const Vec<int, D>& local, int axis, int b) const {
    Real sum = Real(0);
    int count = 0;
    for (int i = 0; i < 4; ++i) {
      const Vec<int, D> there = stepped<D>(stepped<D>(local, axis, -(i & 1)), b, i >> 1);
      const CellAddress from = cell_address<D>(mac, rank, there);
      if (!from.exists()) continue;
      sum += at(mac.faces[face_index<D>(from.block, b, from.cell)], kFaceVelocity);
      ++count;
    }
    return count > 0 ? sum / static_cast<Real>(count) : Real(0);
  }
};

template <class Exec, int D, class Real>
void constrain_faces(Exec& exec, const GridUpdateParams<Real, D>& params,
                     const GridView<Real>& grid, const MacView<Real>& mac, std::uint32_t max_blocks,
                     const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                ConstrainFaces<D, Real>{{params, grid}, mac});
}

// Sums over the cells of a block for each body, in params.reactions.
template <int D, class Real>
struct BodyReactions {
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes;
  struct Scratch {
    double sums[kCells][kReactionColumns];
  };
  BoundaryGeometry<D, Real> boundary;
  MacView<Real> mac;

  // push(sums, body, cell) adds what a cell has for a body; nothing where the block is not `near`.
  // `onto`: beside what the rows hold.
  template <class Group, class Push>
  FIRN_HD void add_up(Group& g, bool near, bool onto, const Push& push) const {
    const int n_bodies = boundary.params.collider_count;
    for (int c = 0; c < n_bodies; ++c) {
      double* row = boundary.params.reactions +
                    (static_cast<std::uint64_t>(g.index()) * n_bodies + c) * kReactionColumns;
      if (near) {
        g.for_each(kCells, [&](std::uint32_t cell) {
          double* sums = g.scratch.sums[cell];
          for (int k = 0; k < kReactionColumns; ++k) sums[k] = 0;
          push(sums, c, cell);
        });
        g.sync();
      }
      g.for_each(kReactionColumns, [&](std::uint32_t k) {
        double sum = onto ? row[k] : 0;
        if (near)
          for (std::uint32_t cell = 0; cell < kCells; ++cell) sum += g.scratch.sums[cell][k];
        row[k] = sum;
      });
      g.sync();
    }
  }
  // An impulse along an axis at x on the surface of body c.
  FIRN_HD void add(double* sums, int c, const Vec<Real, D>& x, int axis, Real impulse) const {
    Vec<Real, D> push = Vec<Real, D>::zero();
    push[axis] = impulse;
    add_impulse(sums, x, push);
    // What material moves does none of its own.
    if (boundary.params.colliders[c].body < 0)
      add_work(sums, boundary.surface_velocity(c, x), push);
  }
  // The part along the surface of one that an axis has at a face; all of it where no pressure moves
  // anything, deep within the body.
  FIRN_HD void add_along(double* sums, const CellAddress& face, int c, const Vec<Real, D>& x,
                         int axis, const Vec<Real, D>& n, Real impulse) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(face.cell));
    const bool pressed =
        is_solved(face.block, local) || is_solved(face.block, stepped<D>(local, axis, -1));
    for (int a = 0; a < D; ++a) {
      const Real share = (a == axis ? Real(1) : Real(0)) - (pressed ? n[axis] * n[a] : Real(0));
      if (share != Real(0)) add(sums, c, x, a, share * impulse);
    }
  }
  // Whether a cell has a pressure that moves anything.
  FIRN_HD bool is_solved(std::uint32_t rank, const Vec<int, D>& local) const {
    if (!is_fluid(mac, cell_address<D>(mac, rank, local))) return false;
    for (int a = 0; a < D; ++a)
      for (int side = 0; side < 2; ++side) {
        const CellAddress face = cell_address<D>(mac, rank, stepped<D>(local, a, side));
        if (face.exists() && mac.area[face_index<D>(face.block, a, face.cell)] > Real(0))
          return true;
      }
    return false;
  }
};

// Faces that are closed or cling do not move as the stress of the material around them would have
// it: their body takes it up, in as far as they have not handed it on, and what their mass moves by
// along its surface, of which ClingingReactions takes off what it keeps. (Against the surface it is
// the pressure that does it.) `forces` (kg m/s^3, a channel of faces; null: the impulses are those
// of the faces), over the square of the step, come beside what the rows hold.
template <int D, class Real>
struct StressReactions : BodyReactions<D, Real> {
  static constexpr const char* kName = "stress_reactions";
  using Base = BodyReactions<D, Real>;
  using Base::boundary, Base::mac, Base::kCells;
  Real* clinging = nullptr;  // kg: leaves there the mass of faces that cling; see MacStore
  const Real* forces = nullptr;
  const StepControl* control = nullptr;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    const bool near = has_boundary(mac, g.index());
    if (near && clinging != nullptr) {
      g.for_each(D * kCells,
                 [&](std::uint32_t i) { clinging[face_index<D>(g.index(), 0, i)] = Real(0); });
      g.sync();
    }
    this->add_up(g, near, forces != nullptr, [&](double* sums, int c, std::uint32_t cell) {
      for (int a = 0; a < D; ++a) push(sums, g.index(), block, c, cell, a);
    });
  }
  FIRN_HD void push(double* sums, std::uint32_t rank, const Vec<int, D>& block, int c,
                    std::uint32_t cell, int axis) const {
    const std::uint64_t face = face_index<D>(rank, axis, cell);
    const bool held = clings(mac, rank, face);
    if (mac.area[face] > Real(0) && !held) return;
    const bool begins = forces == nullptr;
    Real impulse = begins ? mac.faces[face][kFaceImpulse]
                          : static_cast<Real>(control->dt * control->dt) * forces[face];
    if (held) impulse *= Real(1) - mac.mirrored[face];
    const Real mass = begins ? mac.faces[face][kFaceMass] : Real(0);
    if (impulse == Real(0) && mass == Real(0)) return;
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(cell));
    const Vec<Real, D> x = boundary.face_position(block, local, axis);
    const NearestBoundary<D, Real> wall = boundary.nearest(x);
    if (wall.body != c) return;
    const Vec<Real, D> n = boundary.normal(wall, x);
    if (wall.boundary == BoundaryType::kSticky) {
      this->add(sums, c, x, axis, impulse);
      if (!(mass > Real(0))) return;
      if (held) clinging[face] = mass;
      const Real falls = static_cast<Real>(control->dt) * boundary.params.gravity[axis];
      this->add_along(
          sums, {rank, cell}, c, x, axis, n,
          mac.faces[face][kFaceMomentum] + mass * (held ? falls : falls - wall.velocity[axis]));
      return;
    }
    // Nothing else holds where material slides.
    for (int a = 0; a < D; ++a) this->add(sums, c, x, a, impulse * n[axis] * n[a]);
  }
};

template <class Exec, int D, class Real>
void stress_reactions(Exec& exec, const GridUpdateParams<Real, D>& params,
                      const GridView<Real>& grid, const MacView<Real>& mac, Real* clinging,
                      std::uint32_t max_blocks, const StepControl* control) {
  if (params.collider_count == 0) return;
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                StressReactions<D, Real>{{{params, grid}, mac}, clinging, nullptr, control});
}

template <int D, class Real>
struct ClingingReactions : BodyReactions<D, Real> {
  static constexpr const char* kName = "clinging_reactions";
  using Base = BodyReactions<D, Real>;
  using Base::boundary, Base::mac, Base::kCells;
  const Real* clinging;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    this->add_up(g, has_boundary(mac, g.index()), true,
                 [&](double* sums, int c, std::uint32_t cell) {
                   for (int a = 0; a < D; ++a) push(sums, g.index(), block, c, cell, a);
                 });
  }
  FIRN_HD void push(double* sums, std::uint32_t rank, const Vec<int, D>& block, int c,
                    std::uint32_t cell, int axis) const {
    const std::uint64_t face = face_index<D>(rank, axis, cell);
    if (!(clinging[face] > Real(0))) return;
    const Vec<Real, D> x =
        boundary.face_position(block, local_of_node<D>(static_cast<int>(cell)), axis);
    const NearestBoundary<D, Real> wall = boundary.nearest(x);
    if (wall.body != c) return;
    this->add_along(sums, {rank, cell}, c, x, axis, boundary.normal(wall, x),
                    -clinging[face] * mac.faces[face][kFaceVelocity]);
  }
};

template <class Exec, int D, class Real>
void clinging_reactions(Exec& exec, const GridUpdateParams<Real, D>& params,
                        const GridView<Real>& grid, const MacView<Real>& mac, const Real* clinging,
                        std::uint32_t max_blocks, const StepControl* control) {
  if (params.collider_count == 0) return;
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                ClingingReactions<D, Real>{{{params, grid}, mac}, clinging});
}

template <int D, class Real>
struct PressureReactions : BodyReactions<D, Real> {
  static constexpr const char* kName = "pressure_reactions";
  using Base = BodyReactions<D, Real>;
  using Base::boundary, Base::mac, Base::kCells;
  bool onto;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    this->add_up(
        g, has_boundary(mac, g.index()) && !is_dry(mac, g.index()), onto,
        [&](double* sums, int c, std::uint32_t cell) { push(sums, g.index(), block, c, cell); });
  }

  // What the pressure at a cell's part of the surface of body c does to it through the closed parts
  // of the cell's faces.
  FIRN_HD void push(double* sums, std::uint32_t rank, const Vec<int, D>& block, int c,
                    std::uint32_t cell) const {
    const CellAddress self{rank, cell};
    if (!is_fluid(mac, self)) return;
    Real face_area = Real(1);
    for (int a = 1; a < D; ++a) face_area *= boundary.grid.dx;
    if (boundary.deforms(c))
      sums[kWork] += static_cast<double>(face_area * boundary.grid.dx *
                                         boundary.swelling(c, boundary.cell_position(block, cell)) *
                                         pressure_on(self, block, c));
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(cell));
    for (int a = 0; a < D; ++a)
      for (int side = 0; side < 2; ++side) {
        const Vec<int, D> at_face = stepped<D>(local, a, side);
        const CellAddress face = side == 0 ? self : cell_address<D>(mac, rank, at_face);
        const std::uint64_t index = face_index<D>(face.block, a, face.cell);
        const Real open = mac.area[index];
        const bool held = open > Real(0) && clings(mac, face.block, index);
        if (open == Real(1) && !held) continue;
        const Vec<Real, D> x = boundary.face_position(block, at_face, a);
        const NearestBoundary<D, Real> wall = boundary.nearest(x);
        if (wall.body != c) continue;
        const Real out = side == 0 ? -face_area : face_area;
        this->add(sums, c, x, a, out * (Real(1) - open) * pressure_on(self, block, c));
        // What it does to liquid that clings, along the surface, the body takes too.
        if (held)
          this->add_along(sums, face, c, x, a, boundary.normal(wall, x),
                          out * open * mac.pressure[cell_index(self)]);
      }
  }

  // The pressure continued from the cell's centre to the nearest point of the body. At the centre
  // it would miss up to the weight of half a cell of liquid.
  FIRN_HD Real pressure_on(const CellAddress& cell, const Vec<int, D>& block, int c) const {
    // Beside stress the weight up to the wall is in what that brings to closed faces, in as far as
    // what is in the cell bears shear.
    Real liquid = Real(1);
    if (onto && mac.elastic_fraction != nullptr) liquid -= mac.elastic_fraction[cell_index(cell)];
    const Vec<Real, D> x = boundary.cell_position(block, cell.cell);
    NearestBoundary<D, Real> body;
    body.body = c;
    const Real dx = boundary.grid.dx, distance = clamp(boundary.body_distance(x, c), -dx, dx);
    const Vec<Real, D> n = boundary.normal(body, x);
    Real slope = Real(0);
    for (int a = 0; a < D; ++a) slope += n[a] * pressure_gradient<D>(mac, cell, a, dx);
    return mac.pressure[cell_index(cell)] - liquid * distance * slope;
  }
};

template <class Exec, int D, class Real>
void pressure_reactions(Exec& exec, const GridUpdateParams<Real, D>& params,
                        const GridView<Real>& grid, const MacView<Real>& mac, bool onto,
                        std::uint32_t max_blocks, const StepControl* control) {
  if (params.collider_count == 0) return;
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                PressureReactions<D, Real>{{{params, grid}, mac}, onto});
}

}  // namespace firn
