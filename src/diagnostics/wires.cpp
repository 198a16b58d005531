#include "src/diagnostics/wires.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "src/diagnostics/gnuplot.h"

namespace firn {
namespace {

// gnuplot's first, second and third axis, right-handed with the third one up.
std::array<int, 3> axes_of(const WirePicture& picture) {
  if (picture.dimension == 2) return {0, 1, 2};
  return {(picture.up + 1) % 3, (picture.up + 2) % 3, picture.up};
}

// gnuplot scales by what is wide: what is higher than that has to shrink.
double scale_of(const WirePicture& picture, const std::array<int, 3>& axes) {
  std::array<double, 3> low, high;
  low.fill(std::numeric_limits<double>::infinity()), high.fill(-low[0]);
  for (const WireLines& lines : picture.lines)
    for (const auto& segment : lines.segments)
      for (const Vec3& x : segment)
        for (std::size_t i = 0; i < 3; ++i) {
          low[i] = std::min(low[i], x[static_cast<std::size_t>(axes[i])]);
          high[i] = std::max(high[i], x[static_cast<std::size_t>(axes[i])]);
        }
  const double wide = std::max(high[0] - low[0], high[1] - low[1]), tall = high[2] - low[2];
  return wide > 0 && tall > wide ? std::max(wide / tall, 0.01) : 1;
}

void append_point(std::string& script, const Vec3& x, const std::array<int, 3>& axes) {
  fmt::format_to(std::back_inserter(script), "{:.6g} {:.6g} {:.6g}\n",
                 x[static_cast<std::size_t>(axes[0])], x[static_cast<std::size_t>(axes[1])],
                 x[static_cast<std::size_t>(axes[2])]);
}

std::string script_of(const WirePicture& picture, const std::string& output) {
  constexpr std::string_view kNames = "xyz";
  const std::array<int, 3> axes = axes_of(picture);
  const bool flat = picture.dimension == 2;
  const auto name = [&](std::size_t i) { return kNames[static_cast<std::size_t>(axes[i])]; };
  std::string script = fmt::format(
      "set terminal {} size 1200,900\nset output {}\nset encoding utf8\n"
      "set title {} noenhanced\nset key outside right top noenhanced samplen 2\n"
      "set xlabel '{} (m)'\nset ylabel '{} (m)'\nset zlabel '{} (m)'\n"
      "set border lc rgb '#909aa4'\nset tics textcolor rgb '#303840'\n",
      gnuplot_terminal(), gnuplot_text(output), gnuplot_text(picture.title), name(0), name(1),
      name(2));
  script += flat ? "set size ratio -1\nset grid lc rgb '#e4e8ec'\n"
                 : fmt::format(
                       "set view 65,120,{:.3f}\nset view equal xyz\n"
                       "set xyplane relative 0\nset grid x y lc rgb '#e4e8ec'\n",
                       scale_of(picture, axes));
  std::string curves;
  const auto add_curve = [&](const std::string& data, const std::string& style,
                             const WireLines& lines, bool named) {
    curves +=
        fmt::format("{}{} using {} with {} lc rgb '{}' {}", curves.empty() ? "" : ", ", data,
                    flat ? "1:2" : "1:2:3", style, lines.color,
                    named && !lines.name.empty() ? "title " + gnuplot_text(lines.name) : "notitle");
  };
  for (std::size_t i = 0; i < picture.lines.size(); ++i) {
    const WireLines& lines = picture.lines[i];
    if (!lines.segments.empty()) {
      script += fmt::format("$lines_{} << FIRN_END_OF_DATA\n", i);
      for (const auto& segment : lines.segments) {
        for (const Vec3& end : segment) append_point(script, end, axes);
        script += "\n\n";
      }
      script += "FIRN_END_OF_DATA\n";
      add_curve(fmt::format("$lines_{}", i), fmt::format("lines lw {}", lines.width), lines, true);
    }
    if (lines.points.empty()) continue;
    script += fmt::format("$points_{} << FIRN_END_OF_DATA\n", i);
    for (const Vec3& point : lines.points) append_point(script, point, axes);
    script += "FIRN_END_OF_DATA\n";
    add_curve(fmt::format("$points_{}", i), "points pt 7 ps 1", lines, lines.segments.empty());
  }
  return script + (flat ? "plot " : "splot ") + (curves.empty() ? "0 notitle" : curves) +
         "\nunset output\n";
}

}  // namespace

bool write_wires(const WirePicture& picture, const std::string& png_path) {
  return run_gnuplot([&](const std::string& output) { return script_of(picture, output); },
                     png_path);
}

}  // namespace firn
