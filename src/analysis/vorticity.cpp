#include "src/analysis/vorticity.h"

#include "kernels/math/mat.h"
#include "src/analysis/cell_lists.h"

namespace firn {
namespace {

// A fit counts if the particles around the node spread, in every direction, by at least a tenth of
// a cell. In a filled cell the squared spread is 1/4, at a flat surface still about 1/15.
constexpr double kLeastSpread = 0.01;

// N(z) of the quadratic B-spline at the node `k` of a stencil, z from particle to node in cells.
double spline_weight(int k, double z) {
  return k == 1 ? 0.75 - z * z : 0.5 * (1.5 - std::abs(z)) * (1.5 - std::abs(z));
}

// Sums of w m over the particles around a node, r from node to particle in cells.
template <int D>
struct Moments {
  double m = 0;
  Vec<double, D> r = Vec<double, D>::zero(), v = Vec<double, D>::zero();
  Mat<double, D> rr = Mat<double, D>::zero(), vr = Mat<double, D>::zero();
};

template <int D>
Vec<double, vorticity_components(D)> curl(const Mat<double, D>& g) {
  if constexpr (D == 2)
    return {{g(1, 0) - g(0, 1)}};
  else
    return {{g(2, 1) - g(1, 2), g(0, 2) - g(2, 0), g(1, 0) - g(0, 1)}};
}

template <int D>
class Vorticity {
 public:
  static constexpr int kComponents = vorticity_components(D);
  using Curl = Vec<double, kComponents>;

  Vorticity(const ParticleMotion& motion, const Lattice<D>& lattice)
      : motion_(motion), cells_(lattice, motion.position) {
    sort_particles();
    fits_.resize(cells_.size());
    parallel_for(cells_.size(), 0, [&](std::uint32_t node) { fits_[node] = fit(moments(node)); });
  }

  std::vector<float> at_particles() const {
    std::vector<float> result(motion_.mass.size() * kComponents, 0.0f);
    parallel_for(cells_.occupied(), 0, [&](std::uint32_t cell) {
      const auto nodes = cells_.stencil(cell, 1);
      for (std::uint32_t i = cells_.begin(cell); i < cells_.end(cell); ++i) {
        const Curl value = gather(particles_[i], nodes);
        for (int c = 0; c < kComponents; ++c)
          result[std::size_t{cells_.order()[i]} * kComponents + c] = static_cast<float>(value[c]);
      }
    });
    return result;
  }

 private:
  struct Particle {
    Vec<double, D> offset;  // in its cell, in cells
    Vec<float, D> velocity;
    float mass;
  };
  // The curl at a node times the weight of the fit: the inverse of the variance that noise of the
  // velocities gives to its gradient.
  struct Fit {
    Curl weighted = Curl::zero();
    double weight = 0;
  };

  void sort_particles() {
    const auto order = cells_.order();
    particles_.resize(order.size());
    const Lattice<D>& lattice = cells_.lattice();
    parallel_for(order.size(), 0, [&](std::size_t i) {
      const std::size_t p = order[i];
      for (int a = 0; a < D; ++a) {
        particles_[i].offset[a] = axis_base(double{motion_.position[p * D + a]},
                                            1 / lattice.spacing[a], stencil_shift<double>(2))
                                      .offset;
        particles_[i].velocity[a] = motion_.velocity[p * D + a];
      }
      particles_[i].mass = motion_.mass[p];
    });
  }

  static std::array<int, D> steps_of(int place) {
    std::array<int, D> k;
    for (int a = D - 1; a >= 0; --a, place /= 3) k[a] = place % 3;
    return k;
  }

  Moments<D> moments(std::uint32_t node) const {
    Moments<D> sums;
    const auto sources = cells_.stencil(node, -1);
    for (int s = 0; s < CellLists<D>::kStencil; ++s) {
      if (sources[s] == KeyTable::kNone) continue;
      const std::array<int, D> k = steps_of(s);
      for (std::uint32_t i = cells_.begin(sources[s]); i < cells_.end(sources[s]); ++i)
        accumulate(i, k, sums);
    }
    return sums;
  }

  void accumulate(std::uint32_t i, const std::array<int, D>& k, Moments<D>& sums) const {
    const Particle& particle = particles_[i];
    double m = particle.mass;
    Vec<double, D> r, v;
    for (int a = 0; a < D; ++a) {
      const double z = k[a] - 0.5 - particle.offset[a];
      m *= spline_weight(k[a], z);
      r[a] = -z;
      v[a] = particle.velocity[a];
    }
    sums.m += m;
    sums.r += m * r;
    sums.v += m * v;
    sums.rr += outer(m * r, r);
    sums.vr += outer(m * v, r);
  }

  // v(r) = v_0 + B r minimises sum w m |v(r_p) - v_p|^2: B = S_vr S_rr^-1 with central moments S.
  Fit fit(const Moments<D>& sums) const {
    if (!(sums.m > 0)) return {};
    const Vec<double, D> mean = sums.r * (1 / sums.m);
    const Mat<double, D> S_rr = sums.rr - outer(sums.r, mean), S_vr = sums.vr - outer(sums.v, mean);
    // All principal spreads are at least `least` only if the determinant is least^D or more; that
    // test first, since round-off of a vanishing determinant leaves nothing to divide by.
    const double least = kLeastSpread * sums.m, volume = determinant(S_rr);
    if (!(volume >= (D == 2 ? least * least : least * least * least))) return {};
    const double weight = volume / trace(cofactor(S_rr));  // 1 / trace(S_rr^-1)
    if (!(weight >= least)) return {};
    Mat<double, D> B = S_vr * inverse(S_rr);
    for (int a = 0; a < D; ++a)
      for (int b = 0; b < D; ++b) B(a, b) /= cells_.lattice().spacing[b];
    return {weight * curl(B), weight};
  }

  Curl gather(const Particle& particle,
              const std::array<std::uint32_t, CellLists<D>::kStencil>& nodes) const {
    Curl sum = Curl::zero();
    double total = 0;
    for (int s = 0; s < CellLists<D>::kStencil; ++s) {
      const std::array<int, D> k = steps_of(s);
      double w = 1;
      for (int a = 0; a < D; ++a) w *= spline_weight(k[a], k[a] - 0.5 - particle.offset[a]);
      sum += w * fits_[nodes[s]].weighted;
      total += w * fits_[nodes[s]].weight;
    }
    return total > 0 ? sum * (1 / total) : Curl::zero();
  }

  const ParticleMotion& motion_;
  CellLists<D> cells_;
  std::vector<Particle> particles_;  // in the order of the cells
  std::vector<Fit> fits_;            // by node
};

}  // namespace

std::vector<float> vorticity(const ParticleMotion& motion, double dx, const Vec3& period) {
  if (motion.dimension == 2) return Vorticity<2>(motion, Lattice<2>(dx, period)).at_particles();
  return Vorticity<3>(motion, Lattice<3>(dx, period)).at_particles();
}

std::vector<float> vorticity(const Snapshot& snapshot) {
  const std::size_t n = snapshot.size(), entries = n * snapshot.dimension;
  if (!(snapshot.dx > 0) || snapshot.velocity.size() != entries || snapshot.mass.size() != n)
    return {};
  return vorticity({snapshot.dimension, snapshot.position, snapshot.velocity, snapshot.mass},
                   snapshot.dx, snapshot.period);
}

}  // namespace firn
