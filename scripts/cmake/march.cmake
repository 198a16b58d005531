# FIRN_MARCH, the instruction set of all host code, and march_flags, what the compilers get of it. One that the flags of
# whoever builds name already is kept, where `native` after it would make a program that runs on no other machine.
include(CheckCXXCompilerFlag)
string(TOUPPER "CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE}" build_type_flags)
set(march_named "")
if(" ${CMAKE_CXX_FLAGS} ${${build_type_flags}}" MATCHES "^.* -march=([^ ]+)")
  set(march_named ${CMAKE_MATCH_1})
endif()
set(march_default native)
if(march_named)
  set(march_default "")
endif()
set(FIRN_MARCH "${march_default}" CACHE STRING
  "Instruction set of all host code (-march); empty: the compiler's default")

# nvcc's host compiler does not get CMAKE_CXX_FLAGS.
set(march ${FIRN_MARCH})
if(NOT march)
  set(march ${march_named})
endif()
set(march_flags "")
if(march)
  set(march_flags -march=${march})
  string(MAKE_C_IDENTIFIER "FIRN_COMPILER_KNOWS_${march}" known)
  check_cxx_compiler_flag(${march_flags} ${known})
  if(NOT ${known})
    message(FATAL_ERROR "${CMAKE_CXX_COMPILER} does not know ${march_flags}. -DFIRN_MARCH=NAME chooses another "
      "instruction set, as x86-64-v3; -DFIRN_MARCH= leaves it to the compiler")
  endif()
endif()
