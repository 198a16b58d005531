#include "src/render/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace firn {
namespace {

constexpr Rgb kLight{245, 247, 250};
constexpr Rgb kDark{45, 51, 60};

float text_scale(const Image& image) {
  return std::clamp(static_cast<float>(image.height) / 300.0f, 1.0f, 4.0f);
}

// A soft halo of the other tone keeps letters readable over any picture.
void draw_readable(Image& image, int x, int y, const std::string& text, bool on_light) {
  const float scale = text_scale(image);
  const int offset = std::max(1, static_cast<int>(std::lround(scale / 2)));
  for (const auto& [dx, dy] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}})
    draw_text(image, x + dx * offset, y + dy * offset, text, on_light ? kLight : kDark, scale);
  draw_text(image, x, y, text, on_light ? kDark : kLight, scale);
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

}  // namespace

void draw_time(Image& image, double time, bool on_light) {
  const int margin = image.height / 30;
  draw_readable(image, margin, image.height - margin - text_height(text_scale(image)),
                fmt::format("t = {:.3f} s", time), on_light);
}

void draw_color_bar(Image& image, const std::string& label, const ColorRange& range,
                    bool on_light) {
  const float scale = text_scale(image);
  const int margin = image.height / 30, line = text_height(scale);
  const int width = std::max(image.width / 4, text_width(label, scale)), height = image.height / 45;
  const int left = image.width - margin - width;
  const int top = image.height - margin - line - height;
  draw_readable(image, left, top - line, label, on_light);
  for (int x = 0; x < width; ++x) {
    const ColorF color = color_map((x + 0.5) / width);
    Rgb rgb;
    for (int c = 0; c < 3; ++c) rgb[c] = static_cast<std::uint8_t>(std::lround(255 * color[c]));
    for (int y = 0; y < height; ++y) image.blend_pixel(left + x, top + y, rgb, 1);
  }
  const std::string values[] = {number(range.low), number(0.5 * (range.low + range.high)),
                                number(range.high)};
  for (int i = 0; i < 3; ++i)
    draw_readable(image, left + (width - text_width(values[i], scale)) * i / 2, top + height + 2,
                  values[i], on_light);
}

}  // namespace firn
