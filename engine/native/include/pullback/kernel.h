// What a generated kernel includes. No standard C++ headers, which take longer to compile than a
// kernel.
#ifndef PULLBACK_KERNEL_H_
#define PULLBACK_KERNEL_H_

#include "kernel_context.h"
#include "kernel_index.h"
#include "kernel_linalg.h"
#include "kernel_loop.h"
#include "kernel_math.h"
#include "kernel_once.h"
#ifndef PB_SEPARATE_RUNTIME
#include "kernel_runtime.h"
#endif

#endif  // PULLBACK_KERNEL_H_
