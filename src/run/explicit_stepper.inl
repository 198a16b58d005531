#pragma once

#include "src/integrators/explicit.h"
#include "src/run/scene_stepper.inl"
