// One moment of a run as the page shows it: the particles in the order of detail, positions and
// channels quantised to 16 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/shape.h"
#include "firn/simulation.h"

namespace firn::view {

inline constexpr std::uint16_t kMissing = 65535;       // no value, or none that is finite
inline constexpr std::uint16_t kLargestLevel = 65534;  // stands for `high`, 0 for `low`

// Values of one channel, point by point: low + level / kLargestLevel * (high - low); of categories
// (material, body) the level is the index.
struct Levels {
  double low = 0, high = 0;   // of what is finite; both 0 if nothing is
  double begin = 0, end = 0;  // all but the outermost hundredths, for colours
  std::vector<std::uint16_t> level;
};
Levels quantised(const std::vector<double>& values, std::span<const std::uint32_t> order);
Levels categories(const std::vector<std::uint16_t>& values, std::span<const std::uint32_t> order);

// Positions: origin + level / 65535 * extent along each axis.
struct Places {
  Vec3 origin{}, extent{};
  std::vector<std::uint16_t> level;  // x, y, z of each point; z = 0 in 2D

  std::size_t points() const { return level.size() / 3; }
};
// What is not finite lies at the origin.
Places quantised_places(const Snapshot& snapshot, std::span<const std::uint32_t> order);

struct Channel {
  std::string name;
  std::shared_ptr<const Levels> levels;  // several pictures may share them
  int frame = 0;                         // whose values they are
  bool earlier = false;                  // than the picture, which had none of its own
};

// Massless points that stand for the particles of some bodies (Simulation::tracers).
struct PictureTracers {
  std::int64_t all = 0;  // of which the points are a sample
  Places places;
  std::shared_ptr<const Levels> body;  // of each point, a category; null: there are none
};

struct Picture {
  std::uint64_t number = 0;  // set by the session, from 1
  int frame = 0;             // completed
  double time = 0;           // s
  bool passing = false;      // between two frames: the next picture replaces it
  std::int64_t particles = 0;
  Places places;
  std::vector<Channel> channels;
  std::shared_ptr<const Levels> volume;  // m^3 at rest, for surfaces; null: not known
  PictureTracers tracers;
  std::vector<ColliderState> colliders;  // those that are missing are at rest

  std::size_t points() const { return places.points(); }
  const Channel* find(std::string_view channel) const;  // null: it is not kept
  std::size_t bytes() const;
};

// What WebGL draws from: x, y, z and the level of the channel (null: kMissing) for `count` points
// from `first` on, as little-endian 16-bit numbers. Fewer where there are no more.
std::string packed_points(const Places& places, const Levels* levels, std::size_t first,
                          std::size_t count);
// Eight to a byte, the first one lowest.
std::string packed_bits(const std::vector<bool>& bits);

}  // namespace firn::view
