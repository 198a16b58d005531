// A picture of 60 bytes that says to have 2^28 pixels, and what memory reading it took.
#pragma once

#include <sys/resource.h>
#include <zlib.h>

#include <cstddef>
#include <string>

namespace firn::test {

// The most that memory of this process has been, in bytes.
inline std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024 * static_cast<std::size_t>(usage.ru_maxrss);
}

// A type of four letters and its data.
inline void append_chunk(std::string& png, const std::string& chunk) {
  const auto big_endian = [&](std::size_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) png += static_cast<char>(value >> shift & 255);
  };
  big_endian(chunk.size() - 4);
  png += chunk;
  big_endian(crc32_z(0, reinterpret_cast<const Bytef*>(chunk.data()), chunk.size()));
}

// 16383 x 16384 grey ones, of which none is there.
inline std::string png_that_says_to_be_large() {
  std::string png = "\x89PNG\r\n\x1a\n";
  append_chunk(png, std::string("IHDR\0\0\x3f\xff\0\0\x40\0\x08\0\0\0\0", 17));
  append_chunk(png, std::string("IDAT\x78\x9c\x63", 7));
  append_chunk(png, "IEND");
  return png;
}

}  // namespace firn::test
