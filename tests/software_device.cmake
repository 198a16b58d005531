# The tests that need a device, on the device in software. In a few processes, as each that begins has to translate the
# kernels that it meets; every finding of its checks is a failure. What they launch is held against what there is.
set(shards 7)
set(reports ${CMAKE_CURRENT_BINARY_DIR}/software_device_reports)
file(MAKE_DIRECTORY ${reports})

function(add_device_test name)
  add_test(NAME ${name} COMMAND ${ARGN})
  # One that skips itself within a process would go unseen: there is a device, so none may.
  set_tests_properties(${name} PROPERTIES LABELS gpu TIMEOUT 1800 FIXTURES_SETUP device_reports
    FAIL_REGULAR_EXPRESSION "SKIPPED"
    ENVIRONMENT "EMULATOR_STRICT=1;EMULATOR_REPORT=${reports}/${name}.json;OMP_WAIT_POLICY=passive")
endfunction()

math(EXPR last "${shards} - 1")
foreach(shard RANGE ${last})
  add_device_test(gpu.tests_${shard} firn-tests --gtest_filter=Gpu*-GpuSeveralDevices* --gtest_brief=1)
  set_property(TEST gpu.tests_${shard} APPEND PROPERTY ENVIRONMENT
    "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard};GTEST_SHARD_STATUS_FILE=${reports}/shard_${shard}")
endforeach()

# Work that waits in its stream until something waits for it: what has been given to the wrong stream, or looked at too
# early, shows in no other order.
add_device_test(gpu.lazy firn-tests --gtest_brief=1
  --gtest_filter=GpuLaunches*:GpuReplay.AFallingBall*:GpuReplay.FramesEnd*:GpuReproducible*:GpuSeveral.*:GpuTracers*)
set_property(TEST gpu.lazy APPEND PROPERTY ENVIRONMENT EMULATOR_LAZY=1)

# Which device is current where, with two of them.
add_device_test(gpu.devices firn-tests --gtest_brief=1 --gtest_filter=Gpu*Devices*)
set_property(TEST gpu.devices APPEND PROPERTY ENVIRONMENT EMULATOR_DEVICES=2)

find_package(Python3 COMPONENTS Interpreter REQUIRED)
add_test(NAME gpu.every_kernel_is_launched
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/support/launched_kernels.py ${reports})
set_tests_properties(gpu.every_kernel_is_launched PROPERTIES LABELS gpu FIXTURES_REQUIRED device_reports)
