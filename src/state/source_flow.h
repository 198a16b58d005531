// What a source brings, and when. An endless pattern of particles moves with its velocity, and its
// shape is a window on it: at first all that lie in the shape appear, and then, each time that the
// pattern has moved by half a cell, those that have come in since, as far in as they have come. So
// what flows out has no seams, whatever the angle between velocity and nozzle; only what is through
// a corner of the shape within that half cell is missed. What finds its place taken, where the way
// out is blocked, does not appear, but under integrators on faces, which make room for it once the
// flow has begun.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "firn/scene.h"
#include "src/scene/shapes.h"
#include "src/state/batch.h"

namespace firn {

// A particle that is there already.
struct PresentParticle {
  std::uint32_t id = 0;
  double volume = 0;  // at rest
  Vec3 position{};
};
// Those within a box of the world, by ascending ids.
using FindParticles = std::function<std::vector<PresentParticle>(const Vec3& min, const Vec3& max)>;

// Of a source at rest what lies within the walls of the domain: nothing is behind them, and what
// flows through a nozzle that is drawn through one comes in there.
Shape within_walls(const Scene& scene, const Source& source);

// What comes in evenly from one emission to the next.
struct SourceInflow {
  std::vector<Vec3> position;  // m, in the world, within half a cell behind the nozzle's rim
  Vec3 direction{};            // of the flow relative to the source
  double rate = 0;             // m^d/s, at each of them
};

class SourceFlow {
 public:
  // `scene` must outlive it. Throws Error{kScene} where the shape has no end.
  SourceFlow(const Scene& scene, std::size_t source);

  // Between two emissions, s; 0: there is only one.
  double period() const { return period_; }
  // s; emissions count from 0.
  double time(std::uint64_t emission) const;
  // All that comes then.
  ParticleBatch batch(std::uint64_t emission) const;
  // Less what finds no room among those that are there.
  ParticleBatch batch(std::uint64_t emission, const FindParticles& present) const;
  // Where `coming`, the batch of a later emission than the first, comes in; as much as comes in the
  // mean, since a flow does not falter where its particles are uneven.
  SourceInflow inflow(const ParticleBatch& coming, std::uint64_t emission) const;

 private:
  // Points of the pattern, as they lie when the first emission comes.
  struct Window {
    std::vector<Vec3> in_shape;
    std::vector<std::size_t> entered;  // those that were outside at the emission before
  };
  Window window(std::uint64_t emission) const;
  Vec3 moved(std::uint64_t emission) const;
  double since_entry(const Vec3& point, std::uint64_t emission) const;
  std::vector<std::size_t> with_room(const Window& window, std::uint64_t emission,
                                     const FindParticles& present) const;
  ParticleBatch made_of(const Window& window, const std::vector<std::size_t>& chosen,
                        std::uint64_t emission) const;

  const Scene& scene_;
  const Source& source_;
  CompiledShape shape_;
  std::uint64_t seed_;
  double per_cell_, period_ = 0;
  double volume_ = 0;    // of a particle
  double entering_ = 0;  // particles of an emission, in the mean
};

}  // namespace firn
