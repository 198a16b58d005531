#include "src/render/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace firn {
namespace {

std::string number(double value) { return fmt::format("{:.4g}", value); }

Rgb to_rgb(const ColorF& color) {
  Rgb rgb;
  for (std::size_t c = 0; c < 3; ++c)
    rgb[c] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(color[c], 0.0f, 1.0f)));
  return rgb;
}

}  // namespace

Overlay::Overlay(Image& image, const Font& font, bool on_light)
    : image_(image),
      font_(font),
      text_(on_light ? Rgb{45, 51, 60} : Rgb{245, 247, 250}),
      panel_(on_light ? Rgb{250, 251, 252} : Rgb{24, 29, 36}),
      panel_opacity_(on_light ? 0.8f : 0.45f),
      scale_(std::clamp(static_cast<float>(image.height) / 270.0f, 1.0f, 4.0f)),
      margin_(std::max(4, image.height / 40)),
      pad_(margin_ / 2),
      line_(font.height(scale_)) {}

// A translucent plate that keeps letters readable over any picture.
void Overlay::draw_panel(int left, int top, int width, int height) {
  for (int y = top; y < top + height; ++y)
    for (int x = left; x < left + width; ++x) image_.blend_pixel(x, y, panel_, panel_opacity_);
}

void Overlay::draw_text(int x, int y, const std::string& text) {
  font_.draw(image_, x, y, text, text_, scale_);
}

std::string time_text(double time, double fps) {
  const int needed = std::clamp(static_cast<int>(std::ceil(std::log10(fps) - 1e-9)), 3, 12);
  if (time == 0 || time >= 1e-3) return fmt::format("t = {:.{}f} s", time, time == 0 ? 3 : needed);
  return fmt::format("t = {:.{}g} µs", 1e6 * time, std::max(4, needed - 3));
}

void Overlay::draw_time(double time, double fps) {
  const std::string text = time_text(time, fps);
  draw_panel(margin_, margin_, font_.width(text, scale_) + 2 * pad_, line_ + 2 * pad_);
  draw_text(margin_ + pad_, margin_ + pad_, text);
}

void Overlay::draw_color_bar(const ParticleColors& colors) {
  const std::string label = colors.label();
  const ColorRange& range = colors.range;
  const int width = std::max(image_.width / 4, font_.width(label, scale_));
  const int height = image_.height / 40;
  const int left = image_.width - margin_ - pad_ - width, top = margin_ + pad_ + line_;
  draw_panel(left - pad_, margin_, width + 2 * pad_, 2 * line_ + height + 3 * pad_);
  draw_text(left, margin_ + pad_, label);
  for (int x = 0; x < width; ++x) {
    const Rgb color = to_rgb(colors.color_at((x + 0.5) / width));
    for (int y = 0; y < height; ++y) image_.blend_pixel(left + x, top + y, color, 1);
  }
  const std::string values[] = {number(range.low), number(0.5 * (range.low + range.high)),
                                number(range.high)};
  for (int i = 0; i < 3; ++i)
    draw_text(left + (width - font_.width(values[i], scale_)) * i / 2, top + height + pad_,
              values[i]);
}

void Overlay::draw_legend(const std::vector<LegendEntry>& entries) {
  const int step = line_ + pad_ / 2, room = image_.height - 2 * margin_ - 2 * pad_;
  const int count = std::min(static_cast<int>(entries.size()), room / step);
  if (count == 0) return;
  const int swatch = 2 * line_ / 3, gap = pad_;
  int width = 0;
  for (int i = 0; i < count; ++i)
    width = std::max(width, font_.width(entries[static_cast<std::size_t>(i)].name, scale_));
  const int left = std::max(0, image_.width - margin_ - pad_ - width - gap - swatch);
  draw_panel(left - pad_, margin_, width + gap + swatch + 2 * pad_,
             count * step - pad_ / 2 + 2 * pad_);
  for (int i = 0; i < count; ++i) {
    const LegendEntry& entry = entries[static_cast<std::size_t>(i)];
    const int top = margin_ + pad_ + i * step;
    for (int y = 0; y < swatch; ++y)
      for (int x = 0; x < swatch; ++x)
        image_.blend_pixel(left + x, top + (line_ - swatch) / 2 + y, to_rgb(entry.color), 1);
    draw_text(left + swatch + gap, top, entry.name);
  }
}

}  // namespace firn
