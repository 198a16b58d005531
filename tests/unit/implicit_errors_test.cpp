// What is wrong with a scene of an implicit integrator is said with its place.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/scene_cases.h"

namespace firn {
namespace {

TEST(ImplicitErrors, Settings) {
  const std::string scene =
      edited(kScene3D, "dimension = 3", "dimension = 3\nintegrator = \"optimization\"");
  EXPECT_EQ(message_of(scene), "");
  const Case cases[] = {
      {"[time]", "[implicit]\ntolerance = @1\n[time]", {"'tolerance' must be in (0, 1), found 1"}},
      {"[time]", "[implicit]\nmax_iterations = @0\n[time]", {"'max_iterations' must be from 1"}},
      {"[time]",
       "[implicit]\nplasticity = @\"inisde\"\n[time]",
       {"unknown plasticity 'inisde'; did you mean 'inside'?"}},
      {"[time]",
       "[implicit]\nmass_damping = @-1\n[time]",
       {"'mass_damping' must be >= 0, found -1"}},
      {"density = 400",
       "density = 400\nstiffness_damping = @-1",
       {"'stiffness_damping' must be >= 0, found -1"}},
      {"[time]",
       "kernel = \"linear\"\n[implicit]\npositions = @\"backward_euler\"\n[time]",
       {"positions \"backward_euler\" need the quadratic or cubic kernel"}},
      {"type = \"apic\"\n[time]",
       "type = \"polypic\"\n[implicit]\npositions = @\"backward_euler\"\n[time]",
       {"need a transfer of at most affine fields"}},
      {"[time]",
       "advection = \"affine\"\n[implicit]\npositions = @\"backward_euler\"\n[time]",
       {"need transfer.advection = \"translation\""}},
      {"image = true", "diagnostics = @\"stages\"", {"\"stages\" needs integrator \"explicit\""}},
  };
  for (const Case& c : cases) expect_one_finding(scene, c);
  expect_one_finding(kScene3D, {"density = 400",
                                "density = 400\nstiffness_damping = @0.1",
                                {"'stiffness_damping' belongs to integrators \"optimization\""}});

  const std::string linear =
      edited(kScene3D, "dimension = 3", "dimension = 3\nintegrator = \"semi_implicit\"");
  EXPECT_EQ(message_of(edited(linear, "[time]", "[implicit]\ntolerance = 1e-3\n[time]")), "");
  const Case of_newton[] = {
      {"[time]",
       "[implicit]\nmax_iterations = @3\n[time]",
       {"'max_iterations' belongs to integrator \"optimization\"", "remove it"}},
      {"[time]",
       "[implicit]\nplasticity = @\"after\"\n[time]",
       {"'plasticity' belongs to integrator \"optimization\"", "flows after the step"}},
  };
  for (const Case& c : of_newton) expect_one_finding(linear, c);
}

}  // namespace
}  // namespace firn
