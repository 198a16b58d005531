// Rigid bodies that material moves: their state, its free motion, and the linear system for the
// velocity that a body will have when it shares momentum with the nodes it touches. All in double
// and in three dimensions: in 2D a body turns about z and keeps to the plane.
//
// The system is that of a perfectly inelastic contact of the body with all nodes at once (as Batty
// et al. 2007 solve for body and fluid at once): with u = (v, omega), A_i = [I, -[r_i]x] and the
// shares N_i of contact_shares,
//   (M + sum A_i^T m_i N_i A_i) u' = M u + sum A_i^T m_i N_i v_i.
// Every node then loses m_i N_i (v_i - A_i u'), and the body gains just that. In a frame that moves
// with u' the energy changes by sum m_i r_i (N_i^2 / 2 - N_i) r_i - |u' - u|_M^2 / 2, r_i the
// relative velocity, which is never positive for 0 <= N_i <= I: whatever the ratio of the masses, a
// light body needs no shorter step.
#pragma once

#include "kernels/collide/boundary.h"
#include "kernels/collide/rigid_motion.h"

namespace firn {

// What of a body changes, and is saved.
struct RigidBody {
  double orientation[4];    // unit quaternion (x, y, z, w): rotates the scene's axes to the body's
  Vec<double, 3> center;    // of mass, m
  Vec<double, 3> velocity;  // of the centre, m/s
  Vec<double, 3> spin;      // angular momentum about the centre, kg m^2/s
  Vec<double, 3> before;    // velocity of the centre when the step began, m/s
};

// What does not.
struct RigidMass {
  double mass;             // kg
  Vec<double, 3> center;   // of mass, as the scene has the body, m
  Mat<double, 3> inertia;  // about the centre, likewise, kg m^2; 2D: zz on the whole diagonal
  Mat<double, 3> inverse_inertia;  // 1/(kg m^2)
  double radius;                   // of the smallest ball about the centre that holds it, m
};

// Velocity of the centre of mass and angular velocity.
struct RigidVelocity {
  Vec<double, 3> linear, angular;
};

namespace rigid {

FIRN_HD inline Mat<double, 3> rotation_of(const double (&q)[4]) {
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
           {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
           {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

// Turns q by |turn| about `turn` and makes it a unit quaternion again.
FIRN_HD inline void turn_by(double (&q)[4], const Vec<double, 3>& turn) {
  const double angle = norm(turn);
  const double share = angle > 0 ? std::sin(0.5 * angle) / angle : 0.5, c = std::cos(0.5 * angle);
  const Vec<double, 3> s = share * turn, a = {{q[0], q[1], q[2]}};
  const Vec<double, 3> imaginary = c * a + q[3] * s + cross(s, a);
  const double real = c * q[3] - dot(s, a);
  const double scale = 1 / std::sqrt(norm_squared(imaginary) + real * real);
  for (int i = 0; i < 3; ++i) q[i] = scale * imaginary[i];
  q[3] = scale * real;
}

FIRN_HD inline Mat<double, 3> world_inertia(const RigidMass& mass, const Mat<double, 3>& R) {
  return R * mass.inertia * transpose(R);
}
// omega = R I^-1 R^T L
FIRN_HD inline Vec<double, 3> angular_velocity(const RigidMass& mass, const RigidBody& body) {
  const Mat<double, 3> R = rotation_of(body.orientation);
  return R * (mass.inverse_inertia * (transpose(R) * body.spin));
}

// Free motion over a step: the centre with the velocity at its end, as particles move; the rotation
// by the midpoint rule, which is of second order and needs no solve, in turns so small that a body
// that spins fast keeps its energy. The angular momentum is not touched, so torque-free bodies keep
// it exactly.
FIRN_HD inline void move(const RigidMass& mass, double dt, RigidBody& body) {
  constexpr double kTurn = 0.02, kMostTurns = 256;  // rad
  body.center += dt * body.velocity;
  const double turns = norm(angular_velocity(mass, body)) * dt / kTurn;
  const int parts = turns > 1 ? static_cast<int>(min(turns, kMostTurns)) + 1 : 1;
  const double part = dt / parts;
  for (int i = 0; i < parts; ++i) {
    RigidBody middle = body;
    turn_by(middle.orientation, (0.5 * part) * angular_velocity(mass, body));
    turn_by(body.orientation, part * angular_velocity(mass, middle));
  }
}

// The pose that takes the scene's coordinates to where the body is.
template <class Real>
FIRN_HD inline RigidPose<Real> pose_of(const RigidMass& mass, const RigidBody& body,
                                       const RigidVelocity& u) {
  const Mat<double, 3> R = rotation_of(body.orientation);
  return cast<Real>(RigidPose<double>{R, body.center - mass.center, mass.center, u.linear,
                                      u.angular, Vec<double, 3>::zero()});
}

}  // namespace rigid

// The unknowns are the velocity and the angular velocity: v_x, v_y, omega_z in 2D, six in 3D. Sums
// over nodes hold the lower triangle of the matrix by rows, then the right-hand side.
template <int D>
struct ContactSystem {
  static constexpr int kUnknowns = D == 2 ? 3 : 6;
  static constexpr int kMatrix = kUnknowns * (kUnknowns + 1) / 2;
  static constexpr int kColumns = kMatrix + kUnknowns;
  using Unknowns = Vec<double, kUnknowns>;

  // A^T p = (p, r x p)
  FIRN_HD static Unknowns transposed(const Vec<double, D>& r, const Vec<double, D>& p) {
    Unknowns u;
    for (int a = 0; a < D; ++a) u[a] = p[a];
    if constexpr (D == 2) {
      u[2] = r[0] * p[1] - r[1] * p[0];
    } else {
      const Vec<double, 3> moment = cross(r, p);
      for (int a = 0; a < 3; ++a) u[3 + a] = moment[a];
    }
    return u;
  }

  FIRN_HD static void add_square(double* sums, double weight, const Unknowns& u) {
    for (int i = 0, k = 0; i < kUnknowns; ++i)
      for (int j = 0; j <= i; ++j, ++k) sums[k] += weight * u[i] * u[j];
  }

  // A node of mass m and velocity v at r from the centre, where the surface has the normal n.
  FIRN_HD static void add_node(double* sums, double m, const Vec<double, D>& r,
                               const Vec<double, D>& v, const Vec<double, D>& n,
                               const ContactShares<double>& shares) {
    const double along = shares.normal - shares.tangential;
    add_square(sums, m * along, transposed(r, n));
    for (int a = 0; a < D && shares.tangential > 0; ++a) {
      Vec<double, D> axis = Vec<double, D>::zero();
      axis[a] = 1;
      add_square(sums, m * shares.tangential, transposed(r, axis));
    }
    const Unknowns rhs = transposed(r, (m * shares.tangential) * v + (m * along * dot(v, n)) * n);
    for (int i = 0; i < kUnknowns; ++i) sums[kMatrix + i] += rhs[i];
  }

  // u' of a body whose velocity without contact is `free`. `inertia` is that of the world's axes.
  FIRN_HD static RigidVelocity solve(const double* sums, double mass, const Mat<double, 3>& inertia,
                                     const RigidVelocity& free) {
    double a[kUnknowns][kUnknowns];
    Unknowns x;
    for (int i = 0, k = 0; i < kUnknowns; ++i) {
      for (int j = 0; j <= i; ++j, ++k) a[i][j] = sums[k];
      x[i] = sums[kMatrix + i];
    }
    const Vec<double, 3> spin = inertia * free.angular;
    for (int i = 0; i < D; ++i) {
      a[i][i] += mass;
      x[i] += mass * free.linear[i];
    }
    constexpr int kSpins = kUnknowns - D, kAxis = 3 - kSpins;  // 2D: about z alone
    for (int i = 0; i < kSpins; ++i) {
      for (int j = 0; j <= i; ++j) a[D + i][D + j] += inertia(kAxis + i, kAxis + j);
      x[D + i] += spin[kAxis + i];
    }
    solve_cholesky(a, x);
    RigidVelocity u{Vec<double, 3>::zero(), Vec<double, 3>::zero()};
    for (int i = 0; i < D; ++i) u.linear[i] = x[i];
    for (int i = 0; i < kSpins; ++i) u.angular[kAxis + i] = x[D + i];
    return u;
  }

 private:
  // Of a positive definite matrix, given by its lower triangle: the mass sees to that.
  FIRN_HD static void solve_cholesky(double (&a)[kUnknowns][kUnknowns], Unknowns& x) {
    for (int i = 0; i < kUnknowns; ++i) {
      for (int j = 0; j <= i; ++j) {
        double sum = a[i][j];
        for (int k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
        a[i][j] = i == j ? std::sqrt(sum) : sum / a[j][j];
      }
      for (int k = 0; k < i; ++k) x[i] -= a[i][k] * x[k];
      x[i] /= a[i][i];
    }
    for (int i = kUnknowns - 1; i >= 0; --i) {
      for (int k = i + 1; k < kUnknowns; ++k) x[i] -= a[k][i] * x[k];
      x[i] /= a[i][i];
    }
  }
};

}  // namespace firn
