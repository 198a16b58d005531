// The reference of scene keys as Markdown: a section for every table, a line for every row.
#include "src/scene/reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "src/scene/expression.h"
#include "src/scene/parse.h"

namespace firn::scene {
namespace {

constexpr std::string_view kIntroduction =
    R"(# Scene reference

<!-- written by scripts/scene-reference from the rows in src/scene: edit those, not this -->

Every key of a scene file. A scene is one TOML file with SI units; angles are in degrees, vectors have
`simulation.dimension` entries, and a body in 2D has unit thickness. An *expression* is text such as
`"0.5 * sin(x) + t"`, in metres and seconds; [below](#expressions) is what it may say. Paths are relative to the scene file, in `--set` to the folder that the program is called in. `--set grid.dx=0.01` overrides a key,
`--set body.0.shape.radius=0.2` one in an array.

`firn schema` prints all of this as a JSON Schema, for editors that complete and check TOML.
Keys are there since version 0.1 unless their line names another one. **Needed** keys have no default.

)";

constexpr const char* kExpressions = R"(## Expressions

Numbers, the variables that the key allows and `pi`, joined, from what binds least to what binds most, by `a ? b : c`;
`||`; `&&`; `<`, `<=`, `>`, `>=`, `==`, `!=`, which are 1 or 0; `+`, `-`; `*`, `/`; signs; and `^`, which associates to the
right, so that `-x^2` is `-(x^2)`. Functions: {}. `min`, `max`, `sum` and `avg` take any number of values.
)";

void visit(const Table& rows, std::vector<const Table*>& seen) {
  if (std::find(seen.begin(), seen.end(), &rows) != seen.end()) return;
  seen.push_back(&rows);
  for (const Subtype& type : rows.types) visit(*type.table, seen);
  for (const Key& row : rows.keys)
    for (const Key* form = &row; form != nullptr; form = form->also)
      if (form->table != nullptr) visit(*form->table, seen);
}

bool needed_by_all_models(std::string_view key) {
  const auto has = [&](std::span<const std::string_view> keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  bool some = false;
  for (const ModelKeys& model : material_models()) {
    if (has(model.optional)) return false;
    some |= has(model.required);
  }
  const Scene thermal = scene_under(Under::kHeat);
  return some && !has(thermal_keys(thermal, MaterialModel::kCorotatedDeviatoric));
}

std::string code_span(std::string_view word) { return fmt::format("`{}`", word); }

std::string list_of_code_spans(const std::vector<std::string_view>& names) {
  std::vector<std::string> words;
  words.reserve(names.size());
  for (const std::string_view name : names) words.push_back(code_span(name));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string title_of(const Table& rows) {
  return &rows == &kScene ? "Scene" : std::string(rows.name);
}

std::string link_to(const Table& rows) {
  return fmt::format(
      "[{}](#{})", rows.name.starts_with('[') ? code_span(rows.name) : title_of(rows), slug(rows));
}

std::string range_text(const Key& key) {
  const Range& range = key.range;
  if (std::isinf(range.low)) return "";
  std::string text = " " + range.text();
  if (key.kind == Kind::kInteger && std::isfinite(range.high))
    text = fmt::format(" from {} to {}", range.low, range.high);
  if (key.thermal_range) text += fmt::format(", thermal: {}", key.thermal_range->text());
  return text;
}

std::string kind_text(const Key& key) {
  switch (key.kind) {
    case Kind::kBoolean:
      return "boolean";
    case Kind::kInteger:
      return "integer" + range_text(key);
    case Kind::kNumber:
      return "number" + range_text(key);
    case Kind::kAngle:
      return "angle" + range_text(key);
    case Kind::kChoice:
      return list_of_code_spans(names_of(key.all_words()));
    case Kind::kVector:
      return "vector";
    case Kind::kDirection:
      return "direction";
    case Kind::kRotation:
      return "[angle, angle, angle]; 2D: an angle";
    case Kind::kSpin:
      return "[number, number, number]; 2D: a number";
    case Kind::kCorner:
      return "[number, number]; 2D: a number";
    case Kind::kColor:
      return "red, green, blue in [0, 1]";
    case Kind::kField:
      return fmt::format("number{} or expression of {}", range_text(key),
                         fmt::join(key.variables, ", "));
    case Kind::kVectorField:
      return fmt::format("vector of numbers or expressions of {}", fmt::join(key.variables, ", "));
    case Kind::kTable:
      return link_to(*key.table);
    case Kind::kNamedTables:
      return link_to(*key.table) + " by name";
    case Kind::kSame:
      return "as the key itself";
    default:
      return "string";
  }
}

std::string type_text(const Key& key) {
  std::string text = kind_text(key);
  if (key.list) {
    const auto [least, most] = *key.list;
    const std::string count = most == 0       ? "empty array"
                              : least == most ? fmt::format("array of {}", least)
                              : least > 0     ? fmt::format("array of {} or more", least)
                                              : "array";
    text = fmt::format("{}: {}", count, text);
  }
  return key.also != nullptr ? fmt::format("{}; or {}", text, type_text(*key.also)) : text;
}

std::string default_text(const Key& key) {
  if (key.required) return "**needed**";
  const std::optional<Node> value = default_of(key);
  std::string text;
  if (value) {
    const bool degrees = key.kind == Kind::kAngle;
    text = code_span(degrees ? fmt::format("{:.4g}", value->number) : write_value(*value));
  }
  if (!key.otherwise.empty()) text += (text.empty() ? "" : "; ") + std::string(key.otherwise);
  return text;
}

std::string_view setting_text(Under under) {
  switch (under) {
    case Under::kExplicit:
      return "`explicit` only";
    case Under::kMoved:
      return "`explicit` and `incompressible` only";
    case Under::kImplicit:
      return "`optimization` and `semi_implicit` only";
    case Under::kOptimization:
      return "`optimization` only";
    case Under::kNodal:
      return "not `incompressible`, `thermal`";
    case Under::kIncompressible:
      return "`incompressible` only";
    case Under::kThermal:
      return "`thermal` only";
    case Under::kHeat:
      return "`thermal` with heat only";
    case Under::kNotIncompressible:
      return "not `incompressible`";
    default:
      return "";
  }
}

std::string about_text(const Key& key) {
  std::string text(key.about);
  if (!key.stand_in.empty()) text += fmt::format("; or `{}`", key.stand_in);
  if (const std::string_view setting = setting_text(key.under); !setting.empty())
    text += fmt::format("{}({})", text.empty() ? "" : " ", setting);
  if (key.since != KeyDetails{}.since) text += fmt::format(" (since {})", key.since);
  return text;
}

void write_rows(std::string& out, const Table& rows) {
  out += "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n";
  for (const Key& key : rows.keys) {
    if (key.kind == Kind::kReserved) continue;
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", key.name, type_text(key), key.unit,
                       default_text(key), about_text(key));
  }
  out += '\n';
}

// The words that say more than their names.
void write_words(std::string& out, const Table& rows) {
  for (const Key& key : rows.keys) {
    const std::vector<Word> words = key.all_words();
    const bool all_plain = std::all_of(words.begin(), words.end(),
                                       [](const Word& word) { return word.about.empty(); });
    if (all_plain) continue;
    out += fmt::format("`{}`:\n\n", key.name);
    for (const Word& word : words)
      out += fmt::format("- `{}`{}{}\n", word.name, word.about.empty() ? "" : ": ", word.about);
    out += '\n';
  }
}

// With what may stand in their place, which is no more among what the model may have.
std::string needs_text(const ModelKeys& model, std::vector<std::string_view>& optional) {
  std::string text;
  for (const std::string_view key : model.required) {
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", key);
    const std::string_view stand_in = stand_in_of(model, key);
    if (std::erase(optional, stand_in) > 0) text += fmt::format(" or `{}`", stand_in);
  }
  return text;
}

void write_models(std::string& out) {
  const Scene thermal = scene_under(Under::kHeat);
  out +=
      "Keys of the models; each also has `density` (needed), `viscosity`, `color` and, under\n"
      "implicit integrators, `stiffness_damping`.\n\n"
      "| model | needs | may have | under `thermal` also |\n|---|---|---|---|\n";
  for (const ModelKeys& model : material_models()) {
    const bool moved = why_not_moved(thermal, model.model).empty();
    std::vector<std::string_view> optional(model.optional.begin(), model.optional.end());
    const std::string needs = needs_text(model, optional);
    out += fmt::format("| `{}` | {} | {} | {} |\n", model.name, needs, list_of_code_spans(optional),
                       moved ? list_of_code_spans(thermal_keys(thermal, model.model)) : "");
  }
  out += '\n';
}

void write_types(std::string& out, const Table& rows) {
  out += "Each type has keys of its own:\n\n";
  for (const Subtype& type : rows.types)
    out += fmt::format("- [`{}`](#{}){}{}{}\n", type.name, slug(*type.table),
                       type.about.empty() ? "" : ": ", type.about, type.in_2d ? "" : " (3D only)");
  out += '\n';
}

void write_table(std::string& out, const Table& rows) {
  out += fmt::format("## {}\n\n", title_of(rows));
  if (!rows.about.empty()) out += fmt::format("{}\n\n", rows.about);
  write_rows(out, rows);
  if (rows.types.empty())
    write_words(out, rows);
  else
    write_types(out, rows);
  if (&rows == &kMaterial) write_models(out);
}

}  // namespace

std::vector<const Table*> all_tables() {
  std::vector<const Table*> tables;
  visit(kScene, tables);
  return tables;
}

std::string slug(const Table& rows) {
  std::string text;
  for (const char c : title_of(rows)) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-')
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (c == ' ')
      text += '-';
  }
  return text;
}

std::optional<Node> default_of(const Key& key) {
  if (key.required || key.value == nullptr) return std::nullopt;
  if (kMaterial.find(key.name) == &key && needed_by_all_models(key.name)) return std::nullopt;
  const std::optional<Node> value = key.value(key, nullptr);
  const bool placeholder =
      value && value->is(NodeType::kNumber) && !key.range.contains(value->number);
  return placeholder ? std::nullopt : value;
}

std::string scene_reference() {
  std::string out(kIntroduction);
  for (const Table* rows : all_tables()) out += fmt::format("- {}\n", link_to(*rows));
  out += '\n';
  for (const Table* rows : all_tables()) write_table(out, *rows);
  out += fmt::format(kExpressions, list_of_code_spans(expression_functions()));
  return out;
}

}  // namespace firn::scene
