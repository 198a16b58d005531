// What is written over a picture: the time, and the colour bar of a scalar channel.
#pragma once

#include <string>

#include "src/render/image.h"
#include "src/render/particle_color.h"

namespace firn {

void draw_time(Image& image, double time, bool on_light);
void draw_color_bar(Image& image, const ParticleColors& colors, bool on_light);

}  // namespace firn
