// The product of a column and a row, before anybody reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "pullback/kernel_abi.h"

namespace pullback {

/// A matrix of floats as the column and the row that it is the product of.
///
/// The gradient of a matrix that a single row was multiplied by is one. It is as large as the
/// matrix, its factors fit in the first cache: a step of SGD that adds it to the matrix needs half
/// the memory's traffic if it is never written.
class OuterProduct {
  public:
    /// True if a product is one, large enough to be worth it, and of dense rows.
    static bool takes(const pb_product& product);
    /// Copies of the product's factors.
    explicit OuterProduct(const pb_product& product);

    /// Writes the matrix. Several threads may share the work.
    void write(void* result) const;
    /// Adds factor * matrix to another one, each product and the sum rounded.
    void add_to(void* target, double factor) const;

  private:
    const void* column() const { return factors_.get(); }
    const void* row() const { return factors_.get() + rows_ * (bits_ / 8); }
    template <typename Body>
    void each_range(const Body& body) const;

    int bits_;
    std::int64_t rows_;
    std::int64_t columns_;
    std::unique_ptr<char[]> factors_;  // the column, then the row
};

}  // namespace pullback
