// The light of hot matter: Planck's law seen through the CIE 1931 standard observer, and the glow
// that pictures add to what shines on a particle.
#pragma once

#include <array>
#include <vector>

#include "src/render/color_map.h"

namespace firn {

// CIE 1931 X, Y, Z of a black body, up to one factor for all temperatures (K, above 0): Y is
// proportional to luminance.
std::array<double, 3> black_body_xyz(double kelvin);

// What black bodies add to a picture, linear sRGB; one is a white surface facing the sun. The
// colour is that of the temperature, as far as sRGB has it. The exposure is that of a camera set
// for the hottest body: this one is as bright as the picture shows, and all others follow by the
// cube root of their luminance [Stevens 1957], since luminance itself
// falls a thousandfold from 1400 K to 1000 K. Below 450 K nothing glows.
class Glow {
 public:
  // Scenes whose hottest matter is colder than 1400 K are exposed for that.
  explicit Glow(double hottest);
  ColorF operator()(double kelvin) const;  // black for NaN

 private:
  std::vector<ColorF> table_;
};

}  // namespace firn
