// PNG files as numbers. libpng's simplified interface would convert 8-bit samples from sRGB, so
// this is the classic one; it reports errors by longjmp, which is why everything with a destructor
// lives in one object outside the frames that are jumped over.
#include <fmt/format.h>
#include <png.h>

#include <cerrno>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

#include "firn/error.h"
#include "src/scene/height_map.h"
#include "src/scene/png_size.h"

namespace firn {
namespace {

constexpr png_uint_32 kMostPixels = 1u << 28;

struct PngFile {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{nullptr, &std::fclose};
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string error;
  png_uint_32 width = 0, height = 0;
  std::uint64_t bytes_in_file = 0;  // of its rows before they are compressed
  int channels = 0, bytes_per_channel = 0;
  std::vector<png_byte> bytes;
  std::vector<png_bytep> rows;

  PngFile() = default;
  PngFile(const PngFile&) = delete;
  PngFile& operator=(const PngFile&) = delete;
  ~PngFile() { png_destroy_read_struct(&png, &info, nullptr); }
};

void on_error(png_structp png, png_const_charp message) {
  static_cast<PngFile*>(png_get_error_ptr(png))->error = message;
  png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

// Grey or RGB of 8 or 16 bits, whatever the file holds.
bool read_header(PngFile& f) {
  if (setjmp(png_jmpbuf(f.png))) return false;
  png_init_io(f.png, f.file.get());
  png_read_info(f.png, f.info);
  f.bytes_in_file =
      std::uint64_t{png_get_rowbytes(f.png, f.info)} * png_get_image_height(f.png, f.info);
  png_set_expand(f.png);
  png_set_strip_alpha(f.png);
  png_set_interlace_handling(f.png);
  png_read_update_info(f.png, f.info);
  f.width = png_get_image_width(f.png, f.info);
  f.height = png_get_image_height(f.png, f.info);
  f.channels = png_get_channels(f.png, f.info);
  f.bytes_per_channel = png_get_bit_depth(f.png, f.info) / 8;
  return true;
}

bool read_pixels(PngFile& f) {
  if (setjmp(png_jmpbuf(f.png))) return false;
  png_read_image(f.png, f.rows.data());
  png_read_end(f.png, nullptr);
  return true;
}

double channel(const PngFile& f, const png_byte* pixel, int c) {
  if (f.bytes_per_channel == 1) return pixel[c] / 255.0;
  return (256 * pixel[2 * c] + pixel[2 * c + 1]) / 65535.0;  // PNG is big-endian
}

double luminance(const PngFile& f, const png_byte* pixel) {
  if (f.channels < 3) return channel(f, pixel, 0);
  return 0.2126 * channel(f, pixel, 0) + 0.7152 * channel(f, pixel, 1) +
         0.0722 * channel(f, pixel, 2);
}

}  // namespace

GreyImage read_grey_png(const std::string& path) {
  const auto fail = [&](const std::string& reason) {
    throw Error(ErrorCategory::kFile, fmt::format("{}: cannot read the heights: {}", path, reason));
  };
  PngFile f;
  f.file.reset(std::fopen(path.c_str(), "rb"));
  if (!f.file) fail(std::strerror(errno));
  f.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &f, on_error, on_warning);
  f.info = f.png != nullptr ? png_create_info_struct(f.png) : nullptr;
  if (f.info == nullptr) fail("out of memory");
  if (!read_header(f)) fail(f.error);
  if (f.width >= kMostPixels / f.height)
    fail(fmt::format("it has {} x {} pixels, more than 2^28", f.width, f.height));
  if (!may_hold(path, f.bytes_in_file))
    fail(fmt::format("it says that it has {} x {} pixels, for which its file is too short", f.width,
                     f.height));
  const std::size_t stride = std::size_t{f.width} * f.channels * f.bytes_per_channel;
  f.bytes.resize(stride * f.height);
  for (png_uint_32 row = 0; row < f.height; ++row) f.rows.push_back(&f.bytes[row * stride]);
  if (!read_pixels(f)) fail(f.error);

  GreyImage image{static_cast<int>(f.width), static_cast<int>(f.height), {}};
  const std::size_t step = stride / f.width;
  for (std::size_t at = 0; at < f.bytes.size(); at += step)
    image.value.push_back(static_cast<float>(luminance(f, &f.bytes[at])));
  return image;
}

}  // namespace firn
