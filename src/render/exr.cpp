// OpenEXR files of the light of pictures, through the library of that name: they are made in
// memory, so that a full disk is told of as of all other files.
#include "firn/error.h"
#include "src/render/image.h"

#if FIRN_WITH_OPENEXR
#include <ImfChannelList.h>
#include <ImfChromaticitiesAttribute.h>
#include <ImfIO.h>
#include <ImfRgbaFile.h>
#include <ImfStandardAttributes.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <vector>

#include "firn/version.h"
#include "src/render/picture_file.h"

namespace firn {
namespace {

// What is written may be gone back to, as the table of lines is.
class Bytes : public Imf::OStream {
 public:
  Bytes() : OStream("memory") {}
  void write(const char c[], int n) override {
    const std::size_t end = at_ + static_cast<std::size_t>(n);
    if (end > all_.size()) all_.resize(end);
    std::copy_n(c, n, all_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = end;
  }
  std::uint64_t tellp() override { return at_; }
  void seekp(std::uint64_t at) override { at_ = at; }
  const std::vector<char>& all() const { return all_; }

 private:
  std::vector<char> all_;
  std::size_t at_ = 0;
};

// Beyond it a half is infinite.
half half_of(float value) { return half(std::min(value, static_cast<float>(HALF_MAX))); }

void encode(const Image& image, Bytes& bytes) {
  Imf::Header header(image.width, image.height);
  header.compression() = Imf::ZIP_COMPRESSION;
  Imf::addChromaticities(header, Imf::Chromaticities());  // those of sRGB
  header.insert("software", Imf::StringAttribute(std::string("Firn ") + kVersion));
  std::vector<Imf::Rgba> pixels;
  pixels.reserve(image.light.size() / 4);
  for (std::size_t i = 0; i < image.light.size(); i += 4) {
    const float* p = &image.light[i];
    pixels.emplace_back(half_of(p[0]), half_of(p[1]), half_of(p[2]), half_of(p[3]));
  }
  Imf::RgbaOutputFile file(bytes, header, Imf::WRITE_RGBA);
  file.setFrameBuffer(pixels.data(), 1, static_cast<std::size_t>(image.width));
  file.writePixels(image.height);
}

}  // namespace

void require_picture_files(const OutputSettings&) {}

void write_exr(const std::string& path, const Image& image) {
  if (image.width <= 0 || image.height <= 0 ||
      image.light.size() != std::size_t{4} * image.width * image.height)
    fail_picture(path, "write", "it has no light, which output.exr is for");
  Bytes bytes;
  try {
    encode(image, bytes);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    fail_picture(path, "write", error.what());
  }
  write_picture_file(path, [&](std::FILE* file) -> std::string {
    const bool whole =
        std::fwrite(bytes.all().data(), 1, bytes.all().size(), file) == bytes.all().size();
    return whole ? std::string() : std::strerror(errno);
  });
}

}  // namespace firn

#else  // no OpenEXR

namespace firn {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorCategory::kScene,
              "output.exr: built without OpenEXR (configure with -DFIRN_WITH_OPENEXR=ON)");
}

}  // namespace

void require_picture_files(const OutputSettings& output) {
  if (output.image && output.exr) refuse();
}
void write_exr(const std::string&, const Image&) { refuse(); }
}  // namespace firn
#endif
