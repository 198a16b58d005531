// `firn test [GoogleTest flags]` of a build with FIRN_SINGLE_BINARY: the tests travel with the
// program to machines where nothing can be built.
#include <gtest/gtest.h>

namespace firn::app {

int run_tests(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

}  // namespace firn::app
