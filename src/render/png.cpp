// PNG files through libpng: read through its simplified interface, which reports errors as text
// instead of by longjmp, and written through the other one, which can be told how to compress.
#include <png.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "firn/error.h"
#include "src/render/image.h"
#include "src/scene/png_size.h"

namespace firn {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void fail(const std::string& path, const char* what, const std::string& reason) {
  throw Error(ErrorCategory::kFile, path + ": cannot " + what + " the picture: " + reason);
}

File open_file(const std::string& name, const char* mode, const std::string& path,
               const char* what) {
  File file(std::fopen(name.c_str(), mode), &std::fclose);
  if (!file) fail(path, what, std::strerror(errno));
  return file;
}

// What libpng says when it fails.
void keep_message(png_structp png, png_const_charp message) {
  *static_cast<std::string*>(png_get_error_ptr(png)) = message;
  png_longjmp(png, 1);
}
void ignore_warning(png_structp, png_const_charp) {}

// The differences to the left ("Sub") or upwards ("Up"), whichever are smaller, are mostly zeros or
// noise: zlib's run lengths make files 3 to 24 % larger than its level 5 does, in 40 % of the time.
// libpng leaves by longjmp where it fails: nothing in here has a destructor.
bool encode(png_structp png, png_infop info, std::FILE* file, const Image& image) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_init_io(png, file);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB | PNG_FILTER_UP);
  png_set_compression_strategy(png, Z_RLE);
  png_write_info(png, info);
  for (int y = 0; y < image.height; ++y)
    png_write_row(png, &image.rgb[std::size_t{3} * image.width * y]);
  png_write_end(png, nullptr);
  return true;
}

// Returns the reason of failure, empty on success.
std::string write_to(const std::string& name, const std::string& path, const Image& image) {
  File file = open_file(name, "wb", path, "write");
  std::string message;
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, keep_message, ignore_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  errno = 0;
  if (info == nullptr) errno = ENOMEM;
  const bool written = info != nullptr && encode(png, info, file.get(), image);
  const int error = errno;
  png_destroy_write_struct(&png, &info);
  if (!written) return error != 0 ? std::strerror(error) : message;
  if (std::fflush(file.get()) != 0) return std::strerror(errno);
  // A pipe or a device has nothing to make durable.
  if (fsync(fileno(file.get())) != 0 && errno != EINVAL && errno != ENOTSUP)
    return std::strerror(errno);
  if (std::fclose(file.release()) != 0) return std::strerror(errno);
  return {};
}

// A device or a pipe, which is written to and not replaced.
bool is_no_file(const std::string& path) {
  std::error_code ignored;
  const auto there = std::filesystem::status(path, ignored);
  return std::filesystem::exists(there) && !std::filesystem::is_regular_file(there);
}
// Of each writer its own, also of other processes'.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return path + "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".part";
}

}  // namespace

void write_png(const std::string& path, const Image& image) {
  const std::size_t bytes = std::size_t{3} * image.width * image.height;
  if (image.width <= 0 || image.height <= 0 || image.rgb.size() != bytes)
    fail(path, "write", "it is empty or its size does not match its pixels");
  if (is_no_file(path)) {
    if (const std::string reason = write_to(path, path, image); !reason.empty())
      fail(path, "write", reason);
    return;
  }
  const std::string temporary = temporary_name(path);
  std::string reason = write_to(temporary, path, image);
  if (reason.empty() && std::rename(temporary.c_str(), path.c_str()) != 0)
    reason = std::strerror(errno);
  if (reason.empty()) return;
  std::remove(temporary.c_str());
  fail(path, "write", reason);
}

Image read_png(const std::string& path) {
  const File file = open_file(path, "rb", path, "read");
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_stdio(&header, file.get())) fail(path, "read", header.message);
  const std::uint64_t fewest_bits = std::uint64_t{header.width} * header.height;  // one for each
  if (!may_hold(path, fewest_bits / 8)) {
    png_image_free(&header);
    fail(path, "read",
         "it says that it has " + std::to_string(header.width) + " x " +
             std::to_string(header.height) + " pixels, for which its file is too short");
  }
  header.format = PNG_FORMAT_RGB;
  Image image;
  image.width = static_cast<int>(header.width);
  image.height = static_cast<int>(header.height);
  image.rgb.resize(PNG_IMAGE_SIZE(header));
  if (!png_image_finish_read(&header, nullptr, image.rgb.data(), 0, nullptr)) {
    const std::string reason = header.message;
    png_image_free(&header);
    fail(path, "read", reason);
  }
  return image;
}

}  // namespace firn
