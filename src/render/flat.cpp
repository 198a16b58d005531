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

bool contains(const CompiledShape& shape, const V3d& x) {
  return distance(shape, {x[0], x[1], 0}) <= 0;
}

// The share of a pixel inside the shape, from 4x4 points where its corners disagree.
float coverage(const CompiledShape& shape, const Affine& to_body, const FlatView& view, int x,
               int y) {
  int inside = 0;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i)
      inside += contains(shape, to_body.point(view.point(x + (i + 0.5) / 4, y + (j + 0.5) / 4)));
  return static_cast<float>(inside) / 16;
}

void draw_collider(Image& image, const Collider& collider, double dx, const Affine& pose,
                   const FlatView& view) {
  const CompiledShape shape = compile_shape(collider.shape, 2, dx);
  const Affine to_body = pose.inverse();
  const Rgb color =
      to_rgb({static_cast<float>(collider.color[0]), static_cast<float>(collider.color[1]),
              static_cast<float>(collider.color[2])});
  const int columns = image.width + 1;
  std::vector<char> corners(static_cast<std::size_t>(columns) * (image.height + 1));
  parallel_for(image.height + 1, 0, [&](int y) {
    for (int x = 0; x < columns; ++x)
      corners[static_cast<std::size_t>(y) * columns + x] =
          contains(shape, to_body.point(view.point(x, y)));
  });
  parallel_for(image.height, 0, [&](int y) {
    for (int x = 0; x < image.width; ++x) {
      const char* corner = &corners[static_cast<std::size_t>(y) * columns + x];
      const int inside = corner[0] + corner[1] + corner[columns] + corner[columns + 1];
      if (inside == 0) continue;
      image.blend_pixel(x, y, color, inside == 4 ? 1 : coverage(shape, to_body, view, x, y));
    }
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
  const double radius = std::max(layer.radius * view.pixels_per_metre, kSmallestRadius);
  for (std::size_t i = 0; i < layer.points->size(); ++i) {
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
    draw_collider(image, scene.colliders[i], scene.grid.dx, poses[i], view);
  for (const PointLayer& layer : layers) draw_layer(image, layer, view);
  return image;
}

}  // namespace firn
