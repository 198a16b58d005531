#pragma once

#include "src/integrators/unified.h"
#include "src/run/scene_stepper.inl"
