#include "src/scene/mesh_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "firn/error.h"
#include "src/scene/findings.h"
#include "src/scene/font_file.h"
#include "src/scene/triangulate.h"

#if FIRN_WITH_TEXT
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H
#endif

namespace firn {

#if FIRN_WITH_TEXT
namespace {

// The character that begins at `at`, which moves past it; nothing where the bytes are no UTF-8.
std::optional<char32_t> next_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  if (first < 0xc2 || first > 0xf4) return std::nullopt;
  char32_t code = first & (0x3fU >> more);
  for (int i = 0; i < more; ++i) {
    if (at >= text.size() || (byte(at) & 0xc0) != 0x80) return std::nullopt;
    code = code << 6 | (byte(at++) & 0x3fU);
  }
  constexpr char32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kLeast[more] || code > 0x10ffff || surrogate) return std::nullopt;
  return code;
}

// A font that is open, in units of its own.
class Font {
 public:
  explicit Font(const std::string& path) : path_(path) {
    FT_Library library = nullptr;
    if (FT_Init_FreeType(&library) != 0) fail("FreeType does not start");
    library_.reset(library);
    FT_Face face = nullptr;
    if (const FT_Error error = FT_New_Face(library, path.c_str(), 0, &face); error != 0)
      fail(fmt::format("cannot be read as a font (FreeType's error {})", error));
    face_.reset(face);
    if (!FT_IS_SCALABLE(face)) fail("is a font of pixels, without outlines");
  }

  double em() const { return face_->units_per_EM; }
  double line_height() const { return face_->height; }
  unsigned glyph_of(char32_t character) const { return FT_Get_Char_Index(face_.get(), character); }
  double kerning(unsigned before, unsigned glyph) const {
    FT_Vector by{};
    if (before != 0) FT_Get_Kerning(face_.get(), before, glyph, FT_KERNING_UNSCALED, &by);
    return static_cast<double>(by.x);
  }

  struct Glyph {
    std::vector<PlaneLoop> loops;  // counter-clockwise around what is filled
    double advance = 0;
  };
  Glyph load(unsigned index) const {
    if (const FT_Error error = FT_Load_Glyph(face_.get(), index, FT_LOAD_NO_SCALE); error != 0)
      fail(fmt::format("glyph {} cannot be read (FreeType's error {})", index, error));
    FT_GlyphSlot slot = face_->glyph;
    if (slot->format != FT_GLYPH_FORMAT_OUTLINE) fail("has a letter without an outline");
    Glyph glyph{{}, static_cast<double>(slot->advance.x)};
    Tracer tracer{glyph.loops, em() / 4000};
    FT_Outline_Funcs steps{};
    steps.move_to = [](const FT_Vector* to, void* self) { return trace(self).move(point(to)); };
    steps.line_to = [](const FT_Vector* to, void* self) { return trace(self).line(point(to)); };
    steps.conic_to = [](const FT_Vector* by, const FT_Vector* to, void* self) {
      return trace(self).curve({trace(self).here(), point(by), point(to)});
    };
    steps.cubic_to = [](const FT_Vector* a, const FT_Vector* b, const FT_Vector* to, void* self) {
      return trace(self).curve({trace(self).here(), point(a), point(b), point(to)});
    };
    FT_Outline_Decompose(&slot->outline, &steps, &tracer);
    const bool clockwise = FT_Outline_Get_Orientation(&slot->outline) == FT_ORIENTATION_TRUETYPE;
    for (PlaneLoop& loop : glyph.loops) {
      while (loop.size() > 1 && loop.front() == loop.back()) loop.pop_back();
      if (clockwise) std::reverse(loop.begin(), loop.end());
    }
    std::erase_if(glyph.loops, [](const PlaneLoop& loop) { return loop.size() < 3; });
    return glyph;
  }

 private:
  // Curves as lines that leave them by at most `tolerance`.
  struct Tracer {
    std::vector<PlaneLoop>& loops;
    double tolerance;

    PlanePoint here() const { return loops.back().back(); }
    int move(const PlanePoint& to) {
      loops.push_back({to});
      return 0;
    }
    int line(const PlanePoint& to) {
      if (to != here()) loops.back().push_back(to);
      return 0;
    }
    // Bezier's, of degree 2 or 3. A chord over 1/n of it leaves it by up to max |B''| / (8 n^2),
    // and B'' lies between the second differences of its points times degree (degree - 1).
    int curve(std::vector<PlanePoint> points) {
      double bend = 0;
      for (std::size_t i = 0; i + 2 < points.size(); ++i)
        bend = std::max(bend, std::hypot(points[i][0] - 2 * points[i + 1][0] + points[i + 2][0],
                                         points[i][1] - 2 * points[i + 1][1] + points[i + 2][1]));
      const auto degree = static_cast<double>(points.size() - 1);
      const double steps = std::sqrt(degree * (degree - 1) * bend / (8 * tolerance));
      const int n = std::max(1, static_cast<int>(std::ceil(std::min(steps, 1000.0))));
      for (int i = 1; i <= n; ++i) line(i == n ? points.back() : at(points, double(i) / n));
      return 0;
    }
    static PlanePoint at(std::vector<PlanePoint> points, double t) {  // de Casteljau
      for (std::size_t left = points.size() - 1; left > 0; --left)
        for (std::size_t i = 0; i < left; ++i)
          for (std::size_t a = 0; a < 2; ++a) points[i][a] += t * (points[i + 1][a] - points[i][a]);
      return points[0];
    }
  };
  static Tracer& trace(void* self) { return *static_cast<Tracer*>(self); }
  static PlanePoint point(const FT_Vector* v) {
    return {static_cast<double>(v->x), static_cast<double>(v->y)};
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorCategory::kFile, fmt::format("{}: {}", path_, why));
  }

  struct Close {
    void operator()(FT_Library library) const { FT_Done_FreeType(library); }
    void operator()(FT_Face face) const { FT_Done_Face(face); }
  };
  std::string path_;
  std::unique_ptr<FT_LibraryRec_, Close> library_;
  std::unique_ptr<FT_FaceRec_, Close> face_;  // goes before its library
};

// A loop with the holes in it, extruded: front, back and walls share their vertices.
void extrude(const PlaneLoop& outer, const std::vector<PlaneLoop>& holes, double depth,
             TriangleMesh& mesh) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  std::uint32_t n = 0;
  std::vector<std::array<std::uint32_t, 2>> edges;
  const auto add = [&](const PlaneLoop& loop) {
    const auto size = static_cast<std::uint32_t>(loop.size());
    for (std::uint32_t i = 0; i < size; ++i) {
      edges.push_back({n + i, n + (i + 1) % size});
      mesh.vertices.push_back({loop[i][0], loop[i][1], 0.5 * depth});
    }
    n += size;
  };
  add(outer);
  for (const PlaneLoop& hole : holes) add(hole);
  for (std::uint32_t i = 0; i < n; ++i) {
    Vec3 back = mesh.vertices[first + i];
    back[2] = -0.5 * depth;
    mesh.vertices.push_back(back);
  }
  for (const auto& [a, b, c] : triangulate(outer, holes)) {
    mesh.triangles.push_back({first + a, first + b, first + c});
    mesh.triangles.push_back({first + n + c, first + n + b, first + n + a});
  }
  for (const auto& [a, b] : edges) {
    mesh.triangles.push_back({first + a, first + n + a, first + n + b});
    mesh.triangles.push_back({first + a, first + n + b, first + b});
  }
}

// A hole belongs to the smallest loop around it.
void extrude_glyph(const std::vector<PlaneLoop>& loops, double depth, TriangleMesh& mesh) {
  std::vector<std::pair<const PlaneLoop*, std::vector<PlaneLoop>>> solids;
  for (const PlaneLoop& loop : loops)
    if (twice_area(loop) > 0) solids.push_back({&loop, {}});
  for (const PlaneLoop& loop : loops) {
    if (twice_area(loop) > 0) continue;
    std::vector<PlaneLoop>* owner = nullptr;
    double smallest = 0;
    for (auto& [outer, holes] : solids) {
      const double area = twice_area(*outer);
      if ((owner == nullptr || area < smallest) && encloses(*outer, loop[0]))
        owner = &holes, smallest = area;
    }
    if (owner != nullptr) owner->push_back(loop);
  }
  for (const auto& [outer, holes] : solids) extrude(*outer, holes, depth, mesh);
}

}  // namespace

std::string font_of(const Shape& shape) {
  if (!shape.font.empty()) return shape.font;
  if (const auto font = find_font_file("DejaVu Sans")) return *font;
  throw Error(
      ErrorCategory::kFile,
      "a text needs a font, and this machine has no DejaVu Sans: install it (Debian, Ubuntu: "
      "apt install fonts-dejavu-core), or give a file (OTF, TTF) by 'font'");
}

TriangleMesh text_mesh(const Shape& shape) {
  const std::string path = font_of(shape);
  const Font font(path);
  const double unit = shape.size / font.em();
  TriangleMesh mesh;
  double x = 0, y = 0;
  unsigned before = 0;
  for (std::size_t at = 0; at < shape.text.size();) {
    const std::size_t begin = at;
    const auto character = next_character(shape.text, at);
    if (!character)
      throw Error(ErrorCategory::kScene, fmt::format("text: its byte {} is no UTF-8", begin + 1));
    if (*character == U'\n') {
      x = 0, y -= font.line_height(), before = 0;
      continue;
    }
    const unsigned index = font.glyph_of(*character);
    if (index == 0)
      throw Error(ErrorCategory::kScene,
                  fmt::format("text: the font {} has no letter \"{}\" (U+{:04X})", path,
                              scene::excerpt(shape.text.substr(begin, at - begin)),
                              static_cast<std::uint32_t>(*character)));
    Font::Glyph glyph = font.load(index);
    x += font.kerning(before, index);
    for (PlaneLoop& loop : glyph.loops)
      for (PlanePoint& p : loop) p = {unit * (x + p[0]), unit * (y + p[1])};
    extrude_glyph(glyph.loops, shape.depth, mesh);
    x += glyph.advance, before = index;
  }
  if (mesh.triangles.empty())
    throw Error(ErrorCategory::kScene, "text: it has no letters, only spaces");
  return mesh;
}

#else

std::string font_of(const Shape&) {
  throw Error(ErrorCategory::kScene, "text shapes need a build with FreeType (FIRN_WITH_TEXT=ON)");
}
TriangleMesh text_mesh(const Shape& shape) {
  font_of(shape);
  return {};
}

#endif

}  // namespace firn
