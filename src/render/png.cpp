// PNG files. They are read through libpng's simplified interface, which reports errors as text
// instead of by longjmp, and written here: strips of rows are compressed side by side, with what
// suits pictures. The differences to the left ("Sub") or upwards ("Up"), whichever are smaller, and
// zlib's level 5 give files as large as libpng's choice among all filters and level 6 do, within
// 8 %, in less than half the time.
#include <png.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "firn/error.h"
#include "src/render/image.h"
#include "src/render/parallel.h"
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

using Bytes = std::vector<std::uint8_t>;

void append_number(Bytes& bytes, std::size_t number) {
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<std::uint8_t>(number >> shift));
}

void append_chunk(Bytes& file, const char* type, const Bytes& data) {
  append_number(file, data.size());
  const std::size_t start = file.size();
  file.insert(file.end(), type, type + 4);
  file.insert(file.end(), data.begin(), data.end());
  append_number(file, crc32_z(0, file.data() + start, file.size() - start));
}

int sum_of_sizes(std::span<const std::uint8_t> differences) {
  int sum = 0;
  for (const std::uint8_t byte : differences) sum += std::abs(static_cast<std::int8_t>(byte));
  return sum;
}

// One row behind the number of its filter. `upper` is the row above, or black.
void filter_row(const std::uint8_t* row, const std::uint8_t* upper, std::span<std::uint8_t> out) {
  constexpr std::uint8_t kSub = 1, kUp = 2;
  const std::size_t bytes = out.size() - 1;
  Bytes sub(row, row + bytes), up(bytes);
  for (std::size_t i = 3; i < bytes; ++i) sub[i] = static_cast<std::uint8_t>(row[i] - row[i - 3]);
  for (std::size_t i = 0; i < bytes; ++i) up[i] = static_cast<std::uint8_t>(row[i] - upper[i]);
  const bool left = sum_of_sizes(sub) <= sum_of_sizes(up);
  out[0] = left ? kSub : kUp;
  std::copy_n(left ? sub.begin() : up.begin(), bytes, out.begin() + 1);
}

Bytes filtered(const Image& image) {
  const std::size_t bytes = std::size_t{3} * image.width;
  const Bytes black(bytes, 0);
  Bytes rows((bytes + 1) * image.height);
  in_parallel(image.height, [&](int y) {
    const std::uint8_t* row = &image.rgb[bytes * y];
    filter_row(row, y > 0 ? row - bytes : black.data(),
               std::span(rows).subspan((bytes + 1) * y, bytes + 1));
  });
  return rows;
}

// The bytes from `first` to `last`, as one that comes after those before them.
Bytes deflated(const Bytes& rows, std::size_t first, std::size_t last) {
  constexpr int kLevel = 5, kNoHeader = -15, kMostMemory = 9;
  constexpr std::size_t kWindow = 32768;
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kNoHeader, kMostMemory, Z_FILTERED) != Z_OK)
    throw std::bad_alloc();
  const std::size_t before = std::min(first, kWindow);
  deflateSetDictionary(&stream, &rows[first - before], static_cast<uInt>(before));
  Bytes out(deflateBound(&stream, last - first) + 16);  // and the marker between strips
  stream.next_in = const_cast<Bytef*>(&rows[first]);
  stream.avail_in = static_cast<uInt>(last - first);
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, last == rows.size() ? Z_FINISH : Z_SYNC_FLUSH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// A chunk of compressed data for each strip; what they hold does not depend on who makes them.
std::vector<Bytes> compressed(const Bytes& rows, std::size_t row_bytes) {
  constexpr std::size_t kStrip = 64;  // rows; long enough for what zlib learns from them
  const std::size_t strip_bytes = std::min(kStrip * row_bytes, std::size_t{1} << 30);
  std::vector<Bytes> strips((rows.size() + strip_bytes - 1) / strip_bytes);
  in_parallel(strips.size(), [&](std::size_t i) {
    strips[i] = deflated(rows, i * strip_bytes, std::min((i + 1) * strip_bytes, rows.size()));
  });
  const std::uint8_t zlib_header[] = {0x78, 0x5e};
  strips.front().insert(strips.front().begin(), zlib_header, zlib_header + 2);
  append_number(strips.back(), adler32_z(1, rows.data(), rows.size()));
  return strips;
}

Bytes encoded(const Image& image) {
  Bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'}, header;
  append_number(header, static_cast<std::size_t>(image.width));
  append_number(header, static_cast<std::size_t>(image.height));
  header.insert(header.end(), {8, 2, 0, 0, 0});  // bits, RGB, and the only choices there are
  append_chunk(file, "IHDR", header);
  append_chunk(file, "sRGB", {0});
  const std::size_t row_bytes = std::size_t{3} * image.width + 1;
  for (const Bytes& strip : compressed(filtered(image), row_bytes))
    append_chunk(file, "IDAT", strip);
  append_chunk(file, "IEND", {});
  return file;
}

// Returns the reason of failure, empty on success.
std::string write_to(const std::string& name, const std::string& path, const Image& image) {
  File file = open_file(name, "wb", path, "write");
  const Bytes bytes = encoded(image);
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size())
    return std::strerror(errno);
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
