// Pixels of a picture, and grids of labelled pictures.
#include "src/render/image.h"

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "src/render/color_map.h"
#include "src/render/font.h"

namespace firn {
namespace {

constexpr Rgb kPaper{248, 249, 250};
constexpr Rgb kInk{38, 44, 52};
constexpr int kGap = 8;  // pixels between the cells of a grid

void paste(Image& target, const Image& source, int x0, int y0) {
  for (int y = 0; y < source.height; ++y) {
    const auto row = source.rgb.begin() + std::ptrdiff_t{3} * y * source.width;
    std::copy(row, row + std::ptrdiff_t{3} * source.width,
              target.rgb.begin() + 3 * (std::ptrdiff_t{y0 + y} * target.width + x0));
  }
}

void draw_label(Image& image, const Font& font, const std::string& label, int x, int y, int width,
                float scale) {
  float fitting = scale;
  while (font.width(label, fitting) > width && fitting > 1) fitting *= 0.9f;
  font.draw(image, x + std::max(0, (width - font.width(label, fitting)) / 2), y, label, kInk,
            fitting);
}

}  // namespace

Image Image::filled(int width, int height, Rgb color) {
  Image image{width, height, std::vector<std::uint8_t>(std::size_t{3} * width * height)};
  for (std::size_t i = 0; i < image.rgb.size(); i += 3)
    std::copy(color.begin(), color.end(), image.rgb.begin() + static_cast<std::ptrdiff_t>(i));
  return image;
}

Rgb Image::pixel(int x, int y) const {
  const std::size_t i = 3 * (static_cast<std::size_t>(y) * width + x);
  return {rgb[i], rgb[i + 1], rgb[i + 2]};
}

void Image::set_pixel(int x, int y, Rgb color) {
  const std::size_t i = static_cast<std::size_t>(y) * width + x;
  std::copy(color.begin(), color.end(), rgb.begin() + static_cast<std::ptrdiff_t>(3 * i));
  if (!alpha.empty()) alpha[i] = 255;
}

void Image::blend_pixel(int x, int y, Rgb color, float opacity) {
  if (x < 0 || y < 0 || x >= width || y >= height || opacity <= 0) return;
  const std::size_t i = static_cast<std::size_t>(y) * width + x;
  const float own = std::min(opacity, 1.0f);
  const float under = alpha.empty() ? 1.0f : static_cast<float>(alpha[i]) / 255;
  const float all = own + under * (1 - own);  // "over" [Porter and Duff 1984]
  for (std::size_t c = 0; c < 3; ++c) {
    const float old = rgb[3 * i + c];
    const float mixed = old + (static_cast<float>(color[c]) - old) * (own / all);
    rgb[3 * i + c] = static_cast<std::uint8_t>(std::floor(mixed + 0.5f));
  }
  if (!alpha.empty()) alpha[i] = static_cast<std::uint8_t>(std::floor(255 * all + 0.5f));
}

void MeanImage::add(const Image& image) {
  std::array<float, 256> light;
  for (std::size_t i = 0; i < light.size(); ++i)
    light[i] = srgb_to_linear(static_cast<float>(i) / 255);
  width_ = image.width, height_ = image.height;
  light_.resize(image.rgb.size());
  for (std::size_t i = 0; i < light_.size(); ++i) light_[i] += light[image.rgb[i]];
  alpha_.resize(image.alpha.size());
  before_.resize(3 * image.alpha.size());
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const float part = static_cast<float>(image.alpha[i / 3]) / 255;
    before_[i] += part * light[image.rgb[i]];
    if (i % 3 == 0) alpha_[i / 3] += part;
  }
  linear_.resize(image.light.size());
  for (std::size_t i = 0; i < linear_.size(); ++i) linear_[i] += image.light[i];
  ++count_;
}

Image MeanImage::image() const {
  const auto count = static_cast<float>(count_);
  const auto level = [](float light) {
    return static_cast<std::uint8_t>(std::lround(255 * linear_to_srgb(light)));
  };
  Image image{width_, height_, std::vector<std::uint8_t>(light_.size())};
  for (std::size_t i = 0; i < light_.size(); ++i) {
    const float part = alpha_.empty() ? 0 : alpha_[i / 3];
    image.rgb[i] = level(part > 0 ? before_[i] / part : light_[i] / count);
  }
  for (const float part : alpha_)
    image.alpha.push_back(static_cast<std::uint8_t>(std::lround(255 * part / count)));
  for (const float sum : linear_) image.light.push_back(sum / count);
  return image;
}

Image side_by_side(const std::vector<Image>& images, const std::vector<std::string>& labels) {
  if (images.empty()) throw Error(ErrorCategory::kScene, "no pictures to set side by side");
  int width = 0, height = 0;
  for (const Image& image : images) {
    width = std::max(width, image.width);
    height = std::max(height, image.height);
  }
  const int count = static_cast<int>(images.size());
  const int columns = count <= 3 ? count : static_cast<int>(std::ceil(std::sqrt(count)));
  const int rows = (count + columns - 1) / columns;
  const float scale = std::clamp(static_cast<float>(width) / 320.0f, 1.5f, 3.0f);
  const Font font;
  const int label_height = labels.empty() ? 0 : font.height(scale) + kGap;
  Image grid = Image::filled(columns * (width + kGap) + kGap,
                             rows * (height + label_height + kGap) + kGap, kPaper);
  for (int i = 0; i < count; ++i) {
    const int x = kGap + i % columns * (width + kGap);
    const int y = kGap + i / columns * (height + label_height + kGap);
    if (i < static_cast<int>(labels.size())) draw_label(grid, font, labels[i], x, y, width, scale);
    paste(grid, images[i], x + (width - images[i].width) / 2,
          y + label_height + (height - images[i].height) / 2);
  }
  return grid;
}

}  // namespace firn
