// Manufactured solutions: the body force that makes a chosen motion exact is given to the engine,
// and the error of the motion it computes must fall with the square of the grid spacing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "tests/support/forces.h"
#include "tests/support/validation.h"

namespace firn {
namespace {

using std::numbers::pi;
using test::field;

Material neo_hookean(double E, double nu, double density) {
  Material m;
  m.name = "neo-Hookean";
  m.model = MaterialModel::kNeoHookean;
  m.density = density;
  m.youngs_modulus = E;
  m.poisson_ratio = nu;
  return m;
}

// A force b(particle, t) as the engine takes it. The first kick is halved: velocities are then
// those of half steps, which makes the symplectic Euler scheme second order (the bodies start free
// of stress).
Force staggered(std::function<Vec3(std::uint32_t, double)> b) {
  return test::force_of([b](std::uint32_t id, double t) {
    Vec3 force = b(id, t);
    if (t == 0)
      for (double& f : force) f *= 0.5;
    return force;
  });
}

// --- one-dimensional ---

// A standing wave u(X, t) that starts at u = 0.
struct Wave {
  Material material;
  double speed;                                // c of the solution, m/s
  std::string velocity;                        // u_t(X, 0) as an expression of x
  std::function<double(double, double)> u, b;  // of X and t
};

// [Steffen et al. 2008, eq. 47-49]: u = A sin(2 pi X) cos(pi c t'), P = E/2 (F - 1/F),
// b = c^2 pi^2 u (1 + 2/F^2). Time starts at c t' = 1/2, where the bar passes its undeformed state.
Wave steffen() {
  const double A = 0.05, E = 100, rho = 1, c = std::sqrt(E / rho);
  const auto phase = [=](double t) { return pi * (c * t + 0.5); };
  Wave w{neo_hookean(E, 0, rho), c, "-0.05*_pi*10*sin(2*_pi*x)", {}, {}};
  w.u = [=](double X, double t) { return A * std::sin(2 * pi * X) * std::cos(phase(t)); };
  w.b = [=, u = w.u](double X, double t) {
    const double F = 1 + 2 * pi * A * std::cos(2 * pi * X) * std::cos(phase(t));
    return c * c * pi * pi * u(X, t) * (1 + 2 / (F * F));
  };
  return w;
}

// [Wallstedt & Guilkey 2008], one axis of the axis-aligned solution with phi = 0: u = A sin(pi X)
// sin(pi c t), b = pi^2 u (mu/rho - c^2 - (lambda (ln J - 1) - mu) / (rho F^2)).
Wave axis_aligned() {
  const double A = 0.05, E = 1e4, nu = 0.3, rho = 1, c = std::sqrt(E);
  const double mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
  Wave w{neo_hookean(E, nu, rho), c, "0.05*_pi*100*sin(_pi*x)", {}, {}};
  w.u = [=](double X, double t) { return A * std::sin(pi * X) * std::sin(pi * c * t); };
  w.b = [=, u = w.u](double X, double t) {
    const double F = 1 + pi * A * std::cos(pi * X) * std::sin(pi * c * t);
    return pi * pi * u(X, t) *
           (mu / rho - c * c - (lambda * (std::log(F) - 1) - mu) / (rho * F * F));
  };
  return w;
}

// Largest root mean square of the displacement's error over the particles with 0 <= X <= 1, of
// eight instants up to c t = 1. There is no periodic boundary, and a wall in a node of the solution
// is not the mirror that the odd solution has there, since nodes behind a wall are held at rest. So
// the bar reaches two units further on both sides, more than a disturbance of its ends travels (at
// most 1.4 c).
double wave_error(const Wave& wave, double h, int kernel) {
  Scene scene = test::plane_scene(wave.material, h, 0.2 * h / wave.speed);
  test::add_row(scene, -2, 3, 16);
  scene.bodies[0].velocity.component[0] = field(wave.velocity);
  scene.transfer.kernel = kernel;
  if (kernel == 1) scene.transfer.force = ForceForm::kGradient;
  scene.simulation.fps = 8 * wave.speed;
  Simulation sim(scene, test::kOneThread);
  const std::vector<float> start = sim.snapshot().position;
  sim.set_force(staggered([&](std::uint32_t id, double t) {
    return Vec3{wave.b(start[2 * id], t), 0, 0};
  }));
  double largest = 0;
  for (int frame = 1; frame <= 8; ++frame) {
    sim.advance_frame();
    const Snapshot now = sim.snapshot();
    double sum = 0;
    int count = 0;
    for (std::size_t p = 0; p < now.size(); ++p) {
      const double X = start[2 * p];
      if (X < 0 || X > 1) continue;
      const double e = now.position[2 * p] - X - wave.u(X, sim.stats().time);
      sum += e * e;
      ++count;
    }
    largest = std::max(largest, std::sqrt(sum / count));
  }
  return largest;
}

std::vector<double> wave_errors(const Wave& wave, const std::vector<double>& h, int kernel) {
  std::vector<double> errors;
  for (double spacing : h) errors.push_back(wave_error(wave, spacing, kernel));
  return errors;
}

const std::vector<double> kSpacings{1.0 / 16, 1.0 / 32, 1.0 / 64, 1.0 / 128};

TEST(Manufactured, SteffenIsSecondOrderWithTheQuadraticKernel) {
  const auto errors = wave_errors(steffen(), kSpacings, 2);
  EXPECT_GE(test::fitted_slope(kSpacings, errors), 1.9);
}
TEST(Manufactured, AxisAlignedIsSecondOrderWithTheQuadraticKernel) {
  const auto errors = wave_errors(axis_aligned(), kSpacings, 2);
  EXPECT_GE(test::fitted_slope(kSpacings, errors), 1.9);
}
// Its stress jumps when a particle crosses into the next cell, and the finer the grid the more
// often that happens.
TEST(Manufactured, LinearKernelStalls) {
  const std::vector<double> h{1.0 / 16, 1.0 / 32, 1.0 / 64};
  for (const Wave& wave : {steffen(), axis_aligned()}) {
    const auto errors = wave_errors(wave, h, 1);
    EXPECT_LE(test::fitted_slope(h, errors), 0.5);
    EXPECT_GE(errors.back(), 10 * wave_error(wave, h.back(), 2));
  }
}

// --- the generalised vortex ---

// x = Rot(alpha) X, alpha = A sin(pi t) h(R) in a ring; its specific body force
// [Kamojjala & Brannon 2011].
class Vortex {
 public:
  static constexpr double kE = 1e6, kNu = 0.3, kRho = 1000;
  explicit Vortex(double A) : A_(A) {}
  static double profile(double R) {
    const double s = (R - 1) * (R - 1);
    return 1 - 32 * s + 256 * s * s;
  }
  static double profile_slope(double R) {
    const double s = R - 1;
    return -64 * s + 1024 * s * s * s;
  }
  double angle(double R, double t) const { return A_ * std::sin(pi * t) * profile(R); }
  Vec3 force(double X, double Y, double t) const {
    const double R = std::hypot(X, Y), h = profile(R), mu = kE / (2 * (1 + kNu));
    const double spin = A_ * pi * std::cos(pi * t) * h,
                 twist = A_ * std::sin(pi * t) * profile_slope(R);
    const double b_r = -R * spin * spin + mu / kRho * R * twist * twist;
    const double b_t = -A_ * std::sin(pi * t) *
                       (R * pi * pi * h + 64 * mu / kRho * (((96 * R - 240) * R + 188) * R - 45));
    const double alpha = angle(R, t), c = std::cos(alpha), s = std::sin(alpha);
    const double x = (c * X - s * Y) / R, y = (s * X + c * Y) / R;
    return {x * b_r - y * b_t, y * b_r + x * b_t, 0};
  }

 private:
  double A_;
};

// Reference: samples of the published force at A = pi.
TEST(Manufactured, VortexForceIsThePublishedOne) {
  const double samples[][5] = {
      {0.764269191300485, 0.236416165329072, 0, -1.2504198138757, -0.386800175661871},
      {0.764269191300485, 0.236416165329072, 0.25, 55700.3670480601, -25437.8038639597},
      {0.40823650928302, 0.802086624055292, 0.25, -49290.0871964386, 12035.050046011},
      {0.40823650928302, 0.802086624055292, 0.5, -94321.9465521547, -33631.1659695775}};
  const Vortex vortex(pi);
  for (const auto& s : samples) {
    const Vec3 b = vortex.force(s[0], s[1], s[2]);
    EXPECT_NEAR(b[0], s[3], 1e-8 * std::hypot(s[3], s[4]));
    EXPECT_NEAR(b[1], s[4], 1e-8 * std::hypot(s[3], s[4]));
  }
}

Shape disc(double radius) {
  Shape s;
  s.radius = radius;
  return s;
}
Shape outside_of(double radius) {
  Shape s;
  s.type = ShapeType::kDifference;
  s.children = {test::box({-3, -3, 0}, {3, 3, 0}), disc(radius)};
  return s;
}

// L2 error of the position at the moment of the largest twist, with A = 0.1.
double vortex_error(double h) {
  const Vortex vortex(0.1);
  Scene scene =
      test::plane_scene(neo_hookean(Vortex::kE, Vortex::kNu, Vortex::kRho), h, 0.8 * h / 36.7);
  scene.simulation.fps = 2;
  Body ring;
  ring.name = "ring";
  ring.shape.type = ShapeType::kDifference;
  ring.shape.children = {disc(1.25), disc(0.75)};
  ring.sampling = Sampling::kUniform;
  const std::string spin = "0.1*_pi*(1-32*(sqrt(x^2+y^2)-1)^2+256*(sqrt(x^2+y^2)-1)^4)";
  ring.velocity.component = {field("-y*" + spin), field("x*" + spin), {}};
  scene.bodies = {ring};
  for (const Shape& wall : {disc(0.75), outside_of(1.25)}) {
    Collider c;
    c.shape = wall;
    scene.colliders.push_back(c);
  }
  Simulation sim(scene, test::kOneThread);
  const std::vector<float> start = sim.snapshot().position;
  sim.set_force(staggered([&](std::uint32_t id, double t) {
    return vortex.force(start[2 * id], start[2 * id + 1], t);
  }));
  sim.advance_frame();
  const Snapshot now = sim.snapshot();
  double sum = 0;
  for (std::size_t p = 0; p < now.size(); ++p) {
    const double X = start[2 * p], Y = start[2 * p + 1], a = vortex.angle(std::hypot(X, Y), 0.5);
    const double ex = now.position[2 * p] - (std::cos(a) * X - std::sin(a) * Y);
    const double ey = now.position[2 * p + 1] - (std::sin(a) * X + std::cos(a) * Y);
    sum += ex * ex + ey * ey;
  }
  return std::sqrt(sum / static_cast<double>(now.size()));
}

TEST(Manufactured, VortexIsSecondOrder) {
  const std::vector<double> h{1.0 / 16, 1.0 / 32, 1.0 / 64};
  std::vector<double> errors;
  for (double spacing : h) errors.push_back(vortex_error(spacing));
  EXPECT_GE(test::fitted_slope(h, errors), 1.8);
}

}  // namespace
}  // namespace firn
