#include "src/diagnostics/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "firn/error.h"
#include "src/diagnostics/gnuplot.h"

namespace firn {
namespace {

constexpr int kWidth = 960, kSingleHeight = 540, kPanelHeight = 320;

using Script = std::back_insert_iterator<std::string>;

bool drawable(const PlotSpec& plot, double x, double y) {
  return std::isfinite(x) && std::isfinite(y) && (!plot.log_x || x > 0) && (!plot.log_y || y > 0);
}

bool has_points(const PlotSpec& plot, const Series& series) {
  for (std::size_t i = 0; i < series.x.size(); ++i)
    if (drawable(plot, series.x[i], series.y[i])) return true;
  return false;
}

// Blank lines interrupt a curve.
void append_data(Script out, const PlotSpec& plot, const Series& series, const std::string& name) {
  fmt::format_to(out, "{} << FIRN_END_OF_DATA\n", name);
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (drawable(plot, series.x[i], series.y[i]))
      fmt::format_to(out, "{:.9g} {:.9g}\n", series.x[i], series.y[i]);
    else
      fmt::format_to(out, "\n");
  }
  fmt::format_to(out, "FIRN_END_OF_DATA\n");
}

void append_panel(Script out, const PlotSpec& plot, int panel) {
  std::string curves;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    if (series.x.size() != series.y.size())
      throw Error(ErrorCategory::kScene, "plot \"" + plot.title + "\": x and y of \"" +
                                             series.name + "\" differ in length");
    if (!has_points(plot, series)) continue;
    const std::string name = fmt::format("$data_{}_{}", panel, i);
    append_data(out, plot, series, name);
    const char* style = series.x.size() == 1 ? "points pt 7" : "lines lw 2";
    fmt::format_to(std::back_inserter(curves), "{}{} using 1:2 with {} lc rgb '{}' title {}",
                   curves.empty() ? "" : ", ", name, style, kLineColors[i % std::size(kLineColors)],
                   gnuplot_text(series.name));
  }
  fmt::format_to(out,
                 "set title {} noenhanced\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n",
                 gnuplot_text(plot.title), gnuplot_text(plot.x_label), gnuplot_text(plot.y_label));
  fmt::format_to(out, "set yrange [{}:*]\n", plot.from_zero ? "0" : "*");
  fmt::format_to(out, "{} logscale x\n{} logscale y\n", plot.log_x ? "set" : "unset",
                 plot.log_y ? "set" : "unset");
  // gnuplot refuses axes without data; an empty panel shows its frame.
  if (curves.empty()) curves = fmt::format("[{}] [1:10] 1/0 notitle", plot.log_x ? "1:10" : "0:1");
  fmt::format_to(out, "plot {}\n", curves);
}

std::string make_script(const std::vector<PlotSpec>& panels, const std::string& terminal,
                        const std::string& output) {
  const int height =
      panels.size() == 1 ? kSingleHeight : kPanelHeight * static_cast<int>(panels.size());
  std::string script;
  const Script out = std::back_inserter(script);
  fmt::format_to(out, "set terminal {} size {},{}\nset output {}\n", terminal, kWidth, height,
                 gnuplot_text(output));
  fmt::format_to(
      out,
      "set encoding utf8\n"
      // Or axes with logarithms would have 0.0000001 at them.
      "set format '%g'\n"
      "set border 3 lc rgb '#505860'\nset tics nomirror out textcolor rgb '#303840'\n"
      "set grid back lc rgb '#d8dce2' lw 1 lt 1\n"
      // Above the curves, which it must not hide; the margin grows with its rows.
      "set key tmargin right horizontal noenhanced samplen 2\n"
      "set lmargin 14\nset rmargin 4\nset offsets graph 0, graph 0, graph 0.05, graph 0\n");
  if (panels.size() > 1) fmt::format_to(out, "set multiplot layout {},1\n", panels.size());
  for (std::size_t i = 0; i < panels.size(); ++i) append_panel(out, panels[i], static_cast<int>(i));
  if (panels.size() > 1) fmt::format_to(out, "unset multiplot\n");
  fmt::format_to(out, "unset output\n");
  return script;
}

}  // namespace

bool write_multi_panel(const std::vector<PlotSpec>& panels, const std::string& png_path) {
  if (panels.empty()) throw Error(ErrorCategory::kScene, png_path + ": a plot needs a panel");
  const std::string terminal = gnuplot_terminal();
  return run_gnuplot(
      [&](const std::string& output) { return make_script(panels, terminal, output); }, png_path);
}

bool write_plot(const PlotSpec& plot, const std::string& png_path) {
  return write_multi_panel({plot}, png_path);
}

}  // namespace firn
