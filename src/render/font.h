// Lines of text in pictures: DejaVu Sans where the machine has it and the build has FreeType
// (FIRN_WITH_TEXT), else a bitmap font.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "firn/render.h"

namespace firn {

class Font {
 public:
  Font();
  // Of a file that FreeType reads; none, or one that it cannot read: the bitmap font.
  explicit Font(const std::optional<std::string>& file);
  ~Font();
  Font(Font&&) noexcept;
  Font& operator=(Font&&) noexcept;

  bool is_bitmap() const { return face_ == nullptr; }

  // One line of UTF-8, its upper left corner at (x, y), clipped to the image. Capitals are some
  // 6 * scale pixels high; bytes that are no UTF-8, and characters that the font lacks, are drawn
  // as its sign for them. Not for several threads at once.
  void draw(Image& image, int x, int y, std::string_view text, Rgb color, float scale) const;
  int width(std::string_view text, float scale) const;  // pixels
  int height(float scale) const;                        // of any line, pixels

 private:
  class Face;
  std::unique_ptr<Face> face_;
};

}  // namespace firn
