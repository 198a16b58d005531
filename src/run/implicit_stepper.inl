#pragma once

#include "src/integrators/implicit.h"
#include "src/run/scene_stepper.inl"
