// Loads and stores of rows of elements, between memory and buffers: part of kernel/runtime.h.
#ifndef PULLBACK_KERNEL_MOVES_H_
#define PULLBACK_KERNEL_MOVES_H_

#include "pullback/kernel/context.h"

namespace pb {

// Elements are moved as integers of their size, whatever their type is.
template <typename Bits>
Bits peek(const char* from) {
    Bits value;
    __builtin_memcpy(&value, from, sizeof(Bits));
    return value;
}
template <typename Bits>
void poke(char* to, Bits value) {
    __builtin_memcpy(to, &value, sizeof(Bits));
}

template <typename Bits>
void load_row(char* row, const char* from, int64_t stride, int64_t n) {
    constexpr int64_t kBytes = sizeof(Bits);
    if (stride == 0) {
        const Bits value = peek<Bits>(from);
        for (int64_t i = 0; i < n; ++i) poke(row + i * kBytes, value);
    } else if (stride == kBytes) {
        __builtin_memcpy(row, from, static_cast<size_t>(n * kBytes));
    } else {
        for (int64_t i = 0; i < n; ++i) poke(row + i * kBytes, peek<Bits>(from + i * stride));
    }
}

template <typename Bits>
void store_row(const char* row, char* to, int64_t stride, int64_t n) {
    constexpr int64_t kBytes = sizeof(Bits);
    if (stride == kBytes) {
        __builtin_memcpy(to, row, static_cast<size_t>(n * kBytes));
    } else {
        for (int64_t i = 0; i < n; ++i) poke(to + i * stride, peek<Bits>(row + i * kBytes));
    }
}

// Short rows of one element each.
template <typename Bits, int kWidth>
void spread_in(char* rows, const char* from, int64_t step, int64_t count) {
    for (int64_t r = 0; r < count; ++r) {
        const Bits value = peek<Bits>(from + r * step);
        for (int64_t i = 0; i < kWidth; ++i)
            poke(rows + (r * kWidth + i) * static_cast<int64_t>(sizeof(Bits)), value);
    }
}

template <typename Bits>
void spread(char* rows, const char* from, int64_t step, int64_t width, int64_t count) {
    if (width == 2) return spread_in<Bits, 2>(rows, from, step, count);
    if (width == 3) return spread_in<Bits, 3>(rows, from, step, count);
    if (width == 4) return spread_in<Bits, 4>(rows, from, step, count);
    for (int64_t r = 0; r < count; ++r, rows += width * static_cast<int64_t>(sizeof(Bits)))
        load_row<Bits>(rows, from + r * step, 0, width);
}

// Rows whose elements lie next to those of the next row: a column of the tile at a time.
template <typename Bits>
void load_tile(char* tile, const char* from, int64_t rows, int64_t width, int64_t stride) {
    constexpr int64_t kBytes = sizeof(Bits);
    for (int64_t i = 0; i < width; ++i) {
        for (int64_t r = 0; r < rows; ++r)
            poke(tile + (r * width + i) * kBytes, peek<Bits>(from + i * stride + r * kBytes));
    }
}

template <typename Bits>
void store_tile(const char* tile, char* to, int64_t rows, int64_t width, int64_t stride) {
    constexpr int64_t kBytes = sizeof(Bits);
    for (int64_t i = 0; i < width; ++i) {
        for (int64_t r = 0; r < rows; ++r)
            poke(to + i * stride + r * kBytes, peek<Bits>(tile + (r * width + i) * kBytes));
    }
}

// What loads and stores need to know of an element is its size.
struct Moves {
    void (*load)(char* row, const char* from, int64_t stride, int64_t n);
    void (*store)(const char* row, char* to, int64_t stride, int64_t n);
    void (*spread)(char* rows, const char* from, int64_t step, int64_t width, int64_t count);
    void (*load_tile)(char* tile, const char* from, int64_t rows, int64_t width, int64_t stride);
    void (*store_tile)(const char* tile, char* to, int64_t rows, int64_t width, int64_t stride);
};
template <typename T>
inline constexpr Moves kMoves = {load_row<T>, store_row<T>, spread<T>, load_tile<T>, store_tile<T>};

PB_RUNTIME const Moves& moves_of(int64_t item) {
    return item == 8 ? kMoves<int64_t> : item == 4 ? kMoves<int32_t> : kMoves<char>;
}

// Stores past the caches, as <emmintrin.h> has them.
#if defined(__AVX512F__)
constexpr int64_t kLane = 64;
#elif defined(__AVX__)
constexpr int64_t kLane = 32;
#else
constexpr int64_t kLane = 16;
#endif
#if defined(__SSE2__)
using Lane __attribute__((vector_size(kLane))) = long long;
#if defined(__clang__)
#define PB_STREAM(to, value) __builtin_nontemporal_store(value, to)
#elif defined(__AVX512F__)
#define PB_STREAM(to, value) __builtin_ia32_movntdq512(to, value)
#elif defined(__AVX__)
#define PB_STREAM(to, value) __builtin_ia32_movntdq256(to, value)
#else
#define PB_STREAM(to, value) __builtin_ia32_movntdq(to, value)
#endif
#endif

// A row of adjacent elements, past the caches.
PB_RUNTIME void stream_row(const char* row, char* to, int64_t bytes) {
    int64_t at = 0;
#ifdef PB_STREAM
    at = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(to) & 63);
    if (at > bytes) at = bytes;
    __builtin_memcpy(to, row, static_cast<size_t>(at));
    for (; at + 64 <= bytes; at += 64) {
        for (int64_t part = at; part < at + 64; part += kLane) {
            Lane value;
            __builtin_memcpy(&value, row + part, sizeof value);
            PB_STREAM(reinterpret_cast<Lane*>(to + part), value);
        }
    }
#endif
    __builtin_memcpy(to + at, row + at, static_cast<size_t>(bytes - at));
}

PB_RUNTIME void end_streams() {
#ifdef PB_STREAM
    __builtin_ia32_sfence();
#endif
}

// A row, so many times one behind the other.
PB_RUNTIME void repeat_row(char* rows, int64_t bytes, int64_t count) {
    const int64_t all = bytes * count;
    for (int64_t done = bytes; done < all;) {
        const int64_t more = done < all - done ? done : all - done;
        __builtin_memcpy(rows + done, rows, static_cast<size_t>(more));
        done += more;
    }
}

// What follows a stretch: what processors fetch by themselves ends with a page, and where a loop
// computes long.
PB_RUNTIME void ask_for_next(const char* rows, int64_t bytes) {
    for (int64_t at = bytes; at < 2 * bytes; at += 64) __builtin_prefetch(rows + at);
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_MOVES_H_
