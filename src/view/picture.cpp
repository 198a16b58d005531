#include "src/view/picture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace firn::view {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::uint16_t level_of(double value, double low, double extent, double largest) {
  if (!std::isfinite(value)) return 0;
  return static_cast<std::uint16_t>(
      std::lround(extent > 0 ? std::clamp((value - low) / extent, 0.0, 1.0) * largest : 0));
}

// From which value to which colours go: outliers must not take them from all others.
void find_ends(Levels& levels, std::vector<double> finite) {
  const auto at = [&finite](double fraction) {
    const auto nth = finite.begin() +
                     static_cast<std::ptrdiff_t>(fraction * static_cast<double>(finite.size() - 1));
    std::nth_element(finite.begin(), nth, finite.end());
    return *nth;
  };
  levels.begin = at(0.01);
  levels.end = at(0.99);
}

}  // namespace

Levels quantised(const std::vector<double>& values, std::span<const std::uint32_t> order) {
  Levels levels;
  levels.level.assign(order.size(), kMissing);
  std::vector<double> finite;
  for (const std::uint32_t i : order)
    if (i < values.size() && std::isfinite(values[i])) finite.push_back(values[i]);
  if (finite.empty()) return levels;
  const auto [low, high] = std::minmax_element(finite.begin(), finite.end());
  levels.low = *low;
  levels.high = *high;
  for (std::size_t k = 0; k < order.size(); ++k)
    if (order[k] < values.size() && std::isfinite(values[order[k]]))
      levels.level[k] =
          level_of(values[order[k]], levels.low, levels.high - levels.low, kLargestLevel);
  find_ends(levels, std::move(finite));
  return levels;
}

Levels categories(const std::vector<std::uint16_t>& values, std::span<const std::uint32_t> order) {
  Levels levels;
  levels.level.reserve(order.size());
  for (const std::uint32_t i : order)
    levels.level.push_back(i < values.size() ? values[i] : kMissing);
  return levels;
}

Places quantised_places(const Snapshot& snapshot, std::span<const std::uint32_t> order) {
  const auto d = static_cast<std::size_t>(snapshot.dimension);
  Places places;
  Vec3 low{kInfinity, kInfinity, kInfinity}, high{-kInfinity, -kInfinity, -kInfinity};
  for (const std::uint32_t i : order)
    for (std::size_t c = 0; c < d; ++c) {
      const double x = snapshot.position[i * d + c];
      if (!std::isfinite(x)) continue;
      low[c] = std::min(low[c], x);
      high[c] = std::max(high[c], x);
    }
  for (std::size_t c = 0; c < d; ++c)
    if (low[c] <= high[c]) {
      places.origin[c] = low[c];
      places.extent[c] = high[c] - low[c];
    }
  places.level.reserve(3 * order.size());
  for (const std::uint32_t i : order)
    for (std::size_t c = 0; c < 3; ++c)
      places.level.push_back(
          c < d ? level_of(snapshot.position[i * d + c], places.origin[c], places.extent[c], 65535)
                : std::uint16_t{0});
  return places;
}

const Channel* Picture::find(std::string_view channel) const {
  for (const Channel& c : channels)
    if (c.name == channel) return &c;
  return nullptr;
}

std::size_t Picture::bytes() const {
  std::size_t numbers = places.level.size();
  for (const Channel& channel : channels) numbers += channel.levels->level.size();
  if (volume != nullptr) numbers += volume->level.size();
  numbers += tracers.places.level.size();
  if (tracers.body != nullptr) numbers += tracers.body->level.size();
  return sizeof(Picture) + numbers * sizeof(std::uint16_t) +
         colliders.size() * sizeof(ColliderState);
}

std::string packed_points(const Places& places, const Levels* levels, std::size_t first,
                          std::size_t count) {
  static_assert(std::endian::native == std::endian::little);
  first = std::min(first, places.points());
  count = std::min(count, places.points() - first);
  std::string bytes(count * 8, '\0');
  auto* out = bytes.data();
  for (std::size_t i = first; i < first + count; ++i, out += 8) {
    const std::uint16_t value = levels != nullptr ? levels->level[i] : kMissing;
    const std::uint16_t* place = &places.level[3 * i];
    const std::uint16_t point[4] = {place[0], place[1], place[2], value};
    std::copy_n(reinterpret_cast<const char*>(point), 8, out);
  }
  return bytes;
}

std::string packed_bits(const std::vector<bool>& bits) {
  std::string bytes((bits.size() + 7) / 8, '\0');
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (bits[i]) bytes[i / 8] |= static_cast<char>(1 << (i % 8));
  return bytes;
}

}  // namespace firn::view
