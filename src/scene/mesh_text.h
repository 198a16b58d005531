// Extruded letters as a mesh: outlines of a font through FreeType, flattened and cut into
// triangles.
#pragma once

#include <string>

#include "src/scene/mesh.h"

namespace firn {

// The font file of a text: its own, or that of DejaVu Sans on this machine. Throws Error{kFile}
// that says what to install where there is none, Error{kScene} in a build without FreeType.
std::string font_of(const Shape& shape);

// The letters of a text: the first one begins at x = 0, the first line stands on y = 0 and further
// ones below it, front and back lie at z = +-depth / 2. `size` is the em of the font, `depth` must
// be > 0, both in m. Curves are cut into lines that leave them by at most 1/4000 of the size. Each
// letter is closed; those of a font may overlap. Throws as font_of, and Error{kFile} for a font
// that cannot be read, Error{kScene} for a letter that the font does not have and for text without
// any.
TriangleMesh text_mesh(const Shape& shape);

}  // namespace firn
