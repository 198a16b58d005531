// Who the particles of a simulation come from, by ranges of ids: bodies, sources, and the user of
// the library.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

// What the particles of one id range belong to.
struct IdRange {
  std::uint32_t first = 0, count = 0;
  // Index into bodies; sources count on after them, then comes what add_particles brings.
  std::uint32_t body = 0;
  std::uint32_t material = 0;
};

class ParticleOwners {
 public:
  explicit ParticleOwners(const Scene& scene) : scene_(scene) {}

  std::uint32_t of_source(std::size_t source) const {
    return static_cast<std::uint32_t>(scene_.bodies.size() + source);
  }
  std::uint32_t of_user() const { return of_source(scene_.sources.size()); }

  std::uint32_t next_id() const { return next_id_; }
  const std::vector<IdRange>& ranges() const { return ranges_; }
  // Throws Error{kDevice} where ids run out.
  void require_room(std::size_t particles) const;
  void add(std::uint32_t count, std::uint32_t owner, std::uint32_t material);
  // Whether the ranges tile the ids and their owners are in the scene; `emissions`: of each source,
  // how many ranges it may have.
  bool fit(const std::vector<IdRange>& ranges, std::uint32_t next_id,
           std::span<const std::uint64_t> emissions) const;
  void restore(std::vector<IdRange> ranges, std::uint32_t next_id);

  std::uint32_t owner_of(std::uint32_t id) const { return range_of(id).body; }
  // For messages: "particle 3 of body "ball" (material "jelly")".
  std::string name_of(std::uint32_t id) const;
  std::int64_t emitted() const;
  std::int64_t added() const;

 private:
  const IdRange& range_of(std::uint32_t id) const;

  const Scene& scene_;
  std::vector<IdRange> ranges_;  // ascending first ids
  std::uint32_t next_id_ = 0;
};

}  // namespace firn
