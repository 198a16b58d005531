// What the rows of all tables say, for users: a reference as Markdown, and a JSON Schema.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/scene/keys.h"

namespace firn::scene {

std::string scene_reference();
// Draft 2020-12, of a scene file as JSON. It knows types, ranges, words, and what keys an
// integrator or a model has, but nothing that several values decide together.
std::string scene_schema();

// Every table that can be reached from the scene's, each once, in the order of the rows.
std::vector<const Table*> all_tables();
// A table's name as a link and a definition have it: "time", "shape-sphere".
std::string slug(const Table& rows);
// What holds without the key, if its row says so: not what a struct is filled with until a needed
// value comes.
std::optional<Node> default_of(const Key& key);

}  // namespace firn::scene
