# find_package(pullback): what a C++ program needs of the installed package.
#
#   pullback::headers   headers of the kernel interface: for programs that call generated kernels
#   pullback::pullback  the engine in an embedded interpreter, see pullback/pullback.h
#
# `pullback config --cmakedir` prints the folder of this file, for -Dpullback_DIR.
include(CMakeFindDependencyMacro)
find_dependency(Python 3.11 COMPONENTS Interpreter Development.Embed)

if(NOT TARGET pullback::headers)
  get_filename_component(_pullback_include "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)
  add_library(pullback::headers INTERFACE IMPORTED)
  set_target_properties(
    pullback::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_pullback_include}" INTERFACE_COMPILE_FEATURES
                                                                                      cxx_std_20)
  add_library(pullback::pullback INTERFACE IMPORTED)
  set_target_properties(
    pullback::pullback
    PROPERTIES INTERFACE_LINK_LIBRARIES "pullback::headers;Python::Python" INTERFACE_COMPILE_DEFINITIONS
                                                                           "PULLBACK_PYTHON=\"${Python_EXECUTABLE}\"")
  unset(_pullback_include)
endif()
