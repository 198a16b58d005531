#pragma once

#include "kernels/collide/guard.h"

namespace firn {

template <int D, class Real>
struct GuardParticles {
  static constexpr const char* kName = "guard_particles";
  static constexpr int kThreads = 128;
  struct Scratch {};

  GridUpdateParams<Real, D> params;
  ParticleView<Real> particles;
  GridView<Real> grid;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = grid.coloured[g.index()];
    const std::uint32_t first = grid.chunk_begin[block] * kLanes,
                        end = grid.chunk_begin[block + 1] * kLanes;
    for (int c = 0; c < params.collider_count; ++c) {
      if (!reaches(block_of_key<D>(grid.keys[block]), c)) continue;
      g.for_each(end - first, [&](std::uint32_t i) {
        const std::uint32_t slot = first + i;
        if (slot % kLanes < particles.chunks[slot / kLanes].count) push_out(slot, c);
      });
    }
  }

  // Particles lie within two cells of their block: the stencil's shift, and one step.
  FIRN_HD bool reaches(const Vec<int, D>& block, int c) const {
    constexpr Real half = Real(0.5) * BlockTraits<D>::kSide;
    Vec<Real, D> centre;
    for (int a = 0; a < D; ++a)
      centre[a] = (static_cast<Real>(block[a] * BlockTraits<D>::kSide) + half) * grid.dx;
    const Real radius = (half + 2) * grid.dx * sqrt(static_cast<Real>(D));
    return signed_distance<D>(params.colliders[c].program, to_body(params.poses[c], centre)) <=
           radius;
  }

  FIRN_HD void push_out(std::uint32_t slot, int c) const {
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a) x[a] = channel_at(particles.x, slot, D, a);
    const RigidPose<Real>& pose = params.poses[c];
    const SdfProgram<Real>& shape = params.colliders[c].program;
    const Vec<Real, D> in_body = to_body(pose, x);
    const Real depth = -signed_distance<D>(shape, in_body), allowed = Real(0.5) * grid.dx;
    if (!(depth > allowed)) return;
    const Vec<Real, D> normal =
        rotate_to_world(pose, sdf_normal<D>(shape, in_body, Real(0.1) * grid.dx));
    for (int a = 0; a < D; ++a)
      channel_at(particles.x, slot, D, a) = x[a] + (depth - allowed) * normal[a];
  }
};

template <class Exec, int D, class Real>
void guard_particles(Exec& exec, const GridUpdateParams<Real, D>& params,
                     const ParticleView<Real>& particles, const GridView<Real>& grid,
                     std::uint32_t block_bound, const StepControl* control) {
  if (params.collider_count == 0) return;
  launch_groups(exec, {{grid.colour_begin + BlockTraits<D>::kCorners, block_bound}, &control->stop},
                GuardParticles<D, Real>{params, particles, grid});
}

}  // namespace firn
