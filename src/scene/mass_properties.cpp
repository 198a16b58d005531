#include "src/scene/mass_properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "src/scene/integrator_traits.h"

namespace firn {
namespace {

using Vector = Vec<double, 3>;
using Matrix = Mat<double, 3>;

[[noreturn]] void fail(const std::string& what, std::string_view message) {
  throw Error(ErrorCategory::kScene, fmt::format("{}: {}", what, message));
}

// The share of a box with the half edges `half` where phi + n (x - centre) <= 0: with
// a_k = 2 half_k |n_k| and alpha the value to reach from the lowest corner,
//   1 / (d! prod a_k) sum over subsets S of the axes of (-1)^|S| max(0, alpha - sum_S a_k)^d.
double share_below_plane(int dimension, double phi, const Vec3& n, const Vector& half) {
  double a[3], sum = 0;
  for (int k = 0; k < dimension; ++k) sum += a[k] = 2 * half[k] * std::abs(n[k]);
  // A plane along an axis is tilted by 1e-4, so that nothing is divided by zero: what the sum then
  // loses to cancellation stays below 1e-16 / 1e-8.
  double total = 0, product = 1;
  for (int k = 0; k < dimension; ++k) {
    a[k] = std::max(a[k], 1e-4 * sum);
    total += a[k];
    product *= a[k] * (k + 1);
  }
  const double alpha = 0.5 * total - phi;
  if (alpha <= 0 || alpha >= total) return alpha <= 0 ? 0 : 1;
  double share = 0;
  for (int subset = 0; subset < 1 << dimension; ++subset) {
    double rest = alpha, sign = 1;
    for (int k = 0; k < dimension; ++k)
      if ((subset >> k & 1) != 0) {
        rest -= a[k];
        sign = -sign;
      }
    if (rest > 0) share += sign * std::pow(rest, dimension);
  }
  return std::clamp(share / product, 0.0, 1.0);
}

// Volume and its first two moments about the middle of the shape's bounds.
class Integral {
 public:
  explicit Integral(const CompiledShape& shape) : shape_(shape) {
    Vector half = Vector::zero();
    for (int k = 0; k < shape.dimension; ++k) {
      middle_[k] = 0.5 * (shape.min[k] + shape.max[k]);
      half[k] = 0.5 * (shape.max[k] - shape.min[k]);
    }
    add(middle_, half, shape.dimension == 3 ? 7 : 9);
  }

  double volume() const { return volume_; }
  Vector center() const { return middle_ + first_ * (1 / volume_); }
  // Of the squares of coordinates about the centre.
  Matrix second() const { return second_ + (-1 / volume_) * outer(first_, first_); }
  // Up to the size of the last cells, which is added.
  double radius() const {
    double farthest = 0;
    for (const Vector& x : surface_) farthest = std::max(farthest, norm(x - center()));
    return farthest + cell_;
  }

 private:
  void add(const Vector& x, const Vector& half, int level) {
    const double phi = distance(shape_, {x[0], x[1], x[2]}), reach = norm(half);
    if (phi >= reach) return;
    if (phi <= -reach) return add_cell(x, half, 1);
    if (level == 0) {
      const double smallest = *std::min_element(&half[0], &half[0] + shape_.dimension);
      const Vec3 n = normal(shape_, {x[0], x[1], x[2]}, 0.2 * smallest);
      surface_.push_back(x);
      cell_ = reach;
      return add_cell(x, half, share_below_plane(shape_.dimension, phi, n, half));
    }
    for (int corner = 0; corner < 1 << shape_.dimension; ++corner) {
      Vector child = x;
      for (int k = 0; k < shape_.dimension; ++k)
        child[k] += (corner >> k & 1) != 0 ? 0.5 * half[k] : -0.5 * half[k];
      add(child, 0.5 * half, level - 1);
    }
  }
  void add_cell(const Vector& x, const Vector& half, double share) {
    double volume = share;
    for (int k = 0; k < shape_.dimension; ++k) volume *= 2 * half[k];
    const Vector r = x - middle_;
    volume_ += volume;
    first_ += volume * r;
    second_ += volume * outer(r, r);
    for (int k = 0; k < 3; ++k) second_(k, k) += volume * half[k] * half[k] / 3;
  }

  const CompiledShape& shape_;
  Vector middle_ = Vector::zero(), first_ = Vector::zero();
  double volume_ = 0, cell_ = 0;
  Matrix second_ = Matrix::zero();
  std::vector<Vector> surface_;
};

void set_inertia(RigidMass& mass, const Matrix& inertia, const std::string& what) {
  const double xx = inertia(0, 0), minor = xx * inertia(1, 1) - inertia(0, 1) * inertia(1, 0);
  if (!(xx > 0 && minor > 0 && determinant(inertia) > 0))
    fail(what, "its inertia must be positive about every axis");
  mass.inertia = inertia;
  mass.inverse_inertia = inverse(inertia);
}

Matrix given_inertia(const std::vector<double>& values, int dimension, const std::string& what) {
  if (dimension == 2 && values.size() == 1) return Matrix::scaled_identity(values[0]);
  if (dimension == 3 && values.size() == 3)
    return Matrix::diagonal({{values[0], values[1], values[2]}});
  if (dimension == 3 && values.size() == 6)
    return {{{values[0], values[3], values[4]},
             {values[3], values[1], values[5]},
             {values[4], values[5], values[2]}}};
  fail(what, dimension == 2 ? "its inertia must be one number, about z"
                            : "its inertia must be three numbers (xx, yy, zz) or six (and xy, xz, "
                              "yz)");
}

// The second moments of the masses, tr(I)/2 - I, are those of none where they are negative along
// some axis.
void require_masses(const Matrix& inertia, const std::string& what) {
  const double half = 0.5 * (inertia(0, 0) + inertia(1, 1) + inertia(2, 2));
  const Matrix moments = Matrix::scaled_identity(half * (1 + 1e-9)) - inertia;
  const double minor = moments(0, 0) * moments(1, 1) - moments(0, 1) * moments(1, 0);
  if (!(moments(0, 0) >= 0 && moments(1, 1) >= 0 && moments(2, 2) >= 0 && minor >= 0 &&
        determinant(moments) >= -1e-9 * half * half * half))
    fail(what, "no mass has this inertia: about no axis is it more than about two others together");
}

RigidMass rigid_mass(const Scene& scene, const Collider& collider) {
  const std::string what = fmt::format("collider \"{}\"", collider.name);
  const Dynamics& dynamics = *collider.dynamics;
  if (!moves_colliders(scene))
    fail(what,
         "material moves it only under integrators \"explicit\" and, without viscosity, "
         "\"incompressible\"; remove its mass");
  if (collider.motion)
    fail(what, "it has a mass and key frames; either material moves it or they do");
  const bool positive = dynamics.mass == 0 ? dynamics.density > 0 && std::isfinite(dynamics.density)
                                           : dynamics.mass > 0 && std::isfinite(dynamics.mass);
  if (!positive || (dynamics.mass != 0 && dynamics.density != 0))
    fail(what, "it must have either a density > 0 or a mass > 0");
  const int dimension = scene.simulation.dimension;
  const CompiledShape shape = compile_shape(collider.shape, dimension, scene.grid.dx);
  RigidMass mass = mass_properties(shape, dynamics.mass > 0 ? 1.0 : dynamics.density, what);
  if (dynamics.mass > 0) {
    set_inertia(mass, (dynamics.mass / mass.mass) * mass.inertia, what);
    mass.mass = dynamics.mass;
  }
  if (!dynamics.inertia.empty()) {
    const Matrix inertia = given_inertia(dynamics.inertia, dimension, what);
    set_inertia(mass, inertia, what);
    if (dimension == 3) require_masses(inertia, what);
  }
  return mass;
}

}  // namespace

RigidMass mass_properties(const CompiledShape& shape, double density, const std::string& what) {
  if (!shape.bounded())
    fail(what,
         "its shape has no end (a half_space, or a height_field without 'base'), so it has no "
         "mass; intersect it with a box, or let it rest");
  const Integral of(shape);
  if (!(of.volume() > 0)) fail(what, "its shape is empty, so it has no mass");
  RigidMass mass;
  mass.mass = density * of.volume();
  mass.center = of.center();
  mass.radius = of.radius();
  const Matrix second = density * of.second();
  // In 2D about z, on the whole diagonal: it is then the same however the body is turned.
  const Matrix inertia = shape.dimension == 2 ? Matrix::scaled_identity(second(0, 0) + second(1, 1))
                                              : Matrix::scaled_identity(trace(second)) - second;
  set_inertia(mass, inertia, what);
  return mass;
}

std::vector<RigidMass> rigid_masses(const Scene& scene) {
  std::vector<RigidMass> masses;
  for (const Collider& collider : scene.colliders)
    if (collider.dynamics) masses.push_back(rigid_mass(scene, collider));
  return masses;
}

void check_motion(const Keyframes& motion, const std::string& what) {
  const std::size_t n = motion.times.size();
  const auto finite = [](const std::vector<Vec3>& list) {
    return std::all_of(list.begin(), list.end(), [](const Vec3& v) {
      return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
    });
  };
  if (n == 0) fail(what, "key frames need at least one time");
  for (std::size_t i = 0; i < n; ++i)
    if (!std::isfinite(motion.times[i]) || (i > 0 && !(motion.times[i] > motion.times[i - 1])))
      fail(what, "the times of key frames must be finite and increase");
  for (const auto* list : {&motion.translation, &motion.rotation})
    if ((!list->empty() && list->size() != n) || !finite(*list))
      fail(what,
           "key frames need as many translations and rotations as times, or none, all finite");
  if (!finite({motion.pivot})) fail(what, "the pivot of key frames must be finite");
}

}  // namespace firn
