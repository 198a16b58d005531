# firn_find(PACKAGE WITHOUT ARGUMENTS...) is find_package(PACKAGE ARGUMENTS...), and
# firn_find_module(PREFIX MODULE WITHOUT) pkg-config's; both end with how to mend it where nothing is found. WITHOUT is the option that does without, if any.
function(firn_missing name without)
  set(mend "scripts/setup installs what Debian and Ubuntu have; CMAKE_PREFIX_PATH says where it is elsewhere")
  if(without)
    string(APPEND mend "; -D${without}=OFF does without")
  endif()
  message(FATAL_ERROR "Firn needs ${name}, which was not found as above. ${mend}")
endfunction()

macro(firn_find name without)
  find_package(${name} ${ARGN})
  if(NOT ${name}_FOUND)
    firn_missing("${name} ${ARGN}" "${without}")
  endif()
endmacro()

macro(firn_find_module prefix module without)
  pkg_check_modules(${prefix} IMPORTED_TARGET ${module})
  if(NOT ${prefix}_FOUND)
    firn_missing(${module} "${without}")
  endif()
endmacro()

# OpenVDB brings its find module along, in a folder of its own below lib, lib64 or lib/ARCHITECTURE.
macro(firn_find_openvdb)
  set(openvdb_suffixes)
  foreach(folder lib/${CMAKE_LIBRARY_ARCHITECTURE} lib64 lib)
    list(APPEND openvdb_suffixes ${folder}/cmake/OpenVDB)
  endforeach()
  find_path(FIRN_OPENVDB_MODULE FindOpenVDB.cmake
    HINTS ${OpenVDB_ROOT} ENV OpenVDB_ROOT ${CMAKE_PREFIX_PATH} ENV CMAKE_PREFIX_PATH
    PATHS ${CMAKE_SYSTEM_PREFIX_PATH} PATH_SUFFIXES ${openvdb_suffixes} DOC "Folder of OpenVDB's FindOpenVDB.cmake")
  mark_as_advanced(FIRN_OPENVDB_MODULE)
  if(FIRN_OPENVDB_MODULE)
    list(APPEND CMAKE_MODULE_PATH ${FIRN_OPENVDB_MODULE})
  endif()
  firn_find(OpenVDB FIRN_WITH_OPENVDB)
endmacro()
