#if FIRN_WITH_EMBREE
#include "src/render/outline.h"

#include <algorithm>
#include <cmath>

namespace firn {
namespace {

constexpr float kOpacity = 0.6f, kBehindClear = 0.5f;
// Of the distance: an edge that lies in the ground or along a wall is not hidden by it.
constexpr float kTouching = 0.01f;

struct End {
  double x, y;     // pixels
  double inverse;  // of the depth, linear along a projected line
};

class OutlinePainter {
 public:
  OutlinePainter(const PictureHits& hits, const Projection& view, const Rgb& ink, Image& image)
      : hits_(hits), view_(view), ink_(ink), image_(image) {
    half_width_ = 0.5 * std::max(1.0, image.height / 540.0);
  }

  void draw(V3d a, V3d b) {
    const double nearest = 1e-3 * norm(b - a);
    double depth_a = depth(a), depth_b = depth(b);
    if (depth_a < depth_b) std::swap(a, b), std::swap(depth_a, depth_b);
    if (depth_a <= nearest) return;
    if (depth_b < nearest) b = a + (b - a) * ((depth_a - nearest) / (depth_a - depth_b));
    const End from = project(a), to = project(b);
    const bool steep = std::abs(to.y - from.y) > std::abs(to.x - from.x);
    walk(from, to, steep);
  }

 private:
  double depth(const V3d& x) const { return dot(x - view_.eye, view_.forward); }
  End project(const V3d& x) const {
    const auto [u, v] = view_.project(x);
    return {0.5 * (1 + u) * image_.width, 0.5 * (1 - v) * image_.height, 1 / depth(x)};
  }

  // One row or column of pixels after the other, each with those that the line's width reaches.
  void walk(const End& from, const End& to, bool steep) {
    const double start = steep ? from.y : from.x, end = steep ? to.y : to.x;
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    if (!(std::abs(end - start) > 0)) return;
    const double across = std::abs(end - start) / length;  // of a step aside, across the line
    const int size = steep ? image_.height : image_.width;
    const int first = std::max(0, static_cast<int>(std::floor(std::min(start, end))));
    const int last = std::min(size - 1, static_cast<int>(std::floor(std::max(start, end))));
    for (int i = first; i <= last; ++i) {
      const double t = std::clamp((i + 0.5 - start) / (end - start), 0.0, 1.0);
      const double side = steep ? from.x + t * (to.x - from.x) : from.y + t * (to.y - from.y);
      const double depth_here = 1 / (from.inverse + t * (to.inverse - from.inverse));
      const int middle = static_cast<int>(std::floor(side)),
                reach = 1 + static_cast<int>(half_width_);
      for (int j = middle - reach; j <= middle + reach; ++j) {
        const double off = std::abs(j + 0.5 - side) * across;
        const double cover = std::clamp(half_width_ + 0.5 - off, 0.0, 1.0);
        if (cover > 0) blend(steep ? j : i, steep ? i : j, cover, static_cast<float>(depth_here));
      }
    }
  }

  void blend(int x, int y, double cover, float depth_here) {
    if (x < 0 || y < 0 || x >= image_.width || y >= image_.height) return;
    const float visible = visible_part(x, y, depth_here);
    if (visible > 0) image_.blend_pixel(x, y, ink_, kOpacity * visible * static_cast<float>(cover));
  }

  float visible_part(int x, int y, float depth_here) const {
    const float limit = depth_here * (1 - kTouching);
    int open = 0;
    for (int s = 0; s < kSamples; ++s) {
      const PacketHits* row = hits_.row(x, y, s);
      const float met = row ? row->distance[x % kPacket]
                            : hits_.embree
                                  .nearest_plane(spread(hits_.camera.eye),
                                                 spread(hits_.camera.direction(x, y, s)))
                                  .distance[0];
      open += met > limit ? 1 : 0;
    }
    const float part = static_cast<float>(open) / kSamples;
    return part > 0 && is_behind_clear(x, y, depth_here) ? kBehindClear * part : part;
  }

  bool is_behind_clear(int x, int y, float depth_here) const {
    if (hits_.embree.clear().surfaces().empty() ||
        !hits_.may_show_meshes(y / kTile * hits_.columns() + x / kTile))
      return false;
    alignas(64) int asked[kPacket] = {-1};
    Packet3 eye{}, direction{};
    PacketHits met;
    const V3f d = hits_.camera.direction(x, y, 0);
    for (int c = 0; c < 3; ++c) eye[c][0] = hits_.camera.eye[c], direction[c][0] = d[c];
    met.object[0] = kNothing;
    met.distance[0] = depth_here;
    hits_.embree.clear().meet(eye, direction, asked, met);
    return met.object[0] != kNothing;
  }

  const PictureHits& hits_;
  const Projection& view_;
  const Rgb ink_;
  Image& image_;
  double half_width_;  // pixels
};

}  // namespace

void draw_outline(const PictureHits& hits, const Projection& view, const Outline& outline,
                  Image& image) {
  OutlinePainter painter(hits, view, outline.color, image);
  Bounds box;
  for (const V3f& x : {outline.min, outline.max}) box.add({{x[0], x[1], x[2]}});
  // Along an axis, at the lower or upper side of both others: an edge of two faces.
  for (int axis = 0; axis < 3; ++axis)
    for (int i = 0; i < 8; ++i) {
      if (i & 1 << axis) continue;
      const auto face = [&](int a) {
        return outline.faces[static_cast<std::size_t>(2 * a + (i >> a & 1))];
      };
      if (face((axis + 1) % 3) || face((axis + 2) % 3))
        painter.draw(box.corner(i), box.corner(i | 1 << axis));
    }
}

}  // namespace firn
#endif
