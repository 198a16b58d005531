// Merging of documents. Everything here works on the untyped tree, so that whatever a variant or an
// override brings in meets the same checks, with the same messages, as the file itself.
#include "src/scene/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "src/scene/moved_files.h"

namespace firn::scene {
namespace {

std::optional<std::int64_t> as_index(std::string_view key) {
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  const bool whole = error == std::errc{} && end == key.data() + key.size();
  return whole ? std::optional(index) : std::nullopt;
}

bool has_only_indices(const Node& table) {
  return !table.entries.empty() &&
         std::all_of(table.entries.begin(), table.entries.end(),
                     [](const Entry& entry) { return as_index(entry.key).has_value(); });
}

void overlay_items(Node& array, Node&& layer, Findings& findings) {
  for (Entry& entry : layer.entries) {
    const std::int64_t index = *as_index(entry.key);
    if (index >= 0 && index < std::ssize(array.items)) {
      overlay(array.items[static_cast<std::size_t>(index)], std::move(entry.value), findings);
    } else {
      findings.add(entry.where,
                   fmt::format("there is no element {} here; the array has {}, counted from 0",
                               excerpt(entry.key), array.items.size()));
    }
  }
}

void overlay_entries(Node& table, Node&& layer, Findings& findings) {
  for (Entry& entry : layer.entries) {
    if (Node* existing = table.find(entry.key)) {
      overlay(*existing, std::move(entry.value), findings);
    } else {
      table.entries.push_back(std::move(entry));
    }
  }
}

void set_layer(Node& node, unsigned layer) {
  node.layer = layer;
  for (Node& item : node.items) set_layer(item, layer);
  for (Entry& entry : node.entries) set_layer(entry.value, layer);
}

void relocate(Node& node, const Location& where) {
  node.where = where;
  for (Node& item : node.items) relocate(item, where);
  for (Entry& entry : node.entries) {
    entry.where = where;
    relocate(entry.value, where);
  }
}

std::size_t levels_of(const Node& node) {
  std::size_t below = 0;
  for (const Node& item : node.items) below = std::max(below, 1 + levels_of(item));
  for (const Entry& entry : node.entries) below = std::max(below, 1 + levels_of(entry.value));
  return below;
}

// The text as one TOML value; a bare word is a string, so that `--set body.0.sampling=random` needs
// no quotes.
Node parse_override_value(std::string_view text) {
  try {
    Node document = parse_document(fmt::format("value = {}", text), "--set");
    if (document.entries.size() == 1 && document.entries[0].key == "value") {
      return std::move(document.entries[0].value);
    }
  } catch (const Error&) {
    // Not TOML: the user left out the quotes.
  }
  Node string;
  string.type = NodeType::kString;
  string.text = text;
  return string;
}

// By dots, but for those within the quotes of a name, as in TOML: material."wet.sand".density.
std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> keys(1);
  char quote = 0;
  for (const char c : path) {
    if (quote != 0 ? c == quote : keys.back().empty() && (c == '"' || c == '\'')) {
      quote = quote != 0 ? '\0' : c;
    } else if (c == '.' && quote == 0) {
      keys.emplace_back();
    } else {
      keys.back() += c;
    }
  }
  return keys;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

void apply_override(Node& root, std::string_view override_text, unsigned number,
                    Findings& findings) {
  const std::size_t equals = override_text.find('=');
  const std::string path(trimmed(override_text.substr(0, equals)));
  const Location where{"--set " + excerpt(path), 0, 0, true};
  const std::vector<std::string> keys = split_path(path);
  const bool empty_key =
      std::any_of(keys.begin(), keys.end(), [](const auto& key) { return key.empty(); });
  if (equals == std::string_view::npos || empty_key || keys.size() > kDeepestNesting / 2) {
    findings.add(
        where,
        "an override reads key=value, e.g. --set grid.dx=0.01 or --set body.0.shape.radius=0.2");
    return;
  }
  if (keys[0] == "variants") {
    findings.add(
        where,
        "variants cannot be overridden; choose one with --variant and override the scene itself");
    return;
  }
  Node layer = parse_override_value(override_text.substr(equals + 1));
  if (keys.size() + levels_of(layer) > kDeepestNesting) {  // as in a file
    findings.add(where, fmt::format("values are nested more than {} levels deep; flatten them",
                                    kDeepestNesting));
    return;
  }
  layer.whole = true;
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    Node parent;
    parent.entries.push_back({*key, where, std::move(layer)});
    layer = std::move(parent);
  }
  relocate(layer, where);
  set_layer(layer, number);
  overlay(root, std::move(layer), findings);
}

std::vector<std::string_view> keys_of(const Node& table) {
  std::vector<std::string_view> keys;
  for (const Entry& entry : table.entries) keys.push_back(entry.key);
  return keys;
}

void check_variants(const Node& variants, Findings& findings) {
  if (!variants.is(NodeType::kTable)) {
    findings.add(variants.where,
                 fmt::format("'variants' must be a table of tables ([variants.<name>]), found {}",
                             describe(variants.type)));
  }
  for (const Entry& entry : variants.entries) {
    if (entry.value.is(NodeType::kTable)) continue;
    findings.add(entry.where,
                 fmt::format("variant '{}' must be a table ([variants.NAME]), found {}",
                             excerpt(entry.key), describe(entry.value.type)));
  }
}

}  // namespace

void overlay(Node& base, Node&& layer, Findings& findings) {
  const bool merges = layer.is(NodeType::kTable) && !layer.whole;
  if (merges && base.is(NodeType::kTable)) {
    overlay_entries(base, std::move(layer), findings);
  } else if (merges && base.is(NodeType::kArray) && has_only_indices(layer)) {
    overlay_items(base, std::move(layer), findings);
  } else {
    base = std::move(layer);
  }
}

void apply_variant(Node& root, const std::string& variant, Findings& findings) {
  Node variants;
  const auto entry = std::find_if(root.entries.begin(), root.entries.end(),
                                  [](const Entry& e) { return e.key == "variants"; });
  if (entry != root.entries.end()) {
    variants = std::move(entry->value);
    root.entries.erase(entry);
    check_variants(variants, findings);
  }
  if (variant.empty()) return;
  Node* chosen = variants.find(variant);
  if (chosen == nullptr) {
    const auto names = keys_of(variants);
    const std::string known =
        names.empty() ? "; the scene has no variants" : fmt::format(" (it has {})", list_of(names));
    findings.add({"--variant " + excerpt(variant), 0, 0, true},
                 fmt::format("the scene has no variant '{}'{}{}", excerpt(variant),
                             suggestion(variant, names), known));
  } else if (chosen->is(NodeType::kTable)) {
    set_layer(*chosen, 1);
    overlay(root, std::move(*chosen), findings);
  }
}

void apply_overrides(Node& root, const std::vector<std::string>& overrides, Findings& findings) {
  unsigned number = 1;  // after the variant
  for (const std::string& text : overrides) apply_override(root, text, ++number, findings);
}

namespace {

void anchor_below(Node& node, const std::string& directory, bool of_run) {
  constexpr std::string_view kPaths[][2] = {{"mesh", "file"},
                                            {"mesh_sequence", "file"},
                                            {"vdb", "file"},
                                            {"text", "font"},
                                            {"height_field", "file"}};
  const Node* type = node.find("type");
  for (const auto& [owner, key] : kPaths) {
    Node* file = type != nullptr && type->text == owner ? node.find(key) : nullptr;
    if (file == nullptr || !file->is(NodeType::kString) || file->text.empty()) continue;
    namespace fs = std::filesystem;
    const bool from_here = file->where.from_override || directory.empty();
    const fs::path base = from_here ? fs::current_path() : fs::absolute(directory);
    file->text = (base / file->text).lexically_normal().string();
    if (!of_run || file->where.from_override) continue;
    const Node* first = node.find("first");
    const bool counts =
        first != nullptr && first->is(NodeType::kInteger) && std::in_range<int>(first->integer);
    file->text = moved_file(file->text, directory, counts ? static_cast<int>(first->integer) : 0);
  }
  for (Node& item : node.items) anchor_below(item, directory, of_run);
  for (Entry& entry : node.entries) anchor_below(entry.value, directory, of_run);
}

}  // namespace

void anchor_paths(Node& node, const std::string& directory) {
  anchor_below(node, directory, is_of_run(directory));
}

}  // namespace firn::scene
