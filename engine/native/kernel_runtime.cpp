// The part of all kernels that does not depend on any, compiled once (kernel/runtime.h).
#include <pullback/kernel.h>
#include <pullback/kernel/runtime.h>
