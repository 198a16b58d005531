// Velocities of nodes at the end of a step by minimising the incremental potential [T App. A; Gast
// et al. 2015]
//   E(v) = sum_i m_i |v_i - v*_i|^2 / 2 + sum_p V0_p psi((I + dt grad v) F_p) + what viscosity and
//          friction dissipate,
// with v* the velocities that the particles and gravity bring, under what walls and bodies allow.
// Its gradient is the impulse that is out of balance, its second derivative
//   H = M + dt^2 sum_p (dP/dF terms), applied by way of the particles (stiffness.h).
// Newton's method, the line search and conjugate gradients are the host's to order
// (src/solvers/newton_solver.h); all of their numbers stay on the device but for four sums.
//
// Vectors are Nodes, [block][64][4], the fourth entry not used. A node is free, or moves in the
// subspace that its contacts leave: velocities are held + P y, with the projector P = `free`.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/exec/node.h"
#include "kernels/fields/blocks.h"
#include "kernels/fields/particles.h"
#include "kernels/grid/update.h"
#include "kernels/implicit/damping.h"
#include "kernels/materials/params.h"
#include "kernels/solve/conjugate_gradients.h"
#include "kernels/transfer/transfer.h"

namespace firn {

enum NodeKind : std::uint32_t {
  kNodeEmpty,  // no mass
  kNodeFixed,  // contacts leave nothing
  kNodeHeld,   // they leave a line or a plane
  kNodeFree,
};

// What the contacts of a node amount to.
template <class Real>
struct NodeHold {
  Real free[6];           // projector onto what they leave, upper triangle; 2D: the first three
  Real held[3];           // velocity in what they take
  Real rub[3];            // impulse against which it slides, N s: of the pass before; 0: none
  std::int32_t sticks;    // friction holds it
  std::int32_t collider;  // whose friction it is, or that holds all of it; -1: none
};

// What an evaluation adds up.
struct NewtonSums {
  double energy = 0;       // the potential, J
  double strain = 0;       // what particles have of it, J
  double kinetic = 0;      // of v*, J
  double imbalance = 0;    // sum of |P gradient|^2 / m, kg m^2/s^2
  double slope = 0;        // gradient . direction, where the potential was evaluated
  double first_slope = 0;  // and where the direction begins
  double mass = 0;         // of the nodes that may move, kg
  double rounding = 0;  // of particles' stresses, as `imbalance`: what no solution is sure to meet
  // What P gradient has of momentum, |sum|^2 over the mass, and of how bodies move against each
  // other: its part along v* without the mean of that, squared. Where no contact takes momentum,
  // else 0: stresses, and so what rounding does to them, have none.
  double net = 0, turned = 0;
  double contacts = 0;  // impulses of contacts that opened, closed or rub otherwise, as `imbalance`
  double demand = 0;    // of what contacts do to v*, as `imbalance`
  double ends = 0;      // what the step brings into a body that it does not touch yet
};
// Columns of partial sums: what nodes have of the potential, imbalance, slope, mass, what particles
// have of the potential, the sum of P gradient, the mass that contacts hold, and of v* the
// momentum, twice the energy, and the part of P gradient along it.
inline constexpr int kNewtonColumns = 14, kParticleColumn = 4, kNetColumn = 5, kHeldColumn = 8,
                     kMomentumColumn = 9, kMotionColumn = 12, kAlongColumn = 13;

template <class Real>
struct ImplicitView {
  Real* target = nullptr;    // v*, and the mass
  Real* velocity = nullptr;  // of the iterate
  Real* trial = nullptr;     // where the potential is evaluated
  Real* gradient = nullptr;  // impulse out of balance there, without friction; contacts give it
  Real* rhs = nullptr;       // -(P gradient + friction)
  Real* direction = nullptr;
  Real* inverse = nullptr;  // two Nodes each: inverse of the block of H, upper triangle; the last
                            // entry, of the first Node in 2D: squared rounding of the impulse
  std::uint32_t* kind = nullptr;
  NodeHold<Real>* hold = nullptr;
  std::uint64_t* closed = nullptr;  // bit of every contact that acts: walls, then colliders
  Real* stiffness = nullptr;        // [chunk][stiffness_components][lane], times V0 dt^2
  Real* damping = nullptr;          // [chunk][damping_components][lane], times V0 dt; of materials
                                    // that have some
  double* partials = nullptr;       // kNewtonColumns columns of max_blocks
  NewtonSums* sums = nullptr;
};

template <class Real, int D>
struct ImplicitProblem {
  TransferParams transfer;
  const MaterialParams<Real>* materials;
  ParticleView<Real> particles;
  GridView<Real> grid;
  GridUpdateParams<Real, D> boundaries;
  ImplicitView<Real> view;
  std::uint32_t max_blocks = 0;
  const StepControl* control = nullptr;
  const Real* damping = nullptr;  // per material: Rayleigh's factor of stiffness, s; null: all 0
  Real drag = 0;                  // and that of mass, 1/s
  // Launches do nothing where it is not 0; null: control->stop.
  const std::uint32_t* gate = nullptr;
  bool semidefinite = true;  // of particles' stiffnesses
  bool flows = true;         // material may yield within the solve
  // Particles are answered at rest whatever the trial, but flow that lags at the trial's rates.
  bool at_rest = false;
  bool diagonal = false;  // `inverse` is that of the diagonal, where nodes are free
};

template <class Real, int D>
const std::uint32_t* gate_of(const ImplicitProblem<Real, D>& p) {
  return p.gate != nullptr ? p.gate : &p.control->stop;
}

// Takes the momentum of P2G for v* = v + dt g, and poses the bodies.
template <class Exec, int D, class Real>
void begin_implicit(Exec& exec, const ImplicitProblem<Real, D>& problem);

// The damping of particles at the step's begin.
template <class Exec, int D, class Real>
void begin_damping(Exec& exec, const ImplicitProblem<Real, D>& problem);

enum class ContactPass {
  kFirst,   // those act that v* runs into
  kJudge,   // nothing changes
  kChange,  // those that press or are about to, as the gradient at `velocity` and that velocity say
};
// Which contacts act, and at which friction holds or what slides rubs. Adds into sums->contacts how
// wrong they were, and brings `velocity` into what changed ones allow. The measure of that is
// inertia, of which light nodes have none: what is next to nothing there may bend a stiff material
// by a cell, so velocities that change have to be solved for again.
template <class Exec, int D, class Real>
void close_contacts(Exec& exec, const ImplicitProblem<Real, D>& problem, ContactPass pass);

// velocity = trial = held + P v, of one of these.
enum class NodeGuess {
  kRest,    // v = 0
  kBefore,  // that of the step's begin
  kTarget,  // v*
};
template <class Exec, int D, class Real>
void guess_velocity(Exec& exec, const ImplicitProblem<Real, D>& problem, NodeGuess guess);

// trial = velocity + share * direction, and sums->first_slope.
template <class Exec, int D, class Real>
void try_velocity(Exec& exec, const ImplicitProblem<Real, D>& problem, Real share);

// What vectors are to nodes that depend on others (grid/dependents.h).
enum class NodeVectors {
  kVelocities,
  kChanges,  // of velocities: what the bodies move with is in none of them
};

// Potential, gradient and stiffnesses at `trial`: of particles, added to the gradient; then of
// nodes, and the sums. With changes for velocities, no body moves.
template <class Exec, int D, class Real>
void evaluate_particles(Exec& exec, const ImplicitProblem<Real, D>& problem, NodeVectors trial);
template <class Exec, int D, class Real>
void evaluate_nodes(Exec& exec, const ImplicitProblem<Real, D>& problem);

// The inverses of H's blocks of nodes, of the stiffnesses of the last evaluation: what particles
// have of them, added to `inverse`; then the rest, and sums->rounding.
template <class Exec, int D, class Real>
void add_blocks(Exec& exec, const ImplicitProblem<Real, D>& problem);
template <class Exec, int D, class Real>
void invert_blocks(Exec& exec, const ImplicitProblem<Real, D>& problem);

// out += (H - M) in by way of the particles, which gives images and dependents what `in` has of
// their nodes; then out = P (out + M in).
template <class Exec, int D, class Real>
void apply_stiffness(Exec& exec, const ImplicitProblem<Real, D>& problem, NodeVectors kind,
                     Real* in, Real* out);
template <class Exec, int D, class Real>
void finish_stiffness(Exec& exec, const ImplicitProblem<Real, D>& problem, const Real* in,
                      Real* out);

// sums->demand, where `velocity` is what contacts allow of v*.
template <class Exec, int D, class Real>
void sum_demand(Exec& exec, const ImplicitProblem<Real, D>& problem);

// Leaves the velocities to the gather, with what FLIP needs, and the reactions of bodies.
template <class Exec, int D, class Real>
void end_implicit(Exec& exec, const ImplicitProblem<Real, D>& problem);

// Behind that: sums->ends, how many nodes would end more than a cell within a body or beyond it
// which they do not touch yet; or blocks with particles that do, which light nodes are no sign of.
template <class Exec, int D, class Real>
void follow_nodes(Exec& exec, const ImplicitProblem<Real, D>& problem);
template <class Exec, int D, class Real>
void follow_particles(Exec& exec, const ImplicitProblem<Real, D>& problem);

// --- as conjugate gradients see it ---

template <int D, class RealType>
struct NodeSpace {
  using Real = RealType;
  static constexpr std::uint32_t kCompanions = 0, kValues = 4 * BlockTraits<D>::kNodes;
  const std::uint32_t* kind;
  const RealType* target = nullptr;  // of conjugate gradients: where the masses are
  RealType* solution = nullptr;      // of MINRES
  FIRN_HD bool is_active(std::uint64_t at) const { return at % 4 < D && kind[at / 4] >= kNodeHeld; }
  // The norm of NewtonSums::imbalance: light nodes count for as much as what moves them.
  FIRN_HD Real weight(std::uint64_t at) const { return Real(1) / target[at | 3]; }
  FIRN_HD void add(std::uint64_t at, Real step, Real w) const { solution[at] += step * w; }
  FIRN_HD void add_companion(std::uint64_t, Real, Real) const {}
};

// A in, once apply_stiffness has left it in `out`.
template <int D, class Real>
struct StoredProduct {
  const Real* out;
  FIRN_HD Real operator()(std::uint32_t, std::uint32_t, std::uint64_t at) const { return out[at]; }
};

// Where `inverse` has the squared rounding.
template <int D>
inline constexpr int kRoundingEntry = D == 2 ? 3 : 7;

template <int D, class Real>
struct BlockInverse {
  const Real *inverse, *r;
  FIRN_HD Real operator()(std::uint32_t, std::uint32_t, std::uint64_t at) const {
    const std::uint64_t node = at / 4;
    const int a = static_cast<int>(at % 4);
    Real sum = 0;
    for (int b = 0; b < D; ++b)
      sum += inverse[8 * node + symmetric_entry<D>(a, b)] * r[4 * node + b];
    return sum;
  }
};

}  // namespace firn
