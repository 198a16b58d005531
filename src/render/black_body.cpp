#include "src/render/black_body.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace firn {
namespace {

// Colour matching functions of the CIE 1931 2 degree observer (ISO/CIE 11664-1) from 380 to 770 nm
// in steps of 10 nm. Analytic fits of them are poor beyond 680 nm, where lava shines most.
constexpr double kFirst = 380, kStep = 10;  // nm
constexpr double kMatching[][3] = {
    {0.0014, 0.0000, 0.0065}, {0.0042, 0.0001, 0.0201}, {0.0143, 0.0004, 0.0679},
    {0.0435, 0.0012, 0.2074}, {0.1344, 0.0040, 0.6456}, {0.2839, 0.0116, 1.3856},
    {0.3483, 0.0230, 1.7471}, {0.3362, 0.0380, 1.7721}, {0.2908, 0.0600, 1.6692},
    {0.1954, 0.0910, 1.2876}, {0.0956, 0.1390, 0.8130}, {0.0320, 0.2080, 0.4652},
    {0.0049, 0.3230, 0.2720}, {0.0093, 0.5030, 0.1582}, {0.0633, 0.7100, 0.0782},
    {0.1655, 0.8620, 0.0422}, {0.2904, 0.9540, 0.0203}, {0.4334, 0.9950, 0.0087},
    {0.5945, 0.9950, 0.0039}, {0.7621, 0.9520, 0.0021}, {0.9163, 0.8700, 0.0017},
    {1.0263, 0.7570, 0.0011}, {1.0622, 0.6310, 0.0008}, {1.0026, 0.5030, 0.0003},
    {0.8544, 0.3810, 0.0002}, {0.6424, 0.2650, 0.0000}, {0.4479, 0.1750, 0.0000},
    {0.2835, 0.1070, 0.0000}, {0.1649, 0.0610, 0.0000}, {0.0874, 0.0320, 0.0000},
    {0.0468, 0.0170, 0.0000}, {0.0227, 0.0082, 0.0000}, {0.0114, 0.0041, 0.0000},
    {0.0058, 0.0021, 0.0000}, {0.0029, 0.0010, 0.0000}, {0.0014, 0.0005, 0.0000},
    {0.0007, 0.0002, 0.0000}, {0.0003, 0.0001, 0.0000}, {0.0002, 0.0001, 0.0000},
    {0.0001, 0.0000, 0.0000}};

constexpr double kSecondRadiation = 1.438777e7;  // h c / k, nm K

// The table of a glow: temperatures in steps, the first and the last of them, K.
constexpr double kCoolest = 450, kHottest = 10000, kKelvinPerEntry = 10;
constexpr double kDimmestExposure = 1400;
// Luminance of the hottest body in a picture, where a white surface facing the sun has one: its
// green is then near the upper end, and red far beyond.
constexpr double kBrightness = 1.5;

// IEC 61966-2-1; what sRGB does not have is cut off.
ColorF xyz_to_linear(const std::array<double, 3>& xyz) {
  constexpr double kRows[3][3] = {
      {3.2406, -1.5372, -0.4986}, {-0.9689, 1.8758, 0.0415}, {0.0557, -0.2040, 1.0570}};
  ColorF color;
  for (std::size_t c = 0; c < 3; ++c)
    color[c] = static_cast<float>(
        std::max(0.0, kRows[c][0] * xyz[0] + kRows[c][1] * xyz[1] + kRows[c][2] * xyz[2]));
  return color;
}

ColorF glow_at(double kelvin, double luminance_of_hottest) {
  std::array<double, 3> xyz = black_body_xyz(kelvin);
  const double luminance = xyz[1];
  const double shown = kBrightness * std::cbrt(luminance / luminance_of_hottest);
  for (double& value : xyz) value *= shown / luminance;
  return xyz_to_linear(xyz);
}

}  // namespace

std::array<double, 3> black_body_xyz(double kelvin) {
  std::array<double, 3> xyz{};
  double wavelength = kFirst;
  for (const auto& matching : kMatching) {
    const double radiance =
        std::pow(wavelength / 560, -5) / std::expm1(kSecondRadiation / (wavelength * kelvin));
    for (std::size_t c = 0; c < 3; ++c) xyz[c] += matching[c] * radiance;
    wavelength += kStep;
  }
  return xyz;
}

Glow::Glow(double hottest) {
  const double exposed_for = std::clamp(hottest, kDimmestExposure, kHottest);
  const double luminance_of_hottest = black_body_xyz(exposed_for)[1];
  for (double T = kCoolest; T <= kHottest; T += kKelvinPerEntry)
    table_.push_back(glow_at(T, luminance_of_hottest));
}

ColorF Glow::operator()(double kelvin) const {
  if (!(kelvin >= kCoolest)) return {};
  const double at = (std::min(kelvin, kHottest) - kCoolest) / kKelvinPerEntry;
  const std::size_t i = std::min(static_cast<std::size_t>(at), table_.size() - 2);
  const auto t = static_cast<float>(at - static_cast<double>(i));
  ColorF color;
  for (std::size_t c = 0; c < 3; ++c) color[c] = (1 - t) * table_[i][c] + t * table_[i + 1][c];
  return color;
}

}  // namespace firn
