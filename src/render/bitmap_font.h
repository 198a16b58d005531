// A font of 5x7 points for machines and builds without another.
#pragma once

#include <string_view>

#include "firn/render.h"

namespace firn {

// As Font's; characters without a glyph are drawn as an empty box.
void draw_bitmap_text(Image& image, int x, int y, std::u32string_view text, Rgb color, float scale);
int bitmap_text_width(std::u32string_view text, float scale);
int bitmap_text_height(float scale);

}  // namespace firn
