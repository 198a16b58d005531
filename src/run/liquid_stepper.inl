#pragma once

#include "src/integrators/liquid.h"
#include "src/run/scene_stepper.inl"
