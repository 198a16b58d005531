#if FIRN_WITH_EMBREE
#include "src/render/sphere_bricks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "src/render/lanes.h"

namespace firn {
namespace {

constexpr int kDigit = 10;  // bits of a cube's number along an axis
constexpr float kCubes = 1 << kDigit;
constexpr float kEdge = 3.0f;        // of a cube, in radii: less than two distances of particles
constexpr std::uint32_t kMost = 16;  // spheres of an item
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Keyed {
  std::uint32_t key, sphere;
};

// By cubes, those of one along z next to each other.
std::vector<Keyed> keys_of(const std::vector<std::array<float, 4>>& spheres) {
  std::array<float, 3> low{kInfinity, kInfinity, kInfinity};
  float high = -kInfinity, edge = 0;
  for (const auto& sphere : spheres) {
    for (std::size_t c = 0; c < 3; ++c) low[c] = std::min(low[c], sphere[c]);
    edge = std::max(edge, kEdge * sphere[3]);
  }
  for (const auto& sphere : spheres)
    for (std::size_t c = 0; c < 3; ++c) high = std::max(high, sphere[c] - low[c]);
  const float scale = std::min(1 / edge, 0.999f * kCubes / std::max(high, 1e-30f));
  std::vector<Keyed> keys(spheres.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    keys[i] = {0, i};
    for (std::size_t c = 0; c < 3; ++c)
      keys[i].key =
          keys[i].key << kDigit | static_cast<std::uint32_t>((spheres[i][c] - low[c]) * scale);
  }
  return keys;
}

void sort(std::vector<Keyed>& keys) {
  std::vector<Keyed> sorted(keys.size());
  for (int shift = 0; shift < 3 * kDigit; shift += kDigit) {
    std::array<std::uint32_t, (1 << kDigit) + 1> next{};
    const auto digit = [&](const Keyed& k) { return k.key >> shift & ((1 << kDigit) - 1); };
    for (const Keyed& k : keys) ++next[digit(k) + 1];
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    for (const Keyed& k : keys) sorted[next[digit(k)]++] = k;
    std::swap(keys, sorted);
  }
}

// Fields of a ray packet of Embree, each one number for every ray.
enum Field { kOrigin = 0, kFrom = 3, kDirection = 4, kTo = 8, kFields = 9 };

// Closes the rays of a pack that are asked for and meet one of the spheres.
void block_pack(float* rays, std::size_t stride, const int* asked,
                const std::array<float, 4>* sphere, const std::array<float, 4>* end) {
  const auto at = [&](int field) { return load(rays + field * stride); };
  const V3p origin{{at(kOrigin), at(kOrigin + 1), at(kOrigin + 2)}};
  const V3p direction{{at(kDirection), at(kDirection + 1), at(kDirection + 2)}};
  const Lanes from = at(kFrom), inverse = Lanes(1.0f) / dot(direction, direction);
  const auto is_asked = Lanes([&](int i) { return static_cast<float>(asked[i]); }) != Lanes(0.0f);
  const Lanes before = at(kTo);
  Lanes to = select(is_asked, before, Lanes(-kInfinity));  // ends before it begins
  for (; sphere != end && any(to >= from); ++sphere) {
    const auto& [x, y, z, radius] = *sphere;
    const V3p to_center = spread({{x, y, z}}) - origin;
    const Lanes middle = dot(to_center, direction) * inverse;
    const V3p off = to_center - direction * middle;
    const Lanes rest = Lanes(radius * radius) - dot(off, off);
    if (!any(rest >= Lanes(0.0f))) continue;
    const Lanes half = sqrt(max(rest, Lanes(0.0f)) * inverse);
    const Lanes front = middle - half, back = middle + half;
    const auto met =
        rest >= Lanes(0.0f) && ((front >= from && front <= to) || (back >= from && back <= to));
    to = select(met, Lanes(-kInfinity), to);
  }
  store(rays + kTo * stride, select(is_asked, to, before));
}

}  // namespace

SphereBricks::SphereBricks(const std::vector<std::array<float, 4>>& spheres) {
  std::vector<Keyed> keys = keys_of(spheres);
  sort(keys);
  spheres_.reserve(spheres.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || keys[i].key != keys[i - 1].key || i - first_.back() == kMost) first_.push_back(i);
    spheres_.push_back(spheres[keys[i].sphere]);
  }
  first_.push_back(static_cast<std::uint32_t>(spheres_.size()));
}

void SphereBricks::set(RTCGeometry geometry) {
  rtcSetGeometryUserPrimitiveCount(geometry, items());
  rtcSetGeometryUserData(geometry, this);
  rtcSetGeometryBoundsFunction(geometry, bound, nullptr);
  rtcSetGeometryOccludedFunction(geometry, block);
}

void SphereBricks::bound(const RTCBoundsFunctionArguments* arguments) {
  const auto& bricks = *static_cast<const SphereBricks*>(arguments->geometryUserPtr);
  RTCBounds& box = *arguments->bounds_o;
  box = {kInfinity, kInfinity, kInfinity, 0, -kInfinity, -kInfinity, -kInfinity, 0};
  for (std::uint32_t i = bricks.first_[arguments->primID]; i < bricks.first_[arguments->primID + 1];
       ++i) {
    const auto& [x, y, z, radius] = bricks.spheres_[i];
    box.lower_x = std::min(box.lower_x, x - radius),
    box.upper_x = std::max(box.upper_x, x + radius);
    box.lower_y = std::min(box.lower_y, y - radius),
    box.upper_y = std::max(box.upper_y, y + radius);
    box.lower_z = std::min(box.lower_z, z - radius),
    box.upper_z = std::max(box.upper_z, z + radius);
  }
}

void SphereBricks::block(const RTCOccludedFunctionNArguments* arguments) {
  const auto& bricks = *static_cast<const SphereBricks*>(arguments->geometryUserPtr);
  const auto* begin = &bricks.spheres_[bricks.first_[arguments->primID]];
  const auto* end = bricks.spheres_.data() + bricks.first_[arguments->primID + 1];
  const unsigned count = arguments->N;
  auto* rays = reinterpret_cast<float*>(arguments->ray);
  if (count % kLanes == 0) {
    for (unsigned i = 0; i < count; i += kLanes)
      block_pack(rays + i, count, arguments->valid + i, begin, end);
    return;
  }
  // Where processors have no such packets Embree asks for single rays.
  alignas(64) float copy[kFields * kPacket] = {};
  alignas(64) int valid[kPacket] = {};
  std::copy_n(arguments->valid, count, valid);
  for (unsigned field = 0; field < kFields; ++field)
    std::copy_n(rays + field * count, count, copy + field * kPacket);
  for (unsigned i = 0; i < count; i += kLanes) block_pack(copy + i, kPacket, valid + i, begin, end);
  std::copy_n(copy + kTo * kPacket, count, rays + kTo * count);
}

}  // namespace firn
#endif
