# find_package(pullback): what C++ needs of the installed package.
#
#   pullback::headers    headers of the kernel interface: for programs that call generated kernels, without Python
#   pullback::operators  for a shared library of operators for `pullback.load_operator`, see pullback/define_operator.h;
#                        where the package was installed with the native engine
#
# `pullback config --cmakedir` prints the folder of this file, for -Dpullback_DIR.
include(CMakeFindDependencyMacro)

get_filename_component(_pullback_native "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(_pullback_written "${_pullback_native}/include")
if(NOT EXISTS "${_pullback_written}/pullback/operators.h")
  # Installed from a source tree that is still used: what the build wrote is where the package's module is.
  find_dependency(Python COMPONENTS Interpreter)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -m pullback config --operator-includes
    OUTPUT_VARIABLE _pullback_written
    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()

if(NOT TARGET pullback::headers)
  add_library(pullback::headers INTERFACE IMPORTED)
  set_target_properties(
    pullback::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_pullback_native}/include"
                                 INTERFACE_COMPILE_FEATURES cxx_std_20
                                 INTERFACE_COMPILE_OPTIONS -ffp-contract=off)
endif()
if(_pullback_written AND NOT TARGET pullback::operators)
  add_library(pullback::operators INTERFACE IMPORTED)
  set_target_properties(
    pullback::operators PROPERTIES INTERFACE_LINK_LIBRARIES pullback::headers
                                   INTERFACE_INCLUDE_DIRECTORIES "${_pullback_written}")
endif()
unset(_pullback_native)
unset(_pullback_written)
