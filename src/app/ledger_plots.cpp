#include "src/app/ledger_plots.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "firn/error.h"
#include "src/diagnostics/ledger.h"
#include "src/diagnostics/plots.h"

namespace firn::app {
namespace {

using Values = std::vector<double>;

class Ledger {
 public:
  explicit Ledger(const std::filesystem::path& path)
      : path_(path.string()), columns_(read_ledger(path)) {}

  // Null where there is no such column.
  const Values* find(const std::string& name) const {
    for (const Column& column : columns_)
      if (column.name == name) return &column.values;
    return nullptr;
  }
  const Values& operator[](const std::string& name) const {
    if (const Values* values = find(name)) return *values;
    throw Error(ErrorCategory::kFile, path_ + ": there is no column \"" + name + "\"");
  }

  // What stands before `suffix` in the columns that end with it.
  std::vector<std::string> prefixes(std::string_view suffix) const {
    std::vector<std::string> result;
    for (const Column& column : columns_)
      if (column.name.ends_with(suffix))
        result.push_back(column.name.substr(0, column.name.size() - suffix.size()));
    return result;
  }

  Values magnitude(const std::string& vector) const {
    const Values &x = (*this)[vector + "_x"], &y = (*this)[vector + "_y"],
                 &z = (*this)[vector + "_z"];
    Values result;
    for (std::size_t i = 0; i < x.size(); ++i) result.push_back(std::hypot(x[i], y[i], z[i]));
    return result;
  }

  // In 2D there is but one component, whose sign tells the sense of rotation.
  Values angular_momentum(int dimension) const {
    return dimension == 2 ? (*this)["angular_momentum_z"] : magnitude("angular_momentum");
  }

 private:
  std::string path_;
  std::vector<Column> columns_;
};

// The first row is the initial state, which has no steps.
Series without_first(const std::string& name, const Values& x, const Values& y) {
  if (x.empty()) return {name, {}, {}};
  return {name, {x.begin() + 1, x.end()}, {y.begin() + 1, y.end()}};
}

// Of material on the colliders that it touches; those with the largest forces where there are more
// than lines that can be told apart.
std::vector<Series> force_curves(const Ledger& table, const Values& t) {
  constexpr std::size_t kMost = 7;
  std::vector<std::pair<double, Series>> curves;
  for (const std::string& collider : table.prefixes(".force_x")) {
    const Values force = table.magnitude(collider + ".force");
    double largest = 0;
    for (const double f : force)
      if (std::isfinite(f)) largest = std::max(largest, f);
    if (largest > 0) curves.emplace_back(largest, without_first("on " + collider, t, force));
  }
  std::stable_sort(curves.begin(), curves.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Series> result;
  for (auto& [largest, curve] : curves)
    if (result.size() < kMost) result.push_back(std::move(curve));
  return result;
}

PlotSpec panel(const std::string& title, const std::string& y_label) {
  return {title, "time (s)", y_label, false, {}};
}

const char* angular_label(int dimension) {
  return dimension == 2 ? "L_z (kg m²/s)" : "|L| (kg m²/s)";
}

}  // namespace

bool plot_ledger(const std::filesystem::path& ledger, const std::string& title, int dimension,
                 const std::filesystem::path& png) {
  const Ledger table(ledger);
  const Values& t = table["time"];
  std::vector<PlotSpec> panels{panel(title, "energy (J)"), panel("", "|p| (kg m/s)"),
                               panel("", angular_label(dimension)), panel("", "Δt (s)")};
  for (const char* energy : {"total", "kinetic", "elastic", "potential"})
    panels[0].series.push_back({energy, t, table[energy]});
  panels[1].series.push_back({"linear momentum", t, table.magnitude("momentum")});
  panels[2].series.push_back({"angular momentum", t, table.angular_momentum(dimension)});
  panels[3].log_y = true;
  panels[3].series.push_back(without_first("shortest step of the frame", t, table["dt_min"]));
  panels[3].series.push_back(without_first("longest step of the frame", t, table["dt_max"]));
  if (std::vector<Series> forces = force_curves(table, t); !forces.empty()) {
    panels.push_back(panel("", "|F|, mean of the frame (N)"));
    panels.back().series = std::move(forces);
  }
  if (const Values* heat = table.find("heat")) {
    panels.push_back(panel("", "heat (J)"));
    panels.back().series.push_back({"heat, latent heat included", t, *heat});
  }
  return write_multi_panel(panels, png.string());
}

bool plot_comparison(const std::vector<LedgerCurve>& curves, const std::string& title,
                     int dimension, const std::filesystem::path& png) {
  std::vector<PlotSpec> panels{panel(title, "total energy (J)"), panel("", "kinetic energy (J)"),
                               panel("", angular_label(dimension))};
  for (const LedgerCurve& curve : curves) {
    const Ledger table(curve.ledger);
    const Values& t = table["time"];
    panels[0].series.push_back({curve.label, t, table["total"]});
    panels[1].series.push_back({curve.label, t, table["kinetic"]});
    panels[2].series.push_back({curve.label, t, table.angular_momentum(dimension)});
    if (const Values* heat = table.find("heat")) {
      if (panels.size() == 3) panels.push_back(panel("", "heat (J)"));
      panels[3].series.push_back({curve.label, t, *heat});
    }
  }
  return write_multi_panel(panels, png.string());
}

}  // namespace firn::app
