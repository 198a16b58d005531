// Heights of a height_field shape on a regular grid, from an expression or from a grey PNG, for the
// signed distance and for pictures.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

// A grey picture with samples in [0, 1], rows from the top.
struct GreyImage {
  int width = 0, height = 0;
  std::vector<float> value;

  // Bilinear; u and v run over [0, 1] from the first to the last sample, v downwards.
  double at(double u, double v) const;
};

// 8 or 16 bits per channel as they stand in the file, without gamma; colours become their
// luminance (Rec. 709 weights), transparency is ignored. Throws Error{kFile} naming the path.
GreyImage read_grey_png(const std::string& path);

// Sample (i, k) lies at (min_x + i spacing_x, min_z + k spacing_z); in 2D there is one row.
struct HeightGrid {
  int columns = 0, rows = 1;
  double min_x = 0, min_z = 0, spacing_x = 0, spacing_z = 1;
  double lowest = 0, highest = 0;
  std::vector<double> height;  // above `lowest`, x running fastest; m

  // The largest slope of the (bi)linear interpolant.
  double steepest() const;
};

// Samples no further apart than `spacing`. In 3D a picture is a map seen from above: its columns
// run along x, its rows from min z at the top to max z; in 2D the profile is the line through its
// middle. Throws Error{kScene} if a height is not finite, the grid would be absurdly large or
// `base` does not lie below all heights; Error{kFile} for an unreadable picture.
HeightGrid bake_heights(const Shape& shape, int dimension, double spacing);

// The names that the expression of a height may use.
inline const char* height_variables(int dimension) { return dimension == 2 ? "x" : "xz"; }

}  // namespace firn
