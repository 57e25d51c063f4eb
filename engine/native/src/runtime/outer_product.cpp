#include "runtime/outer_product.h"

#include <algorithm>

#include "runtime/processor_levels.h"
#include "runtime/workers.h"

namespace pullback {
namespace {

constexpr std::int64_t kWorthKeeping = 1 << 15;  // elements
constexpr std::int64_t kGrain = 1 << 14;         // elements of a range

template <typename T>
void copy(const void* from, std::int64_t step, std::int64_t count, void* to) {
    for (std::int64_t i = 0; i < count; ++i) {
        static_cast<T*>(to)[i] = static_cast<const T*>(from)[i * step];
    }
}

template <typename T>
[[gnu::always_inline]] inline void write_row(T factor, const T* __restrict row, T* __restrict to,
                                             std::int64_t size) {
    for (std::int64_t j = 0; j < size; ++j) to[j] = factor * row[j];
}

template <typename T>
[[gnu::always_inline]] inline void add_row(T scale, T factor, const T* __restrict row,
                                           T* __restrict to, std::int64_t size) {
    for (std::int64_t j = 0; j < size; ++j) to[j] += scale * (factor * row[j]);
}

PB_LEVELS void write_rows(const float* column, const float* row, float* to, std::int64_t rows,
                          std::int64_t columns) {
    for (std::int64_t i = 0; i < rows; ++i) write_row(column[i], row, to + i * columns, columns);
}

PB_LEVELS void write_rows(const double* column, const double* row, double* to, std::int64_t rows,
                          std::int64_t columns) {
    for (std::int64_t i = 0; i < rows; ++i) write_row(column[i], row, to + i * columns, columns);
}

PB_LEVELS void add_rows(float scale, const float* column, const float* row, float* to,
                        std::int64_t rows, std::int64_t columns) {
    for (std::int64_t i = 0; i < rows; ++i) {
        add_row(scale, column[i], row, to + i * columns, columns);
    }
}

PB_LEVELS void add_rows(double scale, const double* column, const double* row, double* to,
                        std::int64_t rows, std::int64_t columns) {
    for (std::int64_t i = 0; i < rows; ++i) {
        add_row(scale, column[i], row, to + i * columns, columns);
    }
}

}  // namespace

bool OuterProduct::takes(const pb_product& p) {
    return p.k == 1 && p.ndim == 0 && p.add == 0 && p.c_row == p.n && std::min(p.m, p.n) > 1 &&
           p.m * p.n >= kWorthKeeping;
}

OuterProduct::OuterProduct(const pb_product& p) : bits_(p.bits), rows_(p.m), columns_(p.n) {
    factors_ = std::make_unique<char[]>(static_cast<std::size_t>((p.m + p.n) * (p.bits / 8)));
    char* const row = factors_.get() + p.m * (p.bits / 8);
    if (bits_ == 32) {
        copy<float>(p.a, p.a_row, p.m, factors_.get());
        copy<float>(p.b, p.b_column, p.n, row);
    } else {
        copy<double>(p.a, p.a_row, p.m, factors_.get());
        copy<double>(p.b, p.b_column, p.n, row);
    }
}

/// Calls body(begin, end) for ranges of rows, on several threads.
template <typename Body>
void OuterProduct::each_range(const Body& body) const {
    const auto range = [](void* argument, std::int64_t begin, std::int64_t end) {
        (*static_cast<const Body*>(argument))(begin, end);
    };
    parallel_for(nullptr, rows_, std::max<std::int64_t>(kGrain / columns_, 1), range,
                 const_cast<Body*>(&body));
}

void OuterProduct::write(void* result) const {
    each_range([&](std::int64_t begin, std::int64_t end) {
        if (bits_ == 32) {
            write_rows(static_cast<const float*>(column()) + begin,
                       static_cast<const float*>(row()),
                       static_cast<float*>(result) + begin * columns_, end - begin, columns_);
        } else {
            write_rows(static_cast<const double*>(column()) + begin,
                       static_cast<const double*>(row()),
                       static_cast<double*>(result) + begin * columns_, end - begin, columns_);
        }
    });
}

void OuterProduct::add_to(void* target, double factor) const {
    each_range([&](std::int64_t begin, std::int64_t end) {
        if (bits_ == 32) {
            add_rows(static_cast<float>(factor), static_cast<const float*>(column()) + begin,
                     static_cast<const float*>(row()),
                     static_cast<float*>(target) + begin * columns_, end - begin, columns_);
        } else {
            add_rows(factor, static_cast<const double*>(column()) + begin,
                     static_cast<const double*>(row()),
                     static_cast<double*>(target) + begin * columns_, end - begin, columns_);
        }
    });
}

}  // namespace pullback
