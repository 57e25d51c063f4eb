// What is the same for all kernels. A program with many of them compiles it once:
//
//     c++ ... -DPB_SEPARATE_RUNTIME -c kernel_runtime.cpp, which includes this header,
//     c++ ... -DPB_SEPARATE_RUNTIME -c each generated file.
//
// Without that definition each generated file has its own.
#ifndef PULLBACK_KERNEL_RUNTIME_H_
#define PULLBACK_KERNEL_RUNTIME_H_

#include "kernel_calls.h"
#include "kernel_multiply.h"
#include "kernel_passes.h"
#include "kernel_rearrange.h"
#include "kernel_reduce.h"
#include "kernel_row_loop.h"
#include "kernel_rows.h"
#include "kernel_typed.h"
#include "kernel_views.h"

#endif  // PULLBACK_KERNEL_RUNTIME_H_
