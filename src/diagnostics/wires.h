// Wire pictures of solids as PNG files, through the gnuplot program.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

struct WireLines {
  std::string name;                           // in the key; empty: not there
  std::string color;                          // "#rrggbb"
  double width = 1;                           // pixels
  std::vector<std::array<Vec3, 2>> segments;  // m
  std::vector<Vec3> points;                   // marked
};

struct WirePicture {
  std::string title;
  int dimension = 3;
  int up = 1;  // the axis that points up in the picture, in 3D
  std::vector<WireLines> lines;
};

// As write_plot.
bool write_wires(const WirePicture& picture, const std::string& png_path);

}  // namespace firn
