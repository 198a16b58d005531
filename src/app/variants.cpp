#include "src/app/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "firn/error.h"

namespace firn::app {
namespace {

constexpr std::size_t kMostVariants = 64;  // more than anybody can look at side by side

struct Axis {
  std::string key, short_key;
  std::vector<std::string> values;
};

std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> values(1);
  int depth = 0;
  char quote = 0;
  for (char c : text) {
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      values.emplace_back();
      continue;
    }
    values.back() += c;
  }
  return values;
}

// The last part of a key says enough unless it is an index or another axis has the same.
void shorten_keys(std::vector<Axis>& axes) {
  for (Axis& axis : axes) axis.short_key = axis.key.substr(axis.key.rfind('.') + 1);
  for (Axis& axis : axes) {
    const auto same = std::count_if(axes.begin(), axes.end(), [&](const Axis& other) {
      return other.key.ends_with("." + axis.short_key) || other.key == axis.short_key;
    });
    if (same > 1 || std::isdigit(static_cast<unsigned char>(axis.short_key[0])))
      axis.short_key = axis.key;
  }
}

std::vector<Axis> parse_axes(const std::vector<std::string>& vary) {
  std::vector<Axis> axes;
  for (const std::string& text : vary) {
    const std::size_t equals = text.find('=');
    axes.push_back({text.substr(0, equals), "", split_values(text.substr(equals + 1))});
    for (const std::string& value : axes.back().values)
      if (value.empty())
        throw Error(ErrorCategory::kScene, fmt::format("--vary: '{}' has an empty value", text));
  }
  shorten_keys(axes);
  return axes;
}

std::string file_name_part(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char c) {
        return !std::isalnum(c) && c != '.' && c != '-' && c != '+' && c != '_';
      },
      '-');
  return text;
}

void append(Variant& variant, const Axis& axis, const std::string& value) {
  variant.overrides.push_back(axis.key + "=" + value);
  if (!variant.label.empty()) variant.label += ", ";
  variant.label += axis.short_key + "=" + value;
  if (!variant.folder.empty()) variant.folder += "_";
  variant.folder += file_name_part(axis.short_key + "-" + value);
}

}  // namespace

std::vector<Variant> make_variants(const std::vector<std::string>& vary) {
  if (vary.empty())
    throw Error(ErrorCategory::kScene,
                "nothing to compare; say what differs, e.g. --vary transfer.type=flip,apic");
  std::vector<Variant> variants(1);
  for (const Axis& axis : parse_axes(vary)) {
    std::vector<Variant> longer;
    for (const Variant& variant : variants)
      for (const std::string& value : axis.values)
        append(longer.emplace_back(variant), axis, value);
    variants = std::move(longer);
    if (variants.size() > kMostVariants)
      throw Error(ErrorCategory::kScene,
                  fmt::format("--vary: more than {} combinations; vary fewer values at a time",
                              kMostVariants));
  }
  std::set<std::string> taken;
  for (Variant& variant : variants) {
    const std::string name = variant.folder;
    for (int i = 2; !taken.insert(variant.folder).second; ++i)
      variant.folder = fmt::format("{}-{}", name, i);
  }
  return variants;
}

}  // namespace firn::app
