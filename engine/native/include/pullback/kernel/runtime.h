// The runtime that all kernels share. A program with many of them compiles it once:
//
//     c++ ... -DPB_SEPARATE_RUNTIME -c kernel_runtime.cpp, which includes this header,
//     c++ ... -DPB_SEPARATE_RUNTIME -c each generated file.
//
// Without that definition each generated file has its own.
#ifndef PULLBACK_KERNEL_RUNTIME_H_
#define PULLBACK_KERNEL_RUNTIME_H_

#include "pullback/kernel/calls.h"
#include "pullback/kernel/indexing/rearrange.h"
#include "pullback/kernel/launches.h"
#include "pullback/kernel/loops/passes.h"
#include "pullback/kernel/loops/reduce.h"
#include "pullback/kernel/loops/row_loop.h"
#include "pullback/kernel/loops/rows.h"
#include "pullback/kernel/loops/typed.h"
#include "pullback/kernel/matrices/multiply.h"
#include "pullback/kernel/views.h"

#endif  // PULLBACK_KERNEL_RUNTIME_H_
