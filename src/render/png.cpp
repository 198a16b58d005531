// PNG files through libpng's simplified interface, which reports errors as text instead of by
// longjmp.
#include <png.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

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

png_image rgb_header(const Image& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  return header;
}

// Returns the reason of failure, empty on success.
std::string write_to(const std::string& name, const std::string& path, const Image& image) {
  File file = open_file(name, "wb", path, "write");
  png_image header = rgb_header(image);
  errno = 0;
  if (!png_image_write_to_stdio(&header, file.get(), 0, image.rgb.data(), 0, nullptr))
    return errno ? std::strerror(errno) : header.message;
  if (std::fflush(file.get()) != 0 || fsync(fileno(file.get())) != 0) return std::strerror(errno);
  if (std::fclose(file.release()) != 0) return std::strerror(errno);
  return {};
}

}  // namespace

void write_png(const std::string& path, const Image& image) {
  const std::size_t bytes = std::size_t{3} * image.width * image.height;
  if (image.width <= 0 || image.height <= 0 || image.rgb.size() != bytes)
    fail(path, "write", "it is empty or its size does not match its pixels");
  const std::string temporary = path + ".part";
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
