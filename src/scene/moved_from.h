// What objects of the public interface say that are used after they have been moved from.
#pragma once

#include <memory>
#include <string>

#include "firn/error.h"

namespace firn {

// Throws Error{kScene} where there is none any more.
template <class Impl>
Impl& not_moved_from(const std::unique_ptr<Impl>& impl, const char* what) {
  if (!impl)
    throw Error(ErrorCategory::kScene,
                std::string("this ") + what +
                    " has been moved from and is none any more; use what it was moved to, or "
                    "assign one to it");
  return *impl;
}

}  // namespace firn
