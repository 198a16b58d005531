// Shapes that come out of files, of meshes, volumes and fonts: their rows and how they are read.
// And the rows of how a shape is placed, which others have as well.
#pragma once

#include "src/scene/parse.h"

namespace firn::scene {

inline constexpr Key kTranslation = key<&Shape::translation>("translation", "last", {.unit = "m"});
inline constexpr Key kRotation =
    key<&Shape::rotation>("rotation", "about the origin: about x, then y, then z",
                          {.kind = Kind::kRotation, .unit = "degrees"});
inline constexpr Key kScale =
    key<&Shape::scale>("scale", "first, from the origin", {.range = Range::positive()});

extern const Table kMesh, kMeshSequence, kVdb, kText;

void parse_mesh(TableReader& table, Shape& shape);
void parse_mesh_sequence(TableReader& table, Shape& shape);
void parse_vdb(TableReader& table, Shape& shape);
void parse_text(TableReader& table, Shape& shape);

// Whether it is one, or moves one by transforms: no other tree may hold one.
bool is_mesh_sequence(const Shape& shape);
bool holds_mesh_sequence(const Shape& shape);

}  // namespace firn::scene
