// Expects that `action` throws a firn::Error of a category whose message holds every one of
// `parts`.
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

}  // namespace firn::test
