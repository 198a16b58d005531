// Expects that `action` throws a firn::Error of a category whose message holds every one of
// `parts`; expect_divergence also that it says where, and returns that.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "firn/error.h"

namespace firn::test {

template <class Action>
void expect_error(ErrorCategory category, std::initializer_list<std::string> parts, Action action) {
  try {
    action();
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), category) << error.what();
    for (const std::string& part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "\"" << error.what() << "\" does not say \"" << part << "\"";
  }
}

template <class Action>
Divergence expect_divergence(std::initializer_list<std::string> parts, Action action) {
  Divergence where;
  expect_error(ErrorCategory::kDiverged, parts, [&] {
    try {
      action();
    } catch (const Error& error) {
      const Error copy = error;
      if (copy.divergence() != nullptr)
        where = *copy.divergence();
      else
        ADD_FAILURE() << "\"" << error.what() << "\" has no data";
      throw;
    }
  });
  return where;
}

}  // namespace firn::test
