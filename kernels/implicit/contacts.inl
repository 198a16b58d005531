// Contacts of the nodes of system.h: which of them act, and what they give and take.
#pragma once

#include "kernels/grid/contact.h"
#include "kernels/grid/dependence.h"
#include "kernels/grid/dependents.h"
#include "kernels/grid/mirror.h"
#include "kernels/implicit/nodes.h"
#include "kernels/implicit/touch.h"

namespace firn {

// Of what the projector P leaves, the direction of `into` = P n, of that squared length.
template <class Real, int D>
FIRN_HD inline void take_away(Mat<Real, D>& P, const Vec<Real, D>& into, Real squared) {
  for (int a = 0; a < D; ++a)
    for (int b = 0; b < D; ++b) P(a, b) -= into[a] * into[b] / squared;
}

template <int D, class Real>
struct CloseContacts : ImplicitNodes<D, Real> {
  static constexpr const char* kName = "close_contacts";
  using Base = ImplicitNodes<D, Real>;
  using Base::problem;
  using typename Base::Vector;
  static constexpr int kWalls = 2 * D;
  // Friction that changes by less is as good as known.
  static constexpr double kSameFriction = 0.05;
  struct Scratch {
    double wrong[Base::kNodes];
  };
  ContactPass pass;

  FIRN_HD bool is_first() const { return pass == ContactPass::kFirst; }

  // A node while its contacts are gone through.
  struct Meeting {
    std::uint64_t node;
    Vector target, v, impulse;
    Mat<Real, D> P = Mat<Real, D>::identity();
    Vector held = Vector::zero();
    Vector body = Vector::zero();  // velocity of the surface that rubs most
    Real slip = 0;                 // and the most that it takes, N s
    std::int32_t collider = -1;
    std::uint64_t before, closed = 0;
    const NodeSlip<Real, D>* slip_of = nullptr;  // of a dependent
    Real wrong = 0;  // of impulses that contacts gave or owed, in the measure of the imbalance
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Dependence<D, Real> dependence{{problem.boundaries, problem.grid, problem.control}};
    const NodeContact<D, Real>& contact = dependence;
    const Vec<int, D> origin = block_of_key<D>(problem.grid.keys[g.index()]);
    Base::for_each_node(g, [&](std::uint64_t node, std::uint32_t i) {
      g.scratch.wrong[i] = 0;
      if (!(Base::mass(node) > Real(0))) return;
      Meeting m;
      m.node = node;
      m.target = Base::vector_at(problem.view.target, node);
      m.v = is_first() ? m.target : Base::vector_at(problem.view.velocity, node);
      m.impulse = is_first() ? Vector::zero() : Base::vector_at(problem.view.gradient, node);
      m.before = problem.view.closed[node];
      const Vector x = contact.position_of(origin, i);
      m.slip_of = dependence.slipping(node);
      if (m.slip_of != nullptr) follow_parent(dependence, x, m);
      meet_walls(contact, g.index(), i, x, m);
      for (int c = 0; c < problem.boundaries.collider_count; ++c)
        if (contact.gap_to(origin, c) <= reach_of(contact, c))
          meet_body(contact, g.index(), i, c, x, m);
      g.scratch.wrong[i] = keep(m);
    });
    g.sync();
    g.once([&] {
      double sum = 0;
      for (double wrong : g.scratch.wrong) sum += wrong;
      problem.view.partials[g.index()] = sum;
    });
  }

  // A dependent that slips has no velocity of its own along normals; those of the holders stand for
  // it.
  FIRN_HD void follow_parent(const Dependence<D, Real>& dependence, const Vector& x,
                             Meeting& m) const {
    for (int k = 0; k < D; ++k) {
      if (!Dependence<D, Real>::is_taken(*m.slip_of, k)) continue;
      const int h = m.slip_of->holder[k];
      const Vector& normal = m.slip_of->normal[k];
      m.held = m.held + dot(dependence.velocity_of(h, x), normal) * normal;
      take_away(m.P, normal, Real(1));
      m.closed |= std::uint64_t{1} << (h < 63 ? h : 63);
    }
  }
  FIRN_HD void meet_walls(const NodeContact<D, Real>& contact, std::uint32_t block, std::uint32_t i,
                          const Vector& x, Meeting& m) const {
    const DomainWalls<Real, D>& walls = problem.boundaries.walls;
    if (!walls.active) return;
    for (int face = 0; face < kWalls; ++face) {
      if (Dependence<D, Real>::is_borne(m.slip_of, face)) continue;
      const Real until = speed_to_wall(contact, x, face);
      if (until < Real(0)) continue;
      const Vector normal = contact.wall_normal_at(face, block, i, x);
      meet(face,
           contact.type_at(contact.held_by(face, x, contact.distance_from(face, x), block), x,
                           normal),
           walls.friction[face], Vector::zero(), normal,
           max(contact.closing_speed_at_wall(face, block, i), until), -1, m);
    }
  }
  // With which a node gets to a wall in the step, m/s; 0 behind it, negative where it is too far
  // away to touch it.
  FIRN_HD Real speed_to_wall(const NodeContact<D, Real>& contact, const Vector& x, int face) const {
    if (contact.is_at_wall(x, face)) return Real(0);
    const Real reach = reach_of_wall(contact, face);
    if (!(reach > Real(0)) || !contact.is_within(reach, x, face)) return Real(-1);
    return contact.distance_from(face, x) / static_cast<Real>(problem.control->dt);
  }
  FIRN_HD void meet_body(const NodeContact<D, Real>& contact, std::uint32_t block, std::uint32_t i,
                         int c, const Vector& x, Meeting& m) const {
    if (Dependence<D, Real>::is_borne(m.slip_of, kWalls + c)) return;
    const Real distance = contact.distance(c, x), way = way_to(contact, c, block, i, x, distance);
    if (way < Real(0)) return;
    const ColliderShape<Real>& collider = problem.boundaries.colliders[c];
    const auto facing = facing_of(contact, c, block, i, x, m.target);
    const Real until = way / static_cast<Real>(problem.control->dt);
    meet(kWalls + c,
         contact.type_at(contact.held_by(kWalls + c, x, distance, block), x, facing.normal),
         collider.friction, facing.surface, facing.normal, max(facing.closing, until), c, m);
  }

  // Bodies beyond the last bit share it. `closing`: how fast it may come closer, m/s.
  FIRN_HD void meet(int number, BoundaryType type, Real rubs, const Vector& body, const Vector& n,
                    Real closing, std::int32_t collider, Meeting& m) const {
    const std::uint64_t bit = std::uint64_t{1} << (number < 63 ? number : 63);
    if (type == BoundaryType::kSticky) {
      m.P = Mat<Real, D>::zero();
      m.held = body;
      m.slip = 0;
      m.closed |= bit;
      m.collider = collider;
      return;
    }
    const Vector into = m.P * n;  // what earlier contacts have left of the normal
    const Real left = dot(into, into);
    if (left < Real(1e-4)) return;
    const Real held = dot(body, n) - closing, approach = held - dot(m.v, n);
    Real press = is_first() ? Base::mass(m.node) * (held - dot(m.target, n)) : dot(m.impulse, n);
    if (type == BoundaryType::kSeparate) {
      const bool was = (m.before & bit) != 0;
      const bool opens = is_first() || was ? !(press > Real(0)) : !(approach > Real(0));
      if (!is_first() && !was) press = Base::mass(m.node) * approach;
      if (was == opens) m.wrong += press * press / Base::mass(m.node);
      if (opens) return;
    }
    m.held += ((held - dot(n, m.held)) / left) * into;
    take_away(m.P, into, left);
    m.closed |= bit;
    const Real slip = type == BoundaryType::kSeparate && press > Real(0) ? rubs * press : Real(0);
    if (slip > m.slip) m.slip = slip, m.body = body, m.collider = collider;
  }

  // What friction does to a node that is about to slide with `relative`, in what normals leave.
  struct Rub {
    bool sticks = false;
    Vector impulse = Vector::zero();
    Real wrong = 0;  // impulse that held it although it slides, or moved it although it sticks
  };
  FIRN_HD static Rub slide(const Vector& along, Real slip, Real wrong) {
    Rub r;
    const Real size = norm(along);
    r.sticks = !(size > Real(0));
    if (!r.sticks) r.impulse = (slip / size) * along;
    r.wrong = wrong;
    return r;
  }
  FIRN_HD Rub rub_of(const Meeting& m) const {
    const NodeHold<Real>& was = problem.view.hold[m.node];
    const bool stuck = m.before != 0 && was.sticks != 0;
    const Vector holding = m.P * m.impulse;
    if (!(m.slip > Real(0))) return {false, Vector::zero(), stuck ? norm(holding) : Real(0)};
    const Vector sliding = m.P * ((is_first() ? m.target : m.v) - m.body);
    const Real stops = Base::mass(m.node) * norm(sliding);
    if (is_first() || m.before == 0)  // what would stop it, if nothing else moved it
      return stops <= m.slip ? Rub{true, Vector::zero(), stops} : slide(sliding, m.slip, Real(0));
    if (stuck) {  // as long as the cone has room for what holds it
      const Real excess = norm(holding) - m.slip;
      return excess > Real(0) ? slide(Real(-1) * holding, m.slip, excess) : Rub{true};
    }
    Real onwards = 0, rubbed = 0;
    for (int a = 0; a < D; ++a)
      onwards += sliding[a] * was.rub[a], rubbed += was.rub[a] * was.rub[a];
    if (rubbed > Real(0) && !(onwards > Real(0)))
      return {true, Vector::zero(), stops};  // it turned back
    return slide(sliding, m.slip, Real(0));
  }

  // Returns by how much impulses were wrong at this node: sum of squares over its mass.
  FIRN_HD double keep(Meeting& m) const {
    const Rub rub = rub_of(m);
    if (rub.sticks) {
      m.held = m.held + m.P * (m.body - m.held);
      m.P = Mat<Real, D>::zero();
    }
    Real left = 0;
    for (int a = 0; a < D; ++a) left += m.P(a, a);
    NodeHold<Real>& hold = problem.view.hold[m.node];
    Real change = 0, size = 0;
    for (int a = 0; a < D; ++a) {
      const Real before = m.before != 0 ? hold.rub[a] : Real(0);
      change += (rub.impulse[a] - before) * (rub.impulse[a] - before);
      size += rub.impulse[a] * rub.impulse[a] + before * before;
    }
    constexpr Real same_share = static_cast<Real>(kSameFriction * kSameFriction);
    // What now holds it or has let go is counted above.
    const bool slides_on = !rub.sticks && !(m.before != 0 && hold.sticks != 0);
    Real wrong = m.wrong + rub.wrong * rub.wrong / Base::mass(m.node);
    if (slides_on && change > same_share * size) wrong += change / Base::mass(m.node);
    if (pass == ContactPass::kJudge) return wrong;
    problem.view.kind[m.node] = m.closed == 0      ? kNodeFree
                                : left > Real(0.5) ? kNodeHeld
                                                   : kNodeFixed;
    problem.view.closed[m.node] = m.closed;
    for (int a = 0, k = 0; a < D; ++a)
      for (int b = a; b < D; ++b) hold.free[k++] = m.P(a, b);
    for (int a = 0; a < D; ++a) hold.held[a] = m.held[a], hold.rub[a] = rub.impulse[a];
    hold.sticks = rub.sticks ? 1 : 0;
    hold.collider = m.collider;
    if (!is_first()) Base::put(problem.view.velocity, m.node, Base::allowed(m.node, m.v));
    return wrong;
  }
};

template <int D, class Real>
struct EndImplicit : ImplicitNodes<D, Real> {
  static constexpr const char* kName = "end_implicit";
  using Base = ImplicitNodes<D, Real>;
  using Base::problem;
  using typename Base::Vector;
  static constexpr int kWalls = CloseContacts<D, Real>::kWalls;
  struct Scratch {
    double sums[Base::kNodes][kReactionColumns];
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const NodeContact<D, Real> contact{problem.boundaries, problem.grid, problem.control};
    const GridUpdateParams<Real, D>& boundaries = problem.boundaries;
    const std::uint64_t first = std::uint64_t{g.index()} * Base::kNodes;
    Node<Real>* nodes = contact.nodes_of(problem.grid.nodes, g.index());
    for (int c = 0; c < boundaries.collider_count; ++c) {
      g.for_each(Base::kNodes,
                 [&](std::uint32_t i) { react(contact, g.index(), c, i, g.scratch.sums[i]); });
      g.sync();
      double* reaction = boundaries.reactions +
                         (static_cast<std::uint64_t>(g.index()) * boundaries.collider_count + c) *
                             kReactionColumns;
      g.for_each(kReactionColumns, [&](std::uint32_t k) {
        double sum = 0;
        for (std::uint32_t i = 0; i < Base::kNodes; ++i) sum += g.scratch.sums[i][k];
        reaction[k] = sum;
      });
      g.sync();
    }
    Node<Real>* increments =
        boundaries.separate_force ? contact.nodes_of(problem.grid.increments, g.index()) : nullptr;
    g.for_each(Base::kNodes, [&](std::uint32_t i) {
      const Node<Real> momentum = nodes[i];
      const Real m = momentum.mass();  // not that of the drag
      if (m < Real(0)) return;         // what depends on others
      Node<Real> after = Node<Real>::mass(m), change = Node<Real>::zero();
      for (int a = 0; a < D && m > Real(0); ++a) {
        after.set(a, problem.view.velocity[4 * (first + i) + a]);
        change.set(a, after[a] - momentum[a] / m);
      }
      nodes[i] = after;
      if (increments != nullptr) increments[i] = change;
    });
  }

  // The impulse that the contacts give to a node is what is out of balance there: each has given
  // what it took along its normal of what those before it had left, and the rest is friction.
  struct Shares {
    Mat<Real, D> P;  // onto what is left
    Vector impulse, of_body;

    FIRN_HD void meet(BoundaryType type, const Vector& normal, bool is_body) {
      const Vector into = type == BoundaryType::kSticky ? normal : P * normal;
      const Real left = dot(into, into);
      Vector taken = P * impulse;
      if (type != BoundaryType::kSticky) {
        if (!(left > Real(0))) return;
        taken = (dot(into, impulse) / left) * into;
        take_away(P, into, left);
      } else {
        P = Mat<Real, D>::zero();
      }
      if (is_body) of_body += taken;
    }
  };
  FIRN_HD Vector share_of(const NodeContact<D, Real>& contact, std::uint32_t block, std::uint32_t i,
                          const Vector& x, int c) const {
    const std::uint64_t node = std::uint64_t{block} * Base::kNodes + i;
    const GridUpdateParams<Real, D>& boundaries = problem.boundaries;
    const std::uint64_t closed = problem.view.closed[node];
    const auto is_closed = [=](int number) {
      return (closed >> (number < 63 ? number : 63) & 1u) != 0;
    };
    Shares shares{Mat<Real, D>::identity(), Real(-1) * Base::vector_at(problem.view.gradient, node),
                  Vector::zero()};
    if (!is_closed(kWalls + c) || way_to(contact, c, block, i, x, contact.distance(c, x)) < Real(0))
      return shares.of_body;
    for (int face = 0; face < kWalls; ++face) {
      if (!is_closed(face)) continue;
      const Vector normal = contact.wall_normal_at(face, block, i, x);
      shares.meet(contact.type_at(contact.held_by(face, x, contact.distance_from(face, x), block),
                                  x, normal),
                  normal, false);
    }
    for (int other = 0; other < boundaries.collider_count; ++other) {
      if (!is_closed(kWalls + other)) continue;
      const Real distance = contact.distance(other, x);
      if (way_to(contact, other, block, i, x, distance) < Real(0)) continue;
      const Vector normal =
          facing_of(contact, other, block, i, x, Base::vector_at(problem.view.target, node)).normal;
      shares.meet(contact.type_at(contact.held_by(kWalls + other, x, distance, block), x, normal),
                  normal, other == c);
    }
    if (problem.view.hold[node].collider == c) shares.of_body += shares.P * shares.impulse;
    return shares.of_body;
  }
  FIRN_HD void react(const NodeContact<D, Real>& contact, std::uint32_t block, int c,
                     std::uint32_t i, double* sums) const {
    for (int k = 0; k < kReactionColumns; ++k) sums[k] = 0;
    const std::uint64_t node = std::uint64_t{block} * Base::kNodes + i;
    const std::uint32_t kind = problem.view.kind[node];
    if (kind == kNodeEmpty || kind == kNodeFree) return;
    // What a dependent's holder takes of it mirror_dependents adds.
    const Dependence<D, Real> dependence{{problem.boundaries, problem.grid, problem.control}};
    if (Dependence<D, Real>::is_borne(dependence.slipping(node), kWalls + c)) return;
    const Vector x = contact.position_of(block_of_key<D>(problem.grid.keys[block]), i);
    const Vector impulse = share_of(contact, block, i, x, c);
    if (!(dot(impulse, impulse) > Real(0))) return;  // and may know of no surface
    add_impulse(sums, x, impulse);
    const Vector target = Base::vector_at(problem.view.target, node);
    add_work(sums, facing_of(contact, c, block, i, x, target).surface, impulse);
  }
};

struct FinishContacts {
  static constexpr const char* kName = "finish_contacts";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(NewtonSums& s, const double* v) const { s.contacts = v[0]; }
};
template <class Exec, int D, class Real>
void close_contacts(Exec& exec, const ImplicitProblem<Real, D>& p, ContactPass pass) {
  launch_groups(exec, nodes_of(p), CloseContacts<D, Real>{{p}, pass});
  sum_columns(exec, p, FinishContacts{});
}

template <class Exec, int D, class Real>
void end_implicit(Exec& exec, const ImplicitProblem<Real, D>& p) {
  launch_groups(exec, nodes_of(p), EndImplicit<D, Real>{{p}});
  mirror_dependents<Exec, D, Real>(exec, p.boundaries, p.grid, p.drag, true, p.max_blocks,
                                   p.control);
  mirror_velocities<Exec, D, Real>(exec, p.boundaries, p.grid, p.max_blocks, p.control);
}

}  // namespace firn
