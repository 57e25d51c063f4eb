#include "runtime/services.h"

#include <cstring>

#include "base/allocator.h"
#include "runtime/product.h"
#include "runtime/workers.h"

namespace pullback {
namespace {

void gemm(void* context, const pb_product* product) {
    if (multiply_by_blas(*product)) return;
    const auto* fallback = static_cast<const pb_runtime*>(context);
    fallback->gemm(fallback->context, product);
}

// A kernel gives back memory without its size, which stands in front of it.
constexpr std::size_t kFront = 64;

void* alloc(void*, std::size_t bytes) {
    char* block = take_block(bytes + kFront);
    if (block == nullptr) return nullptr;
    std::memcpy(block, &bytes, sizeof bytes);
    return block + kFront;
}

void give_back(void*, void* memory) {
    if (memory == nullptr) return;
    char* block = static_cast<char*>(memory) - kFront;
    std::size_t bytes = 0;
    std::memcpy(&bytes, block, sizeof bytes);
    give_block(block, bytes + kFront);
}

}  // namespace

const pb_runtime* services(const pb_runtime* fallback) {
    static const pb_runtime table{const_cast<pb_runtime*>(fallback),
                                  alloc,
                                  give_back,
                                  parallel_for,
                                  gemm,
                                  nullptr,
                                  nullptr,
                                  0};  // no device
    return &table;
}

}  // namespace pullback
