#include "src/render/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace firn {
namespace {

struct Style {
  Rgb text, panel;
  float panel_opacity;
};
constexpr Style kOnLight{{45, 51, 60}, {250, 251, 252}, 0.8f};
constexpr Style kOnDark{{245, 247, 250}, {24, 29, 36}, 0.45f};

float text_scale(const Image& image) {
  return std::clamp(static_cast<float>(image.height) / 270.0f, 1.0f, 4.0f);
}
int margin_of(const Image& image) { return std::max(4, image.height / 40); }

// A translucent plate that keeps letters readable over any picture.
void draw_panel(Image& image, int left, int top, int width, int height, const Style& style) {
  for (int y = top; y < top + height; ++y)
    for (int x = left; x < left + width; ++x)
      image.blend_pixel(x, y, style.panel, style.panel_opacity);
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

}  // namespace

void draw_time(Image& image, double time, bool on_light) {
  const Style& style = on_light ? kOnLight : kOnDark;
  const float scale = text_scale(image);
  const int margin = margin_of(image), pad = margin / 2;
  const std::string text = time == 0 || time >= 1e-3 ? fmt::format("t = {:.3f} s", time)
                                                     : fmt::format("t = {:.4g} us", 1e6 * time);
  draw_panel(image, margin, margin, text_width(text, scale) + 2 * pad, text_height(scale) + 2 * pad,
             style);
  draw_text(image, margin + pad, margin + pad, text, style.text, scale);
}

void draw_color_bar(Image& image, const ParticleColors& colors, bool on_light) {
  const std::string label = colors.label();
  const ColorRange& range = colors.range;
  const Style& style = on_light ? kOnLight : kOnDark;
  const float scale = text_scale(image);
  const int margin = margin_of(image), pad = margin / 2, line = text_height(scale);
  const int width = std::max(image.width / 4, text_width(label, scale)), height = image.height / 40;
  const int left = image.width - margin - pad - width;
  const int top = margin + pad + line;
  draw_panel(image, left - pad, margin, width + 2 * pad, 2 * line + height + 3 * pad, style);
  draw_text(image, left, margin + pad, label, style.text, scale);
  for (int x = 0; x < width; ++x) {
    const ColorF color = colors.color_at((x + 0.5) / width);
    Rgb rgb;
    for (int c = 0; c < 3; ++c) rgb[c] = static_cast<std::uint8_t>(std::lround(255 * color[c]));
    for (int y = 0; y < height; ++y) image.blend_pixel(left + x, top + y, rgb, 1);
  }
  const std::string values[] = {number(range.low), number(0.5 * (range.low + range.high)),
                                number(range.high)};
  for (int i = 0; i < 3; ++i)
    draw_text(image, left + (width - text_width(values[i], scale)) * i / 2, top + height + pad,
              values[i], style.text, scale);
}

}  // namespace firn
