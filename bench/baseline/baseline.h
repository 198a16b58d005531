// What Firn's speed is compared with: MLS-MPM as the well-known short programs write it, in 3D. One
// dense grid, one loop over the particles that scatters with the stress evaluated on the fly, one
// over the nodes, one that gathers; where particles share nodes, atomic adds. The physics and the
// single precision are those of `firn bench`: quadratic B-splines, APIC, fixed corotated
// elasticity, symplectic Euler, gravity along -y, a sticky floor. Particles stay in the order in
// which they are given: a caller who hands over a lattice row by row gives it the best locality.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace firn::baseline {

struct Parameters {         // SI units
  double dx = 0.01;         // grid spacing
  double volume = 1.25e-7;  // of each particle at rest: eight per cell
  double density = 1000, youngs_modulus = 1e5, poisson_ratio = 0.3;
  double gravity = 9.81;
  double floor = 0.08;  // nodes up to this height do not move
  std::array<double, 3> initial_velocity{};
  int margin = 8;  // cells of grid around the box of the first positions
};

// Half of what an elastic wave takes to cross a cell of material at rest, as Firn's default.
float stable_step(const Parameters& parameters);

// On the CPU. One thread adds to the grid plainly, several add atomically, which can cost more than
// a second core gains: the baseline's speed on n cores is that of its best number of threads.
class Baseline {
 public:
  // `positions`: x, y, z of each particle, m. Throws Error{kScene} without particles.
  Baseline(std::span<const float> positions, const Parameters& parameters, int threads);
  ~Baseline();
  Baseline(const Baseline&) = delete;
  Baseline& operator=(const Baseline&) = delete;

  // Throws Error{kDiverged} once a particle has left the grid; it stayed where it was.
  void step(float dt);
  std::span<const float> positions() const;   // as handed in
  std::span<const float> velocities() const;  // m/s
  std::int64_t particles() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct Figures {
  double seconds_per_step = 0;
  std::int64_t particles = 0;
  double ns_per_particle() const { return 1e9 * seconds_per_step / static_cast<double>(particles); }
};

// The mean over `steps` stable steps, after a few that are not timed.
Figures measure_cpu(const Parameters& parameters, std::span<const float> positions, int steps,
                    int threads);

#if defined(FIRN_WITH_CUDA)
// On the current CUDA device: a thread per particle, atomicAdd to the grid in global memory.
// Throws Error{kDevice} on a CUDA error.
class BaselineCuda {
 public:
  BaselineCuda(std::span<const float> positions, const Parameters& parameters);
  ~BaselineCuda();
  BaselineCuda(const BaselineCuda&) = delete;
  BaselineCuda& operator=(const BaselineCuda&) = delete;

  void step(float dt);  // returns once the step is enqueued
  // Waits for the steps. Throws Error{kDiverged} if a particle has left the grid.
  void synchronize();
  std::vector<float> positions();
  std::vector<float> velocities();
  std::int64_t particles() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Figures measure_cuda(const Parameters& parameters, std::span<const float> positions, int steps);
#endif

}  // namespace firn::baseline
