#include "base/dtype.h"

#include <array>

#include "base/numpy_api.h"

namespace pullback {
namespace {

struct Entry {
    DType number;
    DLDataType dlpack;
};

constexpr std::uint8_t kComplexCode = 5;  // kDLComplex: kernels take none, tensors may hold them

constexpr DLDataType make(unsigned code, std::size_t bytes) {
    return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bytes * 8), 1};
}

constexpr Entry kEntries[] = {
    {NPY_BOOL, make(kDLBool, 1)},
    {NPY_BYTE, make(kDLInt, sizeof(npy_byte))},
    {NPY_SHORT, make(kDLInt, sizeof(npy_short))},
    {NPY_INT, make(kDLInt, sizeof(npy_int))},
    {NPY_LONG, make(kDLInt, sizeof(npy_long))},
    {NPY_LONGLONG, make(kDLInt, sizeof(npy_longlong))},
    {NPY_UBYTE, make(kDLUInt, sizeof(npy_ubyte))},
    {NPY_USHORT, make(kDLUInt, sizeof(npy_ushort))},
    {NPY_UINT, make(kDLUInt, sizeof(npy_uint))},
    {NPY_ULONG, make(kDLUInt, sizeof(npy_ulong))},
    {NPY_ULONGLONG, make(kDLUInt, sizeof(npy_ulonglong))},
    {NPY_HALF, make(kDLFloat, 2)},
    {NPY_FLOAT, make(kDLFloat, 4)},
    {NPY_DOUBLE, make(kDLFloat, 8)},
    {NPY_CFLOAT, make(kComplexCode, 8)},
    {NPY_CDOUBLE, make(kComplexCode, 16)},
};

constexpr auto kByNumber = [] {
    std::array<DLDataType, NPY_HALF + 1> table{};
    for (const Entry& entry : kEntries)
        table[static_cast<std::size_t>(entry.number)] = entry.dlpack;
    return table;
}();

}  // namespace

bool is_float(DType dtype) {
    return dtype == NPY_HALF || (dtype >= NPY_FLOAT && dtype <= NPY_LONGDOUBLE);
}

bool is_complex(DType dtype) { return dtype >= NPY_CFLOAT && dtype <= NPY_CLONGDOUBLE; }

DLDataType to_dlpack(DType dtype) {
    const auto index = static_cast<std::size_t>(dtype);
    return index < kByNumber.size() ? kByNumber[index] : DLDataType{0, 0, 1};
}

std::size_t item_size(DType dtype) { return to_dlpack(dtype).bits / 8; }

DType from_dlpack(DLDataType dtype) {
    for (const Entry& entry : kEntries) {
        if (entry.dlpack.code == dtype.code && entry.dlpack.bits == dtype.bits &&
            dtype.lanes == 1) {
            return entry.number;
        }
    }
    return -1;
}

}  // namespace pullback
