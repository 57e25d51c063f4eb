// The part of all kernels that does not depend on any, compiled once (kernel_runtime.h).
#include <pullback/kernel.h>
#include <pullback/kernel_runtime.h>
