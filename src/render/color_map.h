// The perceptual colour map for scalar channels: dark violet over blue and green to light yellow,
// with lightness exactly linear in the value. It is computed from its definition in the Oklab
// colour space [Ottosson 2020]: lightness and hue are linear in the value, chroma is a parabola
// that stays inside sRGB.
#pragma once

#include <array>

namespace firn {

using ColorF = std::array<float, 3>;  // in [0,1]; sRGB unless a name says linear

// Colour (sRGB) of a value in [0,1]; values outside are clamped, NaN is grey.
ColorF color_map(double value);

// The same for signed values, zero at 0.5: blue for negative and red for positive ones, equally far
// from the light grey between them in lightness and chroma.
ColorF diverging_color_map(double value);

float srgb_to_linear(float value);
float linear_to_srgb(float value);
ColorF srgb_to_linear(const ColorF& color);

// Colours (sRGB) that stay apart for colour-blind readers [Okabe & Ito 2008].
ColorF category_color(int index);

}  // namespace firn
