// How a solve of NewtonSolver ended, what it begins with, and how often it goes through contacts.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/implicit/system.h"

namespace firn {

struct NewtonReport {
  bool converged = false;
  bool rounding_limited = false;  // the potential's last digits know no better
  bool at_rounding = false;       // the imbalance misses the tolerance, and is rounding
  bool ends_in_body = false;      // what no contact kept from it; see follow_particles
  bool unstable = false;          // see is_unstable and is_above_rest
  int iterations = 0, linear_iterations = 0, cuts = 0, passes = 1, looks = 0;
  double imbalance = 0, tolerance = 0;         // sqrt(sum |impulse|^2 / m), kg^(1/2) m/s
  double energy_before = 0, energy_after = 0;  // the potential of the guess and at the end, J
};

// Passes over contacts, each a solve with those that act as they are. One whose contacts are not
// known yet need not be exact; the one behind which nothing changes is, and so is the last.
class ContactPasses {
 public:
  // `loosens`: exactness can be asked for, and contacts may change.
  void begin(double tolerance, bool loosens) {
    tolerance_ = tolerance;
    loosens_ = loosens;
    aim_ = loosens ? kLoose * tolerance : tolerance;
  }
  // They go on, from what is exact, to this tolerance.
  void tighten(double tolerance) { tolerance_ = aim_ = tolerance, loosens_ = false; }
  double aim() const { return aim_; }  // imbalance that this pass is to leave
  int passes() const { return passes_; }
  bool are_over() const { return is_exact() && gives_up(); }

  // Contacts were wrong by so much after this pass; whether there is another one.
  bool go_on(double wrong, double enough) {
    if (is_exact() && wrong <= enough) return false;
    ++passes_;
    in_vain_ = wrong < kBetter * least_ ? 0 : in_vain_ + 1;
    least_ = std::min(least_, wrong);
    aim_ = tolerance_;
    if (loosens_ && wrong > enough && !gives_up())
      aim_ = std::clamp(kOfContacts * wrong, tolerance_, kLoose * tolerance_);
    return true;
  }

 private:
  static constexpr int kMost = 16;
  // Friction that follows from the contacts it presses need not settle: three passes that do not
  // take a third away from what contacts are wrong by are the last.
  static constexpr int kMostInVain = 3;
  static constexpr double kBetter = 0.7;
  // So many times the tolerance will do, and behind the first pass this share of what contacts were
  // wrong by.
  static constexpr double kLoose = 100, kOfContacts = 0.1;

  bool is_exact() const { return aim_ == tolerance_; }
  bool gives_up() const { return passes_ == kMost || in_vain_ == kMostInVain; }

  double tolerance_ = 0, aim_ = 0, least_ = std::numeric_limits<double>::infinity();
  bool loosens_ = false;
  int passes_ = 1, in_vain_ = 0;
};

// Velocities within this many cells per step are the same, whatever the scene: so an imbalance, of
// which `one_cell` would move all nodes by a cell, is none. But where a step is short that is more
// than it changes velocities by, and only their last digits are the same; `motion`: J, of v* and of
// the strain as the step begins.
template <class Real>
double least_imbalance(double one_cell, double motion) {
  constexpr double kSameSpeed = sizeof(Real) == 4 ? 1e-6 : 1e-9,
                   kSameDigits = 4 * static_cast<double>(kEpsilon<Real>);
  return std::min(kSameSpeed * one_cell, kSameDigits * std::sqrt(2 * std::max(motion, 0.0)));
}

// Whether a solve within its tolerance has ended above the potential of staying where all is,
// `rest` (J), which no body at rest forbids: energy would come from nowhere. The tolerance is a
// share of what guesses tear apart at contacts, which in a step of many periods of a stiff material
// may be more than all of the motion.
inline bool is_above_rest(double energy, double rest) {
  constexpr double kSlack = 1e-3;
  return energy > (1 + kSlack) * rest;
}
// The imbalance below which that cannot be: at most its square over two is left of the potential,
// as no direction is softer than inertia.
inline double least_at_rest(double rest) {
  constexpr double kPart = 1e-4;
  return std::sqrt(2 * kPart * std::max(rest, 0.0));
}

// Whether one linear solve has ended where the laws are nothing like what they were at its begin:
// Newton's method lets the potential only fall, and a step whose potential grows brings energy from
// nowhere. What moves nodes by a thousandth of a cell (`one_cell`: of a cell per step, m/s) is
// none.
inline bool is_unstable(const NewtonReport& report, const NewtonSums& end, double one_cell) {
  constexpr double kGrown = 2, kStill = 1e-3;
  const double least = 0.5 * end.mass * kStill * one_cell * kStill * one_cell;
  return !(end.energy <= kGrown * report.energy_before + least);
}

// By their potentials, or where these differ by rounding alone (a share of them), which a stiff
// body has enough of for all others, by their imbalance.
inline bool is_better_guess(const NewtonSums& a, const NewtonSums& b, double rounding) {
  if (!std::isfinite(a.energy) || !std::isfinite(a.imbalance)) return false;
  if (!std::isfinite(b.energy) || !std::isfinite(b.imbalance)) return true;
  const double hidden = rounding * std::max(std::abs(a.energy), std::abs(b.energy));
  if (std::abs(a.energy - b.energy) > hidden) return a.energy < b.energy;
  return a.imbalance <= b.imbalance;
}

// Whether a share of a direction keeps enough of what the slope promises: of the first Wolfe
// condition, or, where energies differ by rounding alone, of what slopes say [Hager & Zhang 2005].
inline bool is_lower(const NewtonSums& there, const NewtonSums& now, double share,
                     double rounding) {
  constexpr double kArmijo = 1e-4;
  if (!std::isfinite(there.energy) || !std::isfinite(there.imbalance)) return false;
  if (there.energy <= now.energy + kArmijo * share * there.first_slope) return true;
  return std::abs(there.energy - now.energy) <= rounding * std::abs(now.energy) &&
         std::abs(there.slope) <= 0.9 * std::abs(there.first_slope) &&
         there.imbalance < now.imbalance;
}

// Whether what is left is what rounding does to stresses, which no velocities take away: of which
// up to 1.8 times what is known of it was measured, without momentum, of which stresses have none
// where nothing holds the material.
inline bool is_of_rounding(double imbalance, const NewtonSums& now, double reference) {
  constexpr double kKnown = 2, kSmall = 0.02;
  return imbalance <= kKnown * std::sqrt(now.rounding) &&
         std::sqrt(now.net) <= kSmall * reference && std::sqrt(now.turned) <= kSmall * reference;
}

// Whether what is out of balance at v* is rounding, of what has come to rest where nothing pulls at
// it: a solve finds nothing in that but momentum that is none, and v* has the right one.
inline bool is_noise(const NewtonSums& at_target) {
  constexpr double kKnown = 8;
  return std::sqrt(at_target.imbalance) <= kKnown * std::sqrt(at_target.rounding);
}

// Whether a solve may end where energies, in their last digits, tell nothing of what is left: that
// of rounding, or a small part of what was out of balance as the step began.
inline bool is_hidden(const NewtonReport& report, const NewtonSums& now, double reference) {
  constexpr double kSmall = 0.02;
  return report.imbalance <= std::max(report.tolerance, kSmall * reference) ||
         is_of_rounding(report.imbalance, now, reference);
}

}  // namespace firn
