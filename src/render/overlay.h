// What is written over a picture: the time, the colour bar of a scalar channel, and the legend of
// colours that stand for materials or bodies.
#pragma once

#include <string>
#include <vector>

#include "src/render/font.h"
#include "src/render/image.h"
#include "src/render/particle_color.h"

namespace firn {

// "t = 0.125 s", with as many digits as tell apart two pictures of a scene with `fps` of them per
// second.
std::string time_text(double time, double fps);

class Overlay {
 public:
  // Sizes follow the image's height. `on_light`: dark letters on a light plate.
  Overlay(Image& image, const Font& font, bool on_light);

  void draw_time(double time, double fps);            // s, 1/s; in the upper left corner
  void draw_color_bar(const ParticleColors& colors);  // in the upper right one
  // In the upper right corner; entries that the picture has no room for are left out.
  void draw_legend(const std::vector<LegendEntry>& entries);

 private:
  void draw_panel(int left, int top, int width, int height);
  void draw_text(int x, int y, const std::string& text);

  Image& image_;
  const Font& font_;
  Rgb text_, panel_;
  float panel_opacity_, scale_;
  int margin_, pad_, line_;  // pixels; `line_`: the height of one of text
};

}  // namespace firn
