// Pictures in memory and as PNG files, and the few things drawn over them: text and labelled grids
// of pictures. Everything here is independent of how a picture was made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firn/render.h"

namespace firn {

// Throws Error{kFile} likewise.
Image read_png(const std::string& path);

// Draws one line of text with its upper left corner at (x, y). A glyph cell is 6 * scale wide and 9
// * scale high; characters without a glyph are drawn as an empty box.
void draw_text(Image& image, int x, int y, std::string_view text, Rgb color, float scale = 2);
int text_width(std::string_view text, float scale = 2);
int text_height(float scale = 2);

// The pictures in a grid as square as possible, each below its label (missing labels are blank).
// Cells have the size of the largest picture. Throws Error{kScene} if there is no picture.
Image side_by_side(const std::vector<Image>& images, const std::vector<std::string>& labels);

}  // namespace firn
