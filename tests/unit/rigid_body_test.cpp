// Rigid bodies by themselves: free motion against closed forms, and the system of contact, which
// keeps momentum and never gains energy whatever the ratio of the masses.
#include "kernels/collide/rigid_body.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/spaces.h"

namespace firn {
namespace {

using Vector = Vec<double, 3>;
using Matrix = Mat<double, 3>;

RigidMass with_inertia(double mass, const Vector& moments) {
  const Matrix inertia = Matrix::diagonal(moments);
  return {mass, Vector::zero(), inertia, inverse(inertia), 1};
}
RigidBody spinning(const RigidMass& mass, const Vector& w) {
  return {{0, 0, 0, 1}, Vector::zero(), Vector::zero(), mass.inertia * w, Vector::zero()};
}
double energy(const RigidMass& mass, const RigidBody& body) {
  return 0.5 * dot(rigid::angular_velocity(mass, body), body.spin);
}

// The largest error of the energy over `time`.
double energy_error(const RigidMass& mass, RigidBody body, double time, int steps) {
  const double start = energy(mass, body);
  double worst = 0;
  for (int i = 0; i < steps; ++i) {
    rigid::move(mass, time / steps, body);
    worst = std::max(worst, std::abs(energy(mass, body) - start) / start);
  }
  return worst;
}

// About the middle axis, which is unstable: the body turns over again and again.
TEST(RigidBody, FreeSpinKeepsEnergyToSecondOrder) {
  const RigidMass mass = with_inertia(1, {{1, 2, 3}});
  const RigidBody body = spinning(mass, {{0.01, 1, 0.01}});
  const double coarse = energy_error(mass, body, 100, 10000),
               fine = energy_error(mass, body, 100, 20000);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_GT(coarse, 1e-10) << "nothing to measure";
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.3);
}

// Three tenths of a radian in a step, which by one midpoint double the energy.
TEST(RigidBody, FastSpinGainsNoEnergy) {
  const RigidMass mass = with_inertia(1, {{1, 2, 3.5}});
  EXPECT_LT(energy_error(mass, spinning(mass, {{30, 300, 15}}), 5, 5000), 1e-4);
}

// L is not touched, so what may drift is the rotation: it stays one, to the rounding of a step.
TEST(RigidBody, TenThousandStepsKeepMomentumAndRotation) {
  const RigidMass mass = with_inertia(1, {{1, 2, 3}});
  RigidBody body = spinning(mass, {{0.3, 1, -0.2}});
  const Vector spin = body.spin;
  for (int i = 0; i < 10000; ++i) rigid::move(mass, 0.01, body);
  const Matrix R = rigid::rotation_of(body.orientation);
  // Angular momentum anew, from how the body turns.
  const Vector again = rigid::world_inertia(mass, R) * rigid::angular_velocity(mass, body);
  const Matrix one = R * transpose(R);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(again[i], spin[i], 64 * kEpsilon<double> * norm(spin));
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(one(i, j), i == j ? 1 : 0, 16 * kEpsilon<double>);
  }
}

// The axis of a symmetric top goes around L with |L| / I_1.
double precession_error(int steps) {
  const RigidMass mass = with_inertia(1, {{2, 2, 3}});
  RigidBody body = spinning(mass, {{0.5, 0, 1}});
  const double time = 4, rate = norm(body.spin) / 2;
  for (int i = 0; i < steps; ++i) rigid::move(mass, time / steps, body);
  const Vector axis = rigid::rotation_of(body.orientation) * Vector{{0, 0, 1}},
               expected = rotation_from_vector((rate * time / norm(body.spin)) * body.spin) *
                          Vector{{0, 0, 1}};
  return norm(axis - expected);
}
TEST(RigidBody, SymmetricTopPrecesses) {
  const double coarse = precession_error(250), fine = precession_error(500);
  EXPECT_LT(coarse, 1e-2);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.2);
}

TEST(RigidBody, PoseIsThatOfTheBody) {
  const RigidMass mass = {2, {{1, 2, 3}}, Matrix::identity(), Matrix::identity(), 1};
  RigidBody body = {{0, 0, 0, 1}, {{4, 4, 4}}, {{0, 0, 0}}, {{0, 0, 0}}, {{0, 0, 0}}};
  rigid::turn_by(body.orientation, {{0.3, -0.5, 0.9}});
  const RigidPose<double> pose = rigid::pose_of<double>(mass, body, {{{1, 0, 0}}, {{0, 0, 2}}});
  const Matrix R = rotation_from_vector({{0.3, -0.5, 0.9}});
  const Vector x = {{1.5, 1.8, 3.3}}, expected = body.center + R * (x - mass.center),
               got = to_world(pose, x), v = velocity_at(pose, got),
               v_expected = Vector{{1, 0, 0}} + cross(Vector{{0, 0, 2}}, expected - body.center);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(got[i], expected[i], 32 * kEpsilon<double>);
    EXPECT_NEAR(v[i], v_expected[i], 32 * kEpsilon<double>);
  }
}

// --- contact ---

template <class S>
class Contact : public testing::Test {
 public:
  static constexpr int D = S::D;
  using Point = Vec<double, D>;
  using System = ContactSystem<D>;

  struct Touched {
    double m;
    Point r, v, n;
    ContactShares<double> shares;
  };

  double number() { return std::uniform_real_distribution<>(-1, 1)(random_); }
  Point point() {
    Point x;
    for (int a = 0; a < D; ++a) x[a] = number();
    return x;
  }
  Touched node(double scale) {
    Touched t{scale * (1.1 + number()), point(), point(), point(), {}};
    t.n *= 1 / norm(t.n);
    t.shares = {0.5 * (number() + 1), 0.5 * (number() + 1)};
    return t;
  }
  static Point at(const RigidVelocity& u, const Point& r) {
    return rigid::from_3d<D>(u.linear + cross(u.angular, rigid::to_3d(r)));
  }

 private:
  std::mt19937 random_{7};
};
TYPED_TEST_SUITE(Contact, test::Spaces);

// The body of mass 1 takes up exactly what its nodes lose, and no energy appears.
TYPED_TEST(Contact, KeepsMomentumAndGainsNoEnergy) {
  constexpr int D = TypeParam::D;
  using System = ContactSystem<D>;
  for (const double scale : {1e-6, 1e-3, 1.0, 1e3, 1e6}) {
    SCOPED_TRACE(scale);
    const RigidMass mass =
        with_inertia(1, D == 2 ? Vector{{0.3, 0.3, 0.3}} : Vector{{0.2, 0.3, 0.4}});
    RigidVelocity before{Vector::zero(), Vector::zero()};
    for (int a = 0; a < D; ++a) before.linear[a] = this->number();
    for (int a = D == 2 ? 2 : 0; a < 3; ++a) before.angular[a] = this->number();
    double sums[System::kColumns] = {};
    std::vector<typename Contact<TypeParam>::Touched> nodes;
    for (int i = 0; i < 20; ++i) {
      nodes.push_back(this->node(scale));
      const auto& t = nodes.back();
      System::add_node(sums, t.m, t.r, t.v, t.n, t.shares);
    }
    const RigidVelocity u = System::solve(sums, mass.mass, mass.inertia, before);

    Vector impulse = Vector::zero(), moment = Vector::zero();
    double change = 0, carried = 0;
    for (const auto& t : nodes) {
      const auto after = apply_shares(t.shares, t.v, this->at(u, t.r), t.n);
      const Vector taken = rigid::to_3d(t.m * (t.v - after));
      impulse += taken;
      moment += cross(rigid::to_3d(t.r), taken);
      change += 0.5 * t.m * (norm_squared(after) - norm_squared(t.v));
      carried += t.m;
    }
    // Twenty nodes of six products each; the sums hold up to `carried` of momentum.
    const double rounding = 20 * 6 * kEpsilon<double> * (1 + carried);
    const Vector spin = mass.inertia * (u.angular - before.angular);
    for (int a = 0; a < D; ++a)
      EXPECT_NEAR(impulse[a], u.linear[a] - before.linear[a], rounding) << a;
    for (int a = D == 2 ? 2 : 0; a < 3; ++a) EXPECT_NEAR(moment[a], spin[a], rounding) << a;
    const auto kinetic = [&](const RigidVelocity& w) {
      return 0.5 * (norm_squared(w.linear) + dot(w.angular, mass.inertia * w.angular));
    };
    change += kinetic(u) - kinetic(before);
    EXPECT_LT(change, rounding);
  }
}

// The matrix of shares is the boundary function.
TYPED_TEST(Contact, SharesAreTheBoundaryFunction) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  int rubbing = 0, stuck = 0, apart = 0;
  for (const BoundaryType type :
       {BoundaryType::kSticky, BoundaryType::kSlip, BoundaryType::kSeparate})
    for (const Real friction : {Real(0), Real(0.5), Real(3)})
      for (int i = 0; i < 50; ++i) {
        const auto t = this->node(1);
        Vec<Real, D> v, v_body, n;
        const auto w = this->point();
        for (int a = 0; a < D; ++a) {
          v[a] = static_cast<Real>(t.v[a]);
          v_body[a] = static_cast<Real>(w[a]);
          n[a] = static_cast<Real>(t.n[a]);
        }
        const ContactShares<Real> shares = contact_shares(type, friction, v, v_body, n);
        const auto expected = apply_boundary(type, friction, v, v_body, n),
                   got = apply_shares(shares, v, v_body, n);
        for (int a = 0; a < D; ++a)
          EXPECT_NEAR(got[a], expected[a], 32 * kEpsilon<Real> * (norm(v) + norm(v_body)));
        rubbing += shares.tangential > 0 && shares.tangential < 1;
        stuck += type == BoundaryType::kSeparate && shares.tangential == Real(1);
        apart += !shares.any();
      }
  EXPECT_GT(rubbing, 5);
  EXPECT_GT(stuck, 5);
  EXPECT_GT(apart, 5);
}

}  // namespace
}  // namespace firn
