// PNG files through libpng: read through its simplified interface, which reports errors as text
// instead of by longjmp, and written through the other one, which can be told how to compress.
#include <png.h>
#include <zlib.h>

#include <cerrno>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "src/render/image.h"
#include "src/render/picture_file.h"
#include "src/scene/png_size.h"

namespace firn {
namespace {

// What libpng says when it fails.
void keep_message(png_structp png, png_const_charp message) {
  *static_cast<std::string*>(png_get_error_ptr(png)) = message;
  png_longjmp(png, 1);
}
void ignore_warning(png_structp, png_const_charp) {}

// Pixels as files have them.
struct Rows {
  const std::uint8_t* bytes;
  int width, height, channels;
};

std::vector<std::uint8_t> with_alpha(const Image& image) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(4 * image.alpha.size());
  for (std::size_t i = 0; i < image.alpha.size(); ++i) {
    bytes.insert(bytes.end(),
                 {image.rgb[3 * i], image.rgb[3 * i + 1], image.rgb[3 * i + 2], image.alpha[i]});
  }
  return bytes;
}

void split_alpha(const std::vector<std::uint8_t>& bytes, Image& image) {
  for (std::size_t i = 0; i + 3 < bytes.size(); i += 4) {
    image.rgb.insert(image.rgb.end(), {bytes[i], bytes[i + 1], bytes[i + 2]});
    image.alpha.push_back(bytes[i + 3]);
  }
}

// The differences to the left ("Sub") or upwards ("Up"), whichever are smaller, are mostly zeros or
// noise: zlib's run lengths make files 3 to 24 % larger than its level 5 does, in 40 % of the time.
// libpng leaves by longjmp where it fails: nothing in here has a destructor.
bool encode(png_structp png, png_infop info, std::FILE* file, const Rows& rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_init_io(png, file);
  png_set_IHDR(png, info, static_cast<png_uint_32>(rows.width),
               static_cast<png_uint_32>(rows.height), 8,
               rows.channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB | PNG_FILTER_UP);
  png_set_compression_strategy(png, Z_RLE);
  png_write_info(png, info);
  for (int y = 0; y < rows.height; ++y)
    png_write_row(png, rows.bytes + std::size_t{1} * rows.channels * rows.width * y);
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

void write_png(const std::string& path, const Image& image) {
  const std::size_t pixels = std::size_t{1} * image.width * image.height;
  if (image.width <= 0 || image.height <= 0 || image.rgb.size() != 3 * pixels ||
      (!image.alpha.empty() && image.alpha.size() != pixels))
    fail_picture(path, "write", "it is empty or its size does not match its pixels");
  const std::vector<std::uint8_t> four = with_alpha(image);
  const Rows rows{four.empty() ? image.rgb.data() : four.data(), image.width, image.height,
                  four.empty() ? 3 : 4};
  write_picture_file(path, [&](std::FILE* file) -> std::string {
    std::string message;
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, keep_message, ignore_warning);
    png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
    errno = 0;
    if (info == nullptr) errno = ENOMEM;
    const bool written = info != nullptr && encode(png, info, file, rows);
    const int error = errno;
    png_destroy_write_struct(&png, &info);
    if (written) return {};
    return error != 0 ? std::strerror(error) : message;
  });
}

Image read_png(const std::string& path) {
  const PictureFile file = open_picture(path, "rb", path, "read");
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_stdio(&header, file.get()))
    fail_picture(path, "read", header.message);
  const std::uint64_t fewest_bits = std::uint64_t{header.width} * header.height;  // one for each
  if (!may_hold(path, fewest_bits / 8)) {
    png_image_free(&header);
    fail_picture(path, "read",
                 "it says that it has " + std::to_string(header.width) + " x " +
                     std::to_string(header.height) + " pixels, for which its file is too short");
  }
  const bool has_alpha = (header.format & PNG_FORMAT_FLAG_ALPHA) != 0;
  header.format = has_alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  Image image;
  image.width = static_cast<int>(header.width);
  image.height = static_cast<int>(header.height);
  std::vector<std::uint8_t> bytes(PNG_IMAGE_SIZE(header));
  if (!png_image_finish_read(&header, nullptr, bytes.data(), 0, nullptr)) {
    const std::string reason = header.message;
    png_image_free(&header);
    fail_picture(path, "read", reason);
  }
  if (has_alpha)
    split_alpha(bytes, image);
  else
    image.rgb = std::move(bytes);
  return image;
}

}  // namespace firn
