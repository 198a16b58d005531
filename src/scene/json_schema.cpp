// The JSON Schema of a scene. There are two definitions of each table: the whole one, and the
// partial one that a variant may hold, in which nothing is needed and an array may be reached into
// by a table of indices.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "firn/scene_file.h"
#include "src/scene/parse.h"
#include "src/scene/reference.h"

namespace firn::scene {
namespace {

using Json = nlohmann::ordered_json;

enum class Part { kWhole, kVariant };

Json value_schema(const Key& key, const Key& stands_for, Part part);

Json json_of(const Node& node) {
  switch (node.type) {
    case NodeType::kBoolean:
      return node.boolean;
    case NodeType::kInteger:
      return node.integer;
    case NodeType::kNumber:
      return node.number;
    case NodeType::kArray: {
      Json items = Json::array();
      for (const Node& item : node.items) items.push_back(json_of(item));
      return items;
    }
    case NodeType::kTable: {
      Json members = Json::object();
      for (const Entry& entry : node.entries) members[entry.key] = json_of(entry.value);
      return members;
    }
    default:
      return node.text;
  }
}

Json any_of(std::vector<Json> schemas) { return {{"anyOf", std::move(schemas)}}; }

Json bound(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? Json(whole) : Json(value);
}

Json number_in(const Range& range, const char* type = "number") {
  Json schema = {{"type", type}};
  if (std::isfinite(range.low))
    schema[range.low_open ? "exclusiveMinimum" : "minimum"] = bound(range.low);
  if (std::isfinite(range.high))
    schema[range.high_open ? "exclusiveMaximum" : "maximum"] = bound(range.high);
  return schema;
}

Json number_of(const Key& key) {
  Range range = key.range;
  if (key.thermal_range) {  // what either allows
    range.low_open = range.low_open && key.thermal_range->low_open;
    range.high_open = range.high_open && key.thermal_range->high_open;
  }
  return number_in(range);
}

Json array_of(const Json& item, const Count& count) {
  Json schema = {{"type", "array"}, {"items", item}, {"minItems", count.least}};
  if (count.most != Count{}.most) schema["maxItems"] = count.most;
  return schema;
}

// In a variant an array is replaced as a whole, or an item of it by its index.
Json array_or_items(const Json& item, const Json& variant_item, const Count& count, Part part) {
  Json schema = array_of(item, count);
  if (part == Part::kWhole) return schema;
  return any_of({schema,
                 {{"type", "object"},
                  {"patternProperties", {{"^[0-9]+$", variant_item}}},
                  {"additionalProperties", false}}});
}

std::string definition_name(const Table& rows, Part part) {
  return slug(rows) + (part == Part::kVariant ? "-in-variant" : "");
}

bool stands_for_a_key(const Table& rows) { return rows.keys.front().kind == Kind::kSame; }

// `parent` is the key that the table is a form of.
Json object_schema(const Table& rows, const Key& parent, Part part) {
  Json properties = Json::object(), required = Json::array(), either = Json::array();
  for (const Key& key : rows.keys) {
    if (key.kind == Kind::kReserved) continue;
    const Key& same = key.kind == Kind::kSame ? parent : key;
    Json schema = value_schema(key, same, part);
    schema["description"] = key.about;
    if (const auto value = default_of(key)) schema["default"] = json_of(*value);
    if (!same.unit.empty()) schema["x-unit"] = same.unit;
    schema["x-since"] = key.since;
    properties[std::string(key.name)] = std::move(schema);
    if (!key.required || key.under != Under::kAny || part != Part::kWhole) continue;
    if (key.stand_in.empty())
      required.push_back(key.name);
    else
      either.push_back(any_of({{{"required", {key.name}}}, {{"required", {key.stand_in}}}}));
  }
  Json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  if (!either.empty()) schema["allOf"] = either;
  return schema;
}

Json reference_to(const Table& rows, const Key& parent, Part part) {
  if (stands_for_a_key(rows)) return object_schema(rows, parent, part);
  if (&rows == &kScene) return {{"$ref", "#/$defs/scene-in-variant"}};
  return {{"$ref", "#/$defs/" + definition_name(rows, part)}};
}

// What one value of the key is: an item of its list, if it has one.
Json kind_schema(const Key& key, Part part) {
  const auto numbers = [&](Count count) {
    const Json number = {{"type", "number"}};
    return array_or_items(number, number, count, part);
  };
  switch (key.kind) {
    case Kind::kBoolean:
      return {{"type", "boolean"}};
    case Kind::kInteger:
      return number_in(key.range, "integer");
    case Kind::kNumber:
    case Kind::kAngle:
      return number_of(key);
    case Kind::kChoice:
      return {{"enum", names_of(key.all_words())}};
    case Kind::kVector:
    case Kind::kDirection:
      return numbers({2, 3});
    case Kind::kRotation:
    case Kind::kSpin:
      return any_of({{{"type", "number"}}, numbers({3, 3})});
    case Kind::kCorner:
      return any_of({{{"type", "number"}}, numbers({2, 2})});
    case Kind::kColor: {
      const Json share = number_in(Range::closed(0, 1));
      return array_or_items(share, share, {3, 3}, part);
    }
    case Kind::kField:
      return any_of({number_of(key), {{"type", "string"}}});
    case Kind::kVectorField: {
      const Json component = {{"type", {"number", "string"}}};
      return array_or_items(component, component, {2, 3}, part);
    }
    case Kind::kTable:
      return reference_to(*key.table, key, part);
    case Kind::kNamedTables:
      return {{"type", "object"}, {"additionalProperties", reference_to(*key.table, key, part)}};
    default:
      return {{"type", "string"}};
  }
}

Json value_schema(const Key& key, const Key& stands_for, Part part) {
  Json schema = kind_schema(stands_for, part);
  if (key.list)
    schema =
        array_or_items(kind_schema(key, Part::kWhole), kind_schema(key, part), *key.list, part);
  if (key.also == nullptr) return schema;
  const bool by_key = key.also->table != nullptr && stands_for_a_key(*key.also->table);
  return any_of({schema, by_key ? reference_to(*key.also->table, key, part)
                                : value_schema(*key.also, *key.also, part)});
}

Json when(Json condition, Json then) {
  return {{"if", std::move(condition)}, {"then", std::move(then)}};
}

std::vector<std::string_view> types_with(const Table& rows, const Table* table) {
  std::vector<std::string_view> names;
  for (const Subtype& type : rows.types)
    if (type.table == table) names.push_back(type.name);
  return names;
}

// A table whose `type` brings keys of its own: a variant may leave the type out, so that any of
// them is possible.
Json typed_schema(const Table& rows, Part part) {
  Json schema = object_schema(rows, rows.keys.front(), part);
  for (const Subtype& type : rows.types) {
    if (type.name != types_with(rows, type.table).front()) continue;
    Json more = object_schema(*type.table, rows.keys.front(), part);
    if (part == Part::kWhole) {
      for (const Key& key : rows.keys) more["properties"][std::string(key.name)] = true;
      const Json names = types_with(rows, type.table);
      schema["allOf"].push_back(when({{"properties", {{"type", {{"enum", names}}}}}}, more));
      continue;
    }
    for (auto& [key, value] : more["properties"].items()) {
      Json& known = schema["properties"][key];
      if (known.is_null())
        known = value;
      else if (known != value)
        known = any_of({known, value});
    }
  }
  if (part == Part::kWhole) schema.erase("additionalProperties");
  return schema;
}

// --- what an integrator rules out ---

Json is_model(const Scene& scene, const ModelKeys& model) {
  Json presets = Json::array();
  for (const MaterialPreset& preset : material_presets())
    if (model_of_preset(scene, preset.material.model) == model.model)
      presets.push_back(preset.material.name);
  const Json has_model = {{"required", {"model"}}};
  return any_of({{{"required", {"model"}}, {"properties", {{"model", {{"const", model.name}}}}}},
                 {{"not", has_model},
                  {"required", {"preset"}},
                  {"properties", {{"preset", {{"enum", presets}}}}}}});
}

// What a model needs, unless a preset has it.
Json needs_of(const ModelKeys& model) {
  Json needs = Json::array({{{"required", {"density"}}}});
  for (const std::string_view key : model.required) {
    const std::string_view stand_in = kMaterial.find(key)->stand_in;
    if (stand_in.empty())
      needs.push_back({{"required", {key}}});
    else
      needs.push_back(any_of({{{"required", {key}}}, {{"required", {stand_in}}}}));
  }
  return any_of({{{"required", {"preset"}}}, {{"allOf", needs}}});
}

Json models_under(const Scene& scene) {
  Json models = Json::array(), cases = Json::array();
  for (const ModelKeys& model : material_models()) {
    if (!why_not_moved(scene, model.model).empty()) continue;
    models.push_back(model.name);
    Json keys = kOfAllMaterials;
    for (const std::string_view key : model_keys(scene, model)) keys.push_back(key);
    Json rules = needs_of(model);
    rules["propertyNames"] = {{"enum", keys}};
    for (const std::string_view key : model.required)
      if (const std::string_view stand_in = stand_in_of(model, key); !stand_in.empty())
        rules["allOf"].push_back({{"not", {{"required", {key, stand_in}}}}});
    cases.push_back(when(is_model(scene, model), rules));
  }
  return {{"properties", {{"model", {{"enum", models}}}}},
          {"anyOf", {{{"required", {"model"}}}, {{"required", {"preset"}}}}},
          {"allOf", cases}};
}

// Nothing where the setting rules out and demands nothing.
Json rules_under(const Table& rows, Under setting) {
  Json rules = Json::object();
  for (const Key& key : rows.keys) {
    if (!includes(key.under, setting)) {
      rules["properties"][std::string(key.name)] = false;
      continue;
    }
    if (key.required && key.under != Under::kAny) rules["required"].push_back(key.name);
    const Key& form = key.table == nullptr && key.also != nullptr ? *key.also : key;
    if (form.table == nullptr || form.table == &kScene) continue;
    Json inner = rules_under(*form.table, setting);
    if (form.table == &kMaterial) inner.update(models_under(scene_under(setting)), true);
    if (inner.empty()) continue;
    if (form.list) inner = {{"items", inner}};
    if (form.kind == Kind::kNamedTables) inner = {{"additionalProperties", inner}};
    rules["properties"][std::string(key.name)] = inner;
  }
  return rules;
}

Json has_value(const char* table, const char* key, const Json& value) {
  return {{"required", {table}},
          {"properties",
           {{table, {{"required", {key}}, {"properties", {{key, {{"const", value}}}}}}}}}};
}

Json rules_by_integrator() {
  Json thermal = when(has_value("thermal", "heat", false), rules_under(kScene, Under::kNoHeat));
  thermal["else"] = rules_under(kScene, Under::kHeat);
  Json solid = when(has_value("simulation", "integrator", "thermal"), thermal);
  Json linear = when(has_value("simulation", "integrator", "semi_implicit"),
                     rules_under(kScene, Under::kLinear));
  linear["else"] = rules_under(kScene, Under::kExplicit);
  Json implicit = when(has_value("simulation", "integrator", "optimization"),
                       rules_under(kScene, Under::kOptimization));
  implicit["else"] = linear;
  solid["else"] = implicit;
  Json rules = when(has_value("simulation", "integrator", "incompressible"),
                    rules_under(kScene, Under::kIncompressible));
  rules["else"] = solid;
  return rules;
}

Json definitions() {
  Json all = Json::object();
  std::vector<const Table*> subtypes;
  for (const Table* rows : all_tables()) {
    for (const Subtype& type : rows->types) subtypes.push_back(type.table);
    const bool in_another = std::find(subtypes.begin(), subtypes.end(), rows) != subtypes.end();
    if (in_another || stands_for_a_key(*rows)) continue;
    for (const Part part : {Part::kWhole, Part::kVariant}) {
      if (rows == &kScene && part == Part::kWhole) continue;  // the schema itself
      all[definition_name(*rows, part)] = rows->types.empty()
                                              ? object_schema(*rows, rows->keys.front(), part)
                                              : typed_schema(*rows, part);
    }
  }
  all["scene-in-variant"]["properties"].erase("variants");
  return all;
}

}  // namespace

std::string scene_schema() {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "Firn scene"},
                 {"description", "A scene file (TOML) as JSON."}};
  schema.update(object_schema(kScene, kScene.keys.front(), Part::kWhole));
  schema["anyOf"] = {{{"required", {"body"}}},
                     {{"required", {"source"}}, {"properties", {{"source", {{"type", "array"}}}}}}};
  schema.update(rules_by_integrator());
  schema["$defs"] = definitions();
  return schema.dump(2) + "\n";
}

}  // namespace firn::scene
