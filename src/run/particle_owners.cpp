#include "src/run/particle_owners.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "firn/error.h"

namespace firn {

void ParticleOwners::require_room(std::size_t particles) const {
  if (particles > std::numeric_limits<std::uint32_t>::max() - next_id_)
    throw Error(ErrorCategory::kDevice, "more than 2^32 particles are not supported");
}

void ParticleOwners::add(std::uint32_t count, std::uint32_t owner, std::uint32_t material) {
  const bool goes_on = owner >= scene_.bodies.size() && owner < of_user() && !ranges_.empty() &&
                       ranges_.back().body == owner && ranges_.back().material == material;
  if (goes_on)
    ranges_.back().count += count;
  else
    ranges_.push_back({next_id_, count, owner, material});
  next_id_ += count;
}

bool ParticleOwners::fit(const std::vector<IdRange>& ranges, std::uint32_t next_id,
                         std::span<const std::uint64_t> emissions) const {
  const std::size_t bodies = scene_.bodies.size();
  std::vector<std::uint64_t> counted(emissions.size(), 0);
  std::uint64_t next = 0;
  for (const IdRange& r : ranges) {
    if (r.first != next || r.count == 0 || r.body > of_user() ||
        r.material >= scene_.materials.size())
      return false;
    const bool from_body = r.body < bodies, from_source = !from_body && r.body < of_user();
    const auto material = static_cast<int>(r.material);
    if (from_body && material != scene_.bodies[r.body].material) return false;
    if (from_source && material != scene_.sources[r.body - bodies].material) return false;
    if (from_source) ++counted[r.body - bodies];
    next += r.count;
  }
  for (std::size_t s = 0; s < emissions.size(); ++s)
    if (counted[s] > emissions[s]) return false;
  return next == next_id;
}

void ParticleOwners::restore(std::vector<IdRange> ranges, std::uint32_t next_id) {
  ranges_ = std::move(ranges);
  next_id_ = next_id;
}

const IdRange& ParticleOwners::range_of(std::uint32_t id) const {
  auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), id,
                       [](std::uint32_t value, const IdRange& r) { return value < r.first; });
  return after == ranges_.begin() ? ranges_.front() : *(after - 1);
}

std::string ParticleOwners::name_of(std::uint32_t id) const {
  std::string particle = "particle " + std::to_string(id);
  if (ranges_.empty()) return particle;
  const IdRange& range = range_of(id);
  const std::size_t bodies = scene_.bodies.size();
  const std::string owner =
      range.body < bodies      ? " of body \"" + scene_.bodies[range.body].name + "\""
      : range.body < of_user() ? " of source \"" + scene_.sources[range.body - bodies].name + "\""
                               : ", which was added,";
  return particle + owner + " (material \"" + scene_.materials[range.material].name + "\")";
}

std::int64_t ParticleOwners::emitted() const {
  std::int64_t n = 0;
  for (const IdRange& r : ranges_)
    if (r.body >= scene_.bodies.size() && r.body < of_user()) n += r.count;
  return n;
}
std::int64_t ParticleOwners::added() const {
  std::int64_t n = 0;
  for (const IdRange& r : ranges_)
    if (r.body == of_user()) n += r.count;
  return n;
}

}  // namespace firn
