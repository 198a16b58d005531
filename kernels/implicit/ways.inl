// Where a step takes what it moves, against the walls and bodies on the way.
#pragma once

#include "kernels/grid/contact.h"
#include "kernels/implicit/nodes.h"
#include "kernels/implicit/particles.h"
#include "kernels/implicit/positions.inl"

namespace firn {

// A way from x, which `contact` does not hold there, that ends more than a cell within a body or a
// wall, or beyond. Contacts are those of where nodes stand when a step begins; what gathers speed
// in a long step may come to others. A cell is what steps of any length may go too far: where that
// ends, contacts take over.
template <int D, class Real>
struct Way {
  using Vector = Vec<Real, D>;
  static constexpr int kMostLooks = 256;
  NodeContact<D, Real> contact;

  FIRN_HD bool ends_too_far(const Vector& x, const Vector& v) const {
    const GridUpdateParams<Real, D>& b = contact.params;
    const Real dt = static_cast<Real>(contact.control->dt);
    if (ends_behind_wall(x, dt * v)) return true;
    for (int c = 0; c < b.collider_count; ++c)
      if (ends_in_body(c, x, dt * (v - surface_velocity(b.colliders[c], b.poses[c], x))))
        return true;
    return false;
  }

  FIRN_HD bool ends_behind_wall(const Vector& x, const Vector& way) const {
    const DomainWalls<Real, D>& walls = contact.params.walls;
    for (int face = 0; walls.active && face < 2 * D; ++face) {
      const int a = face / 2;
      const Real end = x[a] + way[a],
                 beyond = face % 2 == 0 ? walls.min[a] - end : end - walls.max[a];
      if (beyond > contact.grid.dx && !contact.is_at_wall(x, face)) return true;
    }
    return false;
  }

  // `way` is relative to the body, which is looked for at distances that cannot miss it, if it is
  // thicker than an eighth of a cell.
  FIRN_HD bool ends_in_body(int c, const Vector& x, const Vector& way) const {
    const Real length = norm(way), dx = contact.grid.dx;
    if (!(length > dx)) return false;
    const Vector ahead = (Real(1) / length) * way;
    Real gone = 0;
    for (int looks = 0; looks < kMostLooks && gone <= length - dx; ++looks) {
      const Real distance = contact.distance(c, x + gone * ahead);
      if (contact.is_in_body(distance)) return looks > 0;  // the first one has a contact
      gone += max(distance, Real(0.125) * dx);
    }
    return false;
  }
};

template <int D, class Real>
struct FollowNodes : ImplicitNodes<D, Real> {
  static constexpr const char* kName = "follow_nodes";
  using Base = ImplicitNodes<D, Real>;
  using Base::problem;
  struct Scratch {
    double ends[Base::kNodes];
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Way<D, Real> way{{problem.boundaries, problem.grid, problem.control}};
    const Vec<int, D> origin = block_of_key<D>(problem.grid.keys[g.index()]);
    Base::for_each_node(g, [&](std::uint64_t node, std::uint32_t i) {
      const bool ends = problem.view.kind[node] != kNodeEmpty &&
                        way.ends_too_far(way.contact.position_of(origin, i),
                                         Base::vector_at(problem.view.velocity, node));
      g.scratch.ends[i] = ends ? 1 : 0;
    });
    g.sync();
    g.once([&] {
      double sum = 0;
      for (double end : g.scratch.ends) sum += end;
      problem.view.partials[g.index()] = sum;
    });
  }
};

// The velocities of nodes lie in the grid by then.
template <int D, int Degree, class Real>
struct FollowParticles : ImplicitNodes<D, Real> {
  static constexpr const char* kName = "follow_particles";
  using Base = ImplicitNodes<D, Real>;
  using Base::problem;
  struct Scratch {
    std::uint32_t ends;
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    const Way<D, Real> way{{problem.boundaries, problem.grid, problem.control}};
    const NodeField<D, Degree, Real> field{problem.grid, problem.control->n_blocks};
    g.once([&] { g.scratch.ends = 0; });
    g.sync();
    for_each_pack_in(g, block, problem.grid, problem.particles, [&](const auto& lanes) {
      lanes.for_each_lane([&](int, std::uint32_t lane) {
        Vec<Real, D> x;
        for (int a = 0; a < D; ++a)
          x[a] = channel_row(problem.particles.x, lanes.chunk, D, a)[lane];
        if (way.ends_too_far(x, field.at(x).v)) g.atomic_or(g.scratch.ends, 1u);
      });
    });
    g.sync();
    g.once([&] { problem.view.partials[block] = g.scratch.ends; });
  }
};

struct FinishWays {
  static constexpr const char* kName = "finish_ways";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(NewtonSums& s, const double* v) const { s.ends = v[0]; }
};

template <class Exec, int D, class Real>
void follow_nodes(Exec& exec, const ImplicitProblem<Real, D>& p) {
  launch_groups(exec, nodes_of(p), FollowNodes<D, Real>{{p}});
  sum_columns(exec, p, FinishWays{});
}
template <class Exec, int D, class Real>
void follow_particles(Exec& exec, const ImplicitProblem<Real, D>& p) {
  for_degree(p.transfer.degree, [&](auto degree) {
    launch_groups(exec, nodes_of(p), FollowParticles<D, decltype(degree)::value, Real>{{p}});
  });
  sum_columns(exec, p, FinishWays{});
}

}  // namespace firn
