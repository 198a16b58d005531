// Line plots of measured series as PNG files, through the gnuplot program.
#pragma once

#include <string>
#include <vector>

namespace firn {

struct Series {
  std::string name;
  std::vector<double> x, y;  // of equal length; values that are not finite leave gaps
};

struct PlotSpec {
  std::string title, x_label, y_label;
  bool log_y = false;  // values that are not positive are left out
  std::vector<Series> series;
  bool log_x = false;
  bool from_zero = false;  // y, for heights that are to be compared
};

// Written to a temporary name and renamed. Return false if there is no gnuplot; throw Error{kFile}
// with the reason if the file cannot be written, and Error{kScene} if there is no panel or a series
// has unequal lengths.
bool write_plot(const PlotSpec& plot, const std::string& png_path);
// Several plots below each other in one picture, e.g. energy, momenta and time step of a run.
bool write_multi_panel(const std::vector<PlotSpec>& panels, const std::string& png_path);

}  // namespace firn
