#include "src/render/color_map.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace firn {
namespace {

constexpr int kEntries = 256;

// Oklab to linear sRGB, the inverse matrices of its definition [Ottosson 2020].
std::array<double, 3> oklab_to_linear(double lightness, double a, double b) {
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

constexpr double kDegree = std::numbers::pi / 180;

using ColorTable = std::array<ColorF, kEntries>;

ColorF from_oklch(double lightness, double chroma, double hue) {
  const std::array<double, 3> linear =
      oklab_to_linear(lightness, chroma * std::cos(hue), chroma * std::sin(hue));
  ColorF color;
  for (int c = 0; c < 3; ++c) color[c] = linear_to_srgb(static_cast<float>(linear[c]));
  return color;
}

ColorTable make_table() {
  ColorTable table;
  for (int i = 0; i < kEntries; ++i) {
    const double value = static_cast<double>(i) / (kEntries - 1);
    const double lightness = 0.28 + 0.64 * value;
    const double hue = (308 - 205 * value) * kDegree;
    // The narrowest place of sRGB on this path is the teal at 0.42.
    const double chroma = 0.098 + 0.25 * (value - 0.42) * (value - 0.42);
    table[i] = from_oklch(lightness, chroma, hue);
  }
  return table;
}

ColorTable make_diverging_table() {
  ColorTable table;
  for (int i = 0; i < kEntries; ++i) {
    const double value = 2.0 * i / (kEntries - 1) - 1, size = std::abs(value);
    // Chroma rises first and lightness falls to the end; both stay inside sRGB for either hue.
    const double chroma = 0.30 * size * (1 - 0.5 * size);
    table[i] = from_oklch(0.93 - 0.50 * size, chroma, (value < 0 ? 258 : 28) * kDegree);
  }
  return table;
}

ColorF entry_at(const ColorTable& table, double value) {
  if (std::isnan(value)) return {0.5f, 0.5f, 0.5f};
  const double position = std::clamp(value, 0.0, 1.0) * (kEntries - 1);
  const int i = std::min(static_cast<int>(position), kEntries - 2);
  const float f = static_cast<float>(position - i);
  ColorF color;
  for (int c = 0; c < 3; ++c) color[c] = table[i][c] * (1 - f) + table[i + 1][c] * f;
  return color;
}

}  // namespace

float srgb_to_linear(float value) {  // IEC 61966-2-1
  return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

float linear_to_srgb(float value) {
  value = std::clamp(value, 0.0f, 1.0f);
  return value <= 0.0031308f ? 12.92f * value : 1.055f * std::pow(value, 1 / 2.4f) - 0.055f;
}

ColorF srgb_to_linear(const ColorF& color) {
  return {srgb_to_linear(color[0]), srgb_to_linear(color[1]), srgb_to_linear(color[2])};
}

ColorF color_map(double value) {
  static const ColorTable table = make_table();
  return entry_at(table, value);
}

ColorF diverging_color_map(double value) {
  static const ColorTable table = make_diverging_table();
  return entry_at(table, value);
}

ColorF category_color(int index) {
  constexpr std::array<std::array<int, 3>, 10> colors{{{0, 114, 178},
                                                       {230, 159, 0},
                                                       {0, 158, 115},
                                                       {204, 121, 167},
                                                       {213, 94, 0},
                                                       {86, 180, 233},
                                                       {240, 228, 66},
                                                       {110, 110, 115},
                                                       {118, 60, 160},
                                                       {140, 86, 60}}};
  const std::array<int, 3>& color = colors[static_cast<std::size_t>(index) % colors.size()];
  return {static_cast<float>(color[0]) / 255, static_cast<float>(color[1]) / 255,
          static_cast<float>(color[2]) / 255};
}

}  // namespace firn
