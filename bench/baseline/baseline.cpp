#include "bench/baseline/baseline.h"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "bench/baseline/measure.h"
#include "bench/baseline/physics.h"
#include "firn/error.h"

namespace firn::baseline {
namespace {

struct Lame {
  double mu, lambda;
};
Lame lame(const Parameters& p) {
  const double nu = p.poisson_ratio;
  return {p.youngs_modulus / (2 * (1 + nu)), p.youngs_modulus * nu / ((1 + nu) * (1 - 2 * nu))};
}

template <bool Atomic>
void add(float& target, float value) {
  if constexpr (Atomic) {
#pragma omp atomic
    target += value;
  } else {
    target += value;
  }
}

}  // namespace

Grid make_grid(std::span<const float> positions, const Parameters& p) {
  if (positions.size() < 3)
    throw Error(ErrorCategory::kScene, "the baseline needs at least one particle");
  Grid grid{};
  grid.dx = static_cast<float>(p.dx);
  grid.inv_dx = static_cast<float>(1 / p.dx);
  // A node at the floor's height is held however the quotient rounds.
  grid.floor = static_cast<int>(std::floor(p.floor / p.dx + 1e-3));
  for (std::size_t a = 0; a < 3; ++a) {
    float lowest = positions[a], highest = positions[a];
    for (std::size_t i = a; i < positions.size(); i += 3) {
      lowest = std::min(lowest, positions[i]);
      highest = std::max(highest, positions[i]);
    }
    grid.origin[a] = static_cast<int>(std::floor(lowest / p.dx)) - p.margin;
    grid.size[a] = static_cast<int>(std::ceil(highest / p.dx)) + p.margin + 1 - grid.origin[a];
  }
  return grid;
}

std::vector<Vec3f> as_vectors(std::span<const float> xyz) {
  std::vector<Vec3f> vectors(xyz.size() / 3);
  for (std::size_t i = 0; i < vectors.size(); ++i)
    vectors[i] = {{xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]}};
  return vectors;
}

Vec3f initial_velocity(const Parameters& p) {
  const auto& v = p.initial_velocity;
  return {{static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])}};
}

Law make_law(const Parameters& p) {
  const auto [mu, lambda] = lame(p);
  return {static_cast<float>(p.density * p.volume), static_cast<float>(p.volume),
          static_cast<float>(mu), static_cast<float>(lambda), static_cast<float>(p.gravity)};
}

float stable_step(const Parameters& p) {
  const auto [mu, lambda] = lame(p);
  return static_cast<float>(0.5 * p.dx / std::sqrt((lambda + 2 * mu) / p.density));
}

struct Baseline::State {
  Grid grid;
  Law law;
  int threads;
  std::vector<Vec3f> x, v;
  std::vector<Mat3f> C, F;
  std::vector<GridNode> nodes;

  State(std::span<const float> positions, const Parameters& p, int thread_count)
      : grid(make_grid(positions, p)),
        law(make_law(p)),
        threads(thread_count > 0 ? thread_count : omp_get_num_procs()),
        x(as_vectors(positions)),
        v(x.size(), initial_velocity(p)),
        C(x.size(), Mat3f::zero()),
        F(x.size(), Mat3f::identity()),
        nodes(static_cast<std::size_t>(grid.nodes())) {}

  template <bool Atomic>
  void p2g(float dt) {
#pragma omp parallel for num_threads(threads)
    for (std::size_t p = 0; p < x.size(); ++p) {
      const Stencil stencil(x[p], grid);
      if (!stencil.inside) continue;
      const Mat3f affine = affine_momentum(law, grid, F[p], C[p], dt);
      scatter(stencil, grid, law, v[p], affine, nodes.data(), add<Atomic>);
    }
  }

  void update_grid(float dt) {
#pragma omp parallel for num_threads(threads)
    for (std::size_t i = 0; i < nodes.size(); ++i)
      update_node(grid, law, dt, static_cast<std::int64_t>(i), nodes[i]);
  }

  // Whether all particles were on the grid.
  bool g2p(float dt) {
    bool inside = true;
#pragma omp parallel for num_threads(threads) reduction(&& : inside)
    for (std::size_t p = 0; p < x.size(); ++p) {
      const Stencil stencil(x[p], grid);
      inside = inside && stencil.inside;
      if (stencil.inside) gather(stencil, grid, nodes.data(), dt, x[p], v[p], C[p], F[p]);
    }
    return inside;
  }

  void clear_grid() {
#pragma omp parallel for num_threads(threads)
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = {};
  }
};

Baseline::Baseline(std::span<const float> positions, const Parameters& parameters, int threads)
    : state_(std::make_unique<State>(positions, parameters, threads)) {}
Baseline::~Baseline() = default;

void Baseline::step(float dt) {
  state_->clear_grid();
  if (state_->threads == 1)
    state_->p2g<false>(dt);
  else
    state_->p2g<true>(dt);
  state_->update_grid(dt);
  if (!state_->g2p(dt))
    throw Error(ErrorCategory::kDiverged,
                "baseline: a particle has left the grid; use a larger margin or a smaller step");
}

std::span<const float> Baseline::positions() const {
  return {state_->x.front().v, 3 * state_->x.size()};
}
std::span<const float> Baseline::velocities() const {
  return {state_->v.front().v, 3 * state_->v.size()};
}
std::int64_t Baseline::particles() const { return static_cast<std::int64_t>(state_->x.size()); }

Figures measure_cpu(const Parameters& parameters, std::span<const float> positions, int steps,
                    int threads) {
  Baseline run(positions, parameters, threads);
  return measure_steps(run, stable_step(parameters), steps, [] {});
}

}  // namespace firn::baseline
