#include "src/render/flat.h"

#include <algorithm>
#include <cmath>

#include "kernels/exec/parallel_for.h"
#include "src/render/surroundings.h"
#include "src/scene/shapes.h"

namespace firn {
namespace {

struct Paper {
  Rgb inside, outside, frame;  // of the domain
};
constexpr Paper kWhite{{247, 248, 250}, {229, 232, 237}, {120, 128, 140}},
    kGrey{{118, 126, 138}, {100, 108, 120}, {60, 66, 76}};

Rgb to_rgb(const ColorF& color) {
  Rgb rgb;
  for (int c = 0; c < 3; ++c)
    rgb[c] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(color[c], 0.0f, 1.0f)));
  return rgb;
}

void draw_outside_of_domain(Image& image, const Domain& domain, const Paper& paper,
                            const FlatView& view) {
  const double left = view.column(domain.min[0]), right = view.column(domain.max[0]);
  const double top = view.row(domain.max[1]), bottom = view.row(domain.min[1]);
  parallel_for(image.height, 0, [&](int y) {
    for (int x = 0; x < image.width; ++x) {
      const double depth =
          std::min({x + 0.5 - left, right - x - 0.5, y + 0.5 - top, bottom - y - 0.5});
      const double outside = std::clamp(0.5 - depth, 0.0, 1.0);
      const double line = std::clamp(1.5 - std::abs(depth + 1), 0.0, 1.0);
      image.blend_pixel(x, y, paper.outside, static_cast<float>(outside));
      image.blend_pixel(x, y, paper.frame, static_cast<float>(line));
    }
  });
}

// How far a place in the picture is from a collider, in pixels.
class PixelDistance {
 public:
  PixelDistance(const Collider& collider, double dx, const Affine& pose, const FlatView& view)
      : shape_(compile_shape(collider.shape, 2, dx)), to_body_(pose.inverse()), view_(view) {}

  double operator()(double column, double row) const {
    const V3d x = to_body_.point(view_.point(column, row));
    return distance(shape_, {x[0], x[1], 0}) * view_.pixels_per_metre;
  }

 private:
  CompiledShape shape_;
  Affine to_body_;
  const FlatView& view_;
};

// The share of a pixel inside the shape, from the distances of its 4x4 parts where its edge may be
// in it: so that what is narrower than these is a faint line, and not one of dashes.
float coverage(const PixelDistance& distance, int x, int y) {
  constexpr int kParts = 4;
  constexpr double kHalfDiagonal = 0.7072;
  const double away = distance(x + 0.5, y + 0.5);
  if (!(std::abs(away) < kHalfDiagonal)) return away < 0 ? 1 : 0;
  double inside = 0;
  for (int j = 0; j < kParts; ++j)
    for (int i = 0; i < kParts; ++i)
      inside += std::clamp(0.5 - kParts * distance(x + (i + 0.5) / kParts, y + (j + 0.5) / kParts),
                           0.0, 1.0);
  return static_cast<float>(inside) / (kParts * kParts);
}

void draw_collider(Image& image, const Collider& collider, double dx, const Affine& pose,
                   const FlatView& view) {
  const PixelDistance distance(collider, dx, pose, view);
  const Rgb color =
      to_rgb({static_cast<float>(collider.color[0]), static_cast<float>(collider.color[1]),
              static_cast<float>(collider.color[2])});
  parallel_for(image.height, 0, [&](int y) {
    for (int x = 0; x < image.width; ++x)
      if (const float share = coverage(distance, x, y); share > 0)
        image.blend_pixel(x, y, color, share);
  });
}

// There is no light but the discs' own: colours are what they are, and a glow comes on top.
ColorF lit(const PointLayer& layer, std::size_t i) {
  ColorF color = layer.colors[i];
  if (layer.glow.empty()) return color;
  for (std::size_t c = 0; c < 3; ++c)
    color[c] = linear_to_srgb(srgb_to_linear(color[c]) + layer.glow[i][c]);
  return color;
}

// Discs of a few pixels and more get a darker rim that tells them apart.
void draw_disc(Image& image, double column, double row, double radius, const Rgb& color) {
  const int left = static_cast<int>(std::floor(column - radius - 0.5));
  const int right = static_cast<int>(std::ceil(column + radius + 0.5));
  const int top = static_cast<int>(std::floor(row - radius - 0.5));
  const int bottom = static_cast<int>(std::ceil(row + radius + 0.5));
  const double rim = radius > 3 ? std::min(0.2 * radius, 2.0) : 0;
  Rgb dark = color;
  for (std::uint8_t& c : dark) c = static_cast<std::uint8_t>(c * 0.72);
  for (int y = std::max(0, top); y < std::min(image.height, bottom); ++y)
    for (int x = std::max(0, left); x < std::min(image.width, right); ++x) {
      const double across = x + 0.5 - column, down = y + 0.5 - row;
      const double distance = std::sqrt(across * across + down * down);
      const double cover = std::clamp(radius - distance + 0.5, 0.0, 1.0);
      const bool in_rim = rim > 0 && distance > radius - rim;
      image.blend_pixel(x, y, in_rim ? dark : color, static_cast<float>(cover));
    }
}

void draw_layer(Image& image, const PointLayer& layer, const FlatView& view) {
  constexpr double kSmallestRadius = 0.6;  // pixels: a lone particle stays visible
  for (std::size_t i = 0; i < layer.points->size(); ++i) {
    const double radius = std::max(layer.radius(i) * view.pixels_per_metre, kSmallestRadius);
    const V3d x = position_of(*layer.points, i);
    const double column = view.column(x[0]), row = view.row(x[1]);
    const bool visible = column > -radius && column < image.width + radius && row > -radius &&
                         row < image.height + radius;
    if (visible) draw_disc(image, column, row, radius, to_rgb(lit(layer, i)));
  }
}

}  // namespace

Image draw_flat(const Scene& scene, const std::vector<PointLayer>& layers,
                const std::vector<Affine>& poses, const FlatView& view, int width, int height) {
  const Paper& paper = is_lost_on_white(scene) ? kGrey : kWhite;
  Image image = Image::filled(width, height, paper.inside);
  if (scene.grid.domain) draw_outside_of_domain(image, *scene.grid.domain, paper, view);
  for (std::size_t i = 0; i < scene.colliders.size(); ++i)
    if (scene.colliders[i].visible)
      draw_collider(image, scene.colliders[i], scene.grid.dx, poses[i], view);
  for (const PointLayer& layer : layers) draw_layer(image, layer, view);
  return image;
}

}  // namespace firn
