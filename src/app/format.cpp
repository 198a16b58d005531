#include "src/app/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <sstream>
#include <utility>

namespace firn::app {
namespace {

// Code points, not bytes: material names and sources may have accents.
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// An empty cell says nothing about its column.
bool looks_numeric(const std::string& cell) {
  if (cell.empty()) return true;
  const std::size_t first = cell.starts_with('-') ? 1 : 0;
  return cell.size() > first && std::isdigit(static_cast<unsigned char>(cell[first]));
}

std::string scaled(double value, double base, const auto& units) {
  std::size_t unit = 0;
  while (std::abs(value) >= 0.9995 * base && unit + 1 < units.size()) {
    value /= base;
    ++unit;
  }
  const int digits = unit == 0 ? 0 : std::abs(value) < 9.995 ? 2 : std::abs(value) < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", value, digits, units[unit]);
}

}  // namespace

std::string format_count(double count) {
  return scaled(count, 1e3, std::array{"", " k", " M", " G", " T"});
}

std::string format_bytes(double bytes) {
  return scaled(bytes, 1024, std::array{" B", " KiB", " MiB", " GiB", " TiB"});
}

std::string format_time(double seconds) {
  if (seconds == 0 || seconds >= 1e-2) return fmt::format("{:.4f} s", seconds);
  return seconds >= 1e-5 ? fmt::format("{:.4g} ms", 1e3 * seconds)
                         : fmt::format("{:.4g} us", 1e6 * seconds);
}

std::string format_duration(double seconds) {
  const auto s = static_cast<long long>(std::min(std::max(seconds, 0.0) + 0.5, 1e12));
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string describe_limit(DtLimit limit, const std::string& material) {
  const std::string where = material.empty() ? "" : " in " + material;
  switch (limit) {
    case DtLimit::kNone:
      return "nothing";
    case DtLimit::kVelocity:
      return "largest speed";
    case DtLimit::kWaveSpeed:
      return "wave speed" + where;
    case DtLimit::kViscosity:
      return "viscosity" + where;
    case DtLimit::kSolver:
      return "a solve that failed";
    case DtLimit::kForce:
      return "the strongest force";
    case DtLimit::kMaximum:
      return "time.dt_max";
    case DtLimit::kFrameEnd:
      return "end of frame";
  }
  return "nothing";
}

std::string wrapped(const std::string& text, const std::string& indent) {
  constexpr std::size_t kColumns = 100;
  std::istringstream words(text);
  std::string result, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && indent.size() + display_width(line) + 1 + display_width(word) > kColumns)
      result += indent + std::exchange(line, "") + '\n';
    line += (line.empty() ? "" : " ") + word;
  }
  return result + indent + line + '\n';
}

std::string format_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width(rows.at(0).size());
  std::vector<bool> numeric(width.size(), rows.size() > 1);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < width.size(); ++c) {
      width[c] = std::max(width[c], display_width(rows[r][c]));
      if (r > 0 && !looks_numeric(rows[r][c])) numeric[c] = false;
    }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < width.size(); ++c) {
      const std::string pad(width[c] - display_width(rows[r][c]), ' ');
      line += (c ? "  " : "") + (numeric[c] ? pad + rows[r][c] : rows[r][c] + pad);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    if (r > 0) continue;
    std::size_t total = 2 * (width.size() - 1);
    for (std::size_t w : width) total += w;
    text += std::string(total, '-') + '\n';
  }
  return text;
}

}  // namespace firn::app
