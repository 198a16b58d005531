#include "src/render/font.h"

#include <algorithm>
#include <cmath>

#include "src/render/bitmap_font.h"
#include "src/scene/font_file.h"

#if FIRN_WITH_TEXT
#include <ft2build.h>
#include FT_FREETYPE_H
#endif

namespace firn {
namespace {

// A byte that continues nothing stands for itself.
std::u32string characters(std::string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[i + k]); };
    const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : byte(0) >= 0xc0 ? 2 : 1;
    char32_t code = length == 1 ? byte(0) : byte(0) & (0xffu >> (length + 1));
    bool whole = i + length <= text.size();
    for (std::size_t k = 1; k < length && whole; ++k) {
      whole = (byte(k) & 0xc0) == 0x80;
      code = code << 6 | (byte(k) & 0x3fu);
    }
    result.push_back(whole ? code : char32_t{byte(0)});
    i += whole ? length : 1;
  }
  return result;
}

}  // namespace

#if FIRN_WITH_TEXT

class Font::Face {
 public:
  // Null if FreeType cannot read it.
  static std::unique_ptr<Face> open(const std::string& file) {
    auto face = std::make_unique<Face>();
    const bool opened = FT_Init_FreeType(&face->library_) == 0 &&
                        FT_New_Face(face->library_, file.c_str(), 0, &face->face_) == 0 &&
                        FT_IS_SCALABLE(face->face_);
    return opened ? std::move(face) : nullptr;
  }
  Face() = default;
  Face(const Face&) = delete;
  Face& operator=(const Face&) = delete;
  ~Face() {
    if (face_) FT_Done_Face(face_);
    if (library_) FT_Done_FreeType(library_);
  }

  // In pixels; each glyph's advance is a whole number of them, as its hints want it.
  int draw(Image* image, int x, int y, std::u32string_view text, Rgb color, float scale) {
    set_size(scale);
    const int start = x, baseline = y + rounded_up(face_->size->metrics.ascender);
    for (const char32_t character : text) {
      const FT_Int32 flags = FT_LOAD_TARGET_LIGHT | (image ? FT_LOAD_RENDER : FT_LOAD_DEFAULT);
      if (FT_Load_Char(face_, character, flags) != 0) continue;
      const FT_GlyphSlot glyph = face_->glyph;
      if (image) blend(*image, x + glyph->bitmap_left, baseline - glyph->bitmap_top, color);
      x += rounded_up(glyph->advance.x);
    }
    return x - start;
  }
  int height(float scale) {
    set_size(scale);
    const FT_Size_Metrics& size = face_->size->metrics;
    return rounded_up(size.ascender) + rounded_up(-size.descender);
  }

 private:
  static int rounded_up(FT_Pos sixty_fourths) {
    return static_cast<int>((sixty_fourths + 63) >> 6);
  }

  void set_size(float scale) {
    constexpr double kCapitals = 0.729;  // of DejaVu Sans, over its size
    const double size = std::max(1.0, 6 * static_cast<double>(scale) / kCapitals);
    FT_Set_Char_Size(face_, 0, std::lround(64 * size), 72, 72);
  }

  void blend(Image& image, int left, int top, Rgb color) const {
    const FT_Bitmap& bitmap = face_->glyph->bitmap;
    for (unsigned row = 0; row < bitmap.rows; ++row)
      for (unsigned column = 0; column < bitmap.width; ++column) {
        const unsigned char cover =
            bitmap.buffer[static_cast<std::ptrdiff_t>(row) * bitmap.pitch + column];
        image.blend_pixel(left + static_cast<int>(column), top + static_cast<int>(row), color,
                          static_cast<float>(cover) / 255);
      }
  }

  FT_Library library_ = nullptr;
  FT_Face face_ = nullptr;
};

#else

class Font::Face {
 public:
  static std::unique_ptr<Face> open(const std::string&) { return nullptr; }
  int draw(Image*, int, int, std::u32string_view, Rgb, float) { return 0; }
  int height(float) { return 0; }
};

#endif

Font::Font() : Font(find_font_file("DejaVu Sans")) {}
Font::Font(const std::optional<std::string>& file)
    : face_(file ? Face::open(*file) : std::unique_ptr<Face>()) {}
Font::~Font() = default;
Font::Font(Font&&) noexcept = default;
Font& Font::operator=(Font&&) noexcept = default;

void Font::draw(Image& image, int x, int y, std::string_view text, Rgb color, float scale) const {
  if (face_)
    face_->draw(&image, x, y, characters(text), color, scale);
  else
    draw_bitmap_text(image, x, y, characters(text), color, scale);
}

int Font::width(std::string_view text, float scale) const {
  return face_ ? face_->draw(nullptr, 0, 0, characters(text), {}, scale)
               : bitmap_text_width(characters(text), scale);
}

int Font::height(float scale) const {
  return face_ ? face_->height(scale) : bitmap_text_height(scale);
}

}  // namespace firn
