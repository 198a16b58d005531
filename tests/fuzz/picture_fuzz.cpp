// Pictures of heights: the reader returns as many samples in [0, 1] as the picture has pixels, or
// throws Error{kFile}, and the map that a shape makes of it is finite. Checksums of chunks are
// mended first, since no random input gets past them.
#include <zlib.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "firn/error.h"
#include "src/scene/height_map.h"
#include "tests/fuzz/input_file.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kSignature = 8, kFrame = 12;  // of a chunk: length, name and checksum
constexpr std::uint64_t kMostPixels = 1 << 16;      // larger ones are slow, and no different

std::uint32_t big_endian(const Bytes& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | bytes[i];
  return value;
}

void mend(Bytes& bytes) {
  for (std::size_t at = kSignature; at + kFrame <= bytes.size();) {
    const std::size_t length = big_endian(bytes, at);
    if (length > bytes.size() - at - kFrame) return;
    const auto crc = static_cast<std::uint32_t>(
        crc32_z(0, bytes.data() + at + 4, static_cast<z_size_t>(length + 4)));
    for (std::size_t i = 0; i < 4; ++i)
      bytes[at + length + 8 + i] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
    at += length + kFrame;
  }
}

bool is_large(const Bytes& bytes) {
  if (bytes.size() < kSignature + 16) return false;
  const std::uint64_t width = big_endian(bytes, 16), height = big_endian(bytes, 20);
  return width > kMostPixels || height > kMostPixels || width * height > kMostPixels;
}

void read(const std::string& path) {
  const firn::GreyImage image = firn::read_grey_png(path);
  if (image.value.size() != static_cast<std::size_t>(image.width) * image.height) std::abort();
  for (const float value : image.value)
    if (!(value >= 0 && value <= 1)) std::abort();
  firn::Shape shape;
  shape.type = firn::ShapeType::kHeightField;
  shape.max = {1, 0, 2};
  shape.low = -1;
  shape.high = 3;
  shape.base = -2;
  shape.file = path;
  for (const int dimension : {2, 3})
    if (!std::isfinite(firn::bake_heights(shape, dimension, 0.1).steepest())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, data + size);
  mend(bytes);
  if (is_large(bytes)) return 0;
  const firn::fuzz::InputFile file(std::as_bytes(std::span(bytes)));
  try {
    read(file.path());
  } catch (const firn::Error& error) {
    if (error.category() != firn::ErrorCategory::kFile) std::abort();
  }
  return 0;
}
