// Element types: NumPy's type numbers, and what they are called in DLPack.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pullback/kernel_abi.h"

namespace pullback {

/// NumPy's type number (NPY_FLOAT32 and so on).
using DType = std::int16_t;

/// True if tensors of this type may require grad: real floating point.
bool is_float(DType dtype);
bool is_complex(DType dtype);

/// Bytes of an element of a type that DLPack knows, else 0.
std::size_t item_size(DType dtype);
/// The type in DLPack's terms; `bits` is 0 where DLPack has none for it (strings, objects).
DLDataType to_dlpack(DType dtype);
/// NumPy's number for a type that a kernel asks for, or -1.
DType from_dlpack(DLDataType dtype);

}  // namespace pullback
