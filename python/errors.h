// An error that is the bindings' own.
#pragma once

#include <string>

#include "firn/error.h"

namespace firn::python {

// Arrays still show memory that is to change.
class ViewError : public Error {
 public:
  explicit ViewError(const std::string& message) : Error(ErrorCategory::kScene, message) {}
};

}  // namespace firn::python
