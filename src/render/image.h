// Pictures in memory and as files, and labelled grids of them. Everything here is independent of
// how a picture was made.
#pragma once

#include <string>
#include <vector>

#include "firn/render.h"

namespace firn {

// Throws Error{kFile} if the file cannot be read or is no PNG.
Image read_png(const std::string& path);

// Throws Error{kScene} if this build cannot write the pictures that a scene asks for.
void require_picture_files(const OutputSettings& output);

// The mean of pictures of one size, of their light rather than of their sRGB values.
class MeanImage {
 public:
  void add(const Image& image);
  Image image() const;  // needs one at least

 private:
  int width_ = 0, height_ = 0, count_ = 0;
  // Sums over the pictures: of the light of all pixels, of what is before the background and how
  // much of it, and of Image::light.
  std::vector<float> light_, before_, alpha_, linear_;
};

// The pictures in a grid as square as possible, each below its label (missing labels are blank).
// Cells have the size of the largest picture. Throws Error{kScene} if there is no picture.
Image side_by_side(const std::vector<Image>& images, const std::vector<std::string>& labels);

}  // namespace firn
