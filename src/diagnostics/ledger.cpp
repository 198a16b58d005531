// The conservation ledger as CSV (RFC 4180: names with commas or quotes are quoted), written and
// read.
#include "src/diagnostics/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "firn/error.h"
#include "src/scene/integrator_traits.h"

namespace firn {
namespace {

std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"") == name.npos) return name;
  std::string text = "\"";
  for (char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

// A cell of the header stays on one line, because rows are counted by lines.
std::string column_prefix(const std::string& name, std::size_t index) {
  std::string text = name.empty() ? fmt::format("collider_{}", index) : name;
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

bool is_incompressible(const Scene& scene) {
  return traits_of(scene).staggered && !traits_of(scene).unified;
}

std::string header_line(const Scene& scene) {
  std::string line =
      "frame,time,steps,dt_min,dt_max,mass,momentum_x,momentum_y,momentum_z,angular_momentum_x,"
      "angular_momentum_y,angular_momentum_z,kinetic,elastic,potential,total,fed,"
      "energy_growth";
  if (scene.solves_heat()) line += ",heat";
  line += is_incompressible(scene) ? ",lost_volume" : ",volume";
  if (scene.output.diagnostics == DiagnosticsLevel::kStages)
    line += ",stage_p2g,stage_grid_forces,stage_boundary,stage_g2p,stage_plasticity";
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    const auto add = [&](std::initializer_list<const char*> quantities) {
      for (const char* quantity : quantities)
        line += ',' + quoted(column_prefix(scene.colliders[i].name, i) + '.' + quantity);
    };
    add({"force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z"});
    if (scene.colliders[i].dynamics)
      add({"momentum_x", "momentum_y", "momentum_z", "angular_momentum_x", "angular_momentum_y",
           "angular_momentum_z", "kinetic", "potential"});
  }
  return line;
}

void add_cell(std::string& line, double value) { line += fmt::format(",{:.17g}", value); }
void add_cells(std::string& line, const Vec3& v) {
  for (double value : v) add_cell(line, value);
}

AppendFile open_ledger(const std::filesystem::path& path, const Scene& scene,
                       std::optional<int> resume_after) {
  const std::string header = header_line(scene);
  const auto keep = [&, first = true](std::string_view line) mutable {
    if (std::exchange(first, false)) {
      if (line == header) return true;
      throw Error(ErrorCategory::kFile,
                  path.string() +
                      ":1: cannot continue this ledger: its columns are not those of "
                      "the scene; move it away");
    }
    int frame = -1;
    std::from_chars(line.data(), line.data() + line.size(), frame);
    return frame >= 0 && frame <= *resume_after;
  };
  AppendFile file = resume_after ? AppendFile::resume(path, keep) : AppendFile::create(path);
  if (file.empty()) file.append(header);
  return file;
}

std::vector<std::string> split_row(std::string_view line) {
  std::vector<std::string> cells(1);
  bool inside_quotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && inside_quotes && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (c == '"') {
      inside_quotes = !inside_quotes;
    } else if (c == ',' && !inside_quotes) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

// The whole cell must be a number; none otherwise.
std::optional<double> parse_cell(const std::string& cell) {
  if (cell.empty()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

}  // namespace

LedgerWriter::LedgerWriter(const std::filesystem::path& path, const Scene& scene,
                           std::optional<int> resume_after)
    : file_(open_ledger(path, scene, resume_after)),
      heat_(scene.solves_heat()),
      incompressible_(is_incompressible(scene)),
      stages_(scene.output.diagnostics == DiagnosticsLevel::kStages) {
  for (const Collider& collider : scene.colliders)
    dynamic_.push_back(collider.dynamics.has_value());
}

void LedgerWriter::write(const FrameStats& stats) {
  const Totals& t = stats.totals;
  std::string line = fmt::format("{},{:.17g},{}", stats.frame, stats.time, stats.steps);
  for (double value : {stats.dt_min, stats.dt_max, t.mass}) add_cell(line, value);
  add_cells(line, t.momentum);
  add_cells(line, t.angular_momentum);
  for (double value : {t.kinetic, t.elastic, t.potential, t.kinetic + t.elastic + t.potential})
    add_cell(line, value);
  for (double value : {stats.energy.fed, stats.energy.growth}) add_cell(line, value);
  if (heat_) add_cell(line, t.heat);
  add_cell(line, incompressible_ ? stats.lost_volume : t.volume);
  if (stages_) {
    const StageLedger& s = stats.stages;
    for (double value : {s.p2g, s.grid_forces, s.boundary, s.g2p, s.plasticity})
      add_cell(line, value);
  }
  for (std::size_t i = 0; i < dynamic_.size(); ++i) {
    if (i < stats.reactions.size()) {
      add_cells(line, stats.reactions[i].force);
      add_cells(line, stats.reactions[i].torque);
    } else {
      line += ",,,,,,";
    }
    if (!dynamic_[i]) continue;
    const ColliderState state = i < stats.colliders.size() ? stats.colliders[i] : ColliderState{};
    add_cells(line, state.momentum);
    add_cells(line, state.angular_momentum);
    for (double value : {state.kinetic, state.potential}) add_cell(line, value);
  }
  file_.append(line);
}

std::vector<Column> read_ledger(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto refuse = [&](std::size_t line, const std::string& reason) {
    throw Error(ErrorCategory::kFile,
                fmt::format("{}:{}: cannot read this ledger: {}", path.string(), line, reason));
  };
  std::vector<Column> columns;
  std::size_t number = 1;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos;
       begin = end + 1, ++number) {
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::vector<std::string> cells = split_row(line);
    if (number == 1) {
      for (const std::string& name : cells) columns.push_back({name, {}});
      continue;
    }
    if (cells.size() != columns.size())
      refuse(number, fmt::format("{} cells under {} columns", cells.size(), columns.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::optional<double> value = parse_cell(cells[i]);
      if (!value)
        refuse(number, fmt::format("\"{}\" in column {} is no number", cells[i], columns[i].name));
      columns[i].values.push_back(*value);
    }
  }
  if (columns.empty()) refuse(1, "it has no header");
  return columns;
}

}  // namespace firn
