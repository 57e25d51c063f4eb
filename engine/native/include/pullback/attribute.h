// An attribute of a call: nothing, a truth, a number, a text, a tuple of
// integers, an index, or a shape with a dtype.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pullback/engine_api.h"

namespace pullback {

/// An error, as text: "GradientShapeError: ...".
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

using Shape = std::vector<std::int64_t>;

/// Shape and dtype of a tensor.
struct Like {
    DLDataType dtype{kDLFloat, 64, 1};
    Shape shape;
};

/// Python's `start:stop:step`; an end may be open.
struct Slice {
    static constexpr std::int64_t kOpen = std::numeric_limits<std::int64_t>::min();
    std::int64_t start = kOpen;
    std::int64_t stop = kOpen;
    std::int64_t step = 1;
};

/// All axes that an index does not name.
struct Ellipsis {};
inline constexpr Ellipsis ellipsis;

/// Nothing: an axis that is not given stands for all of them, in an index for a new axis.
struct None {};
inline constexpr None none;

/// One part of an index: a place, a slice, `ellipsis`, or `none` for a new axis.
class IndexPart {
  public:
    template <std::integral Integer>
    IndexPart(Integer place) : part_{PB_PLACE, static_cast<std::int64_t>(place), 0, 1, 1, 1} {}
    IndexPart(Slice slice)
        : part_{PB_RANGE,
                slice.start,
                slice.stop,
                slice.step,
                slice.start != Slice::kOpen,
                slice.stop != Slice::kOpen} {}
    IndexPart(Ellipsis) : part_{PB_ELLIPSIS, 0, 0, 1, 0, 0} {}
    IndexPart(None) : part_{PB_NEW_AXIS, 0, 0, 1, 0, 0} {}

  private:
    pb_index_part part_;
};

using Index = std::vector<IndexPart>;

class Attribute {
  public:
    Attribute() = default;
    Attribute(None) {}
    Attribute(bool truth) : kind_(PB_TRUTH), integer_(truth) {}
    template <std::integral Integer>
    Attribute(Integer number) : kind_(PB_INTEGER), integer_(static_cast<std::int64_t>(number)) {}
    Attribute(double number) : kind_(PB_NUMBER), number_(number) {}
    Attribute(const char* text) : kind_(PB_TEXT), more_(share({.text = text})) {}
    Attribute(Shape integers)
        : kind_(PB_INTEGERS), more_(share({.integers = std::move(integers)})) {}
    Attribute(std::initializer_list<std::int64_t> integers) : Attribute(Shape(integers)) {}
    Attribute(Index index) : kind_(PB_INDEX), more_(share({.index = std::move(index)})) {}
    Attribute(Slice slice) : Attribute(Index{slice}) {}
    Attribute(Like like) : kind_(PB_LIKE), more_(share({.like = std::move(like)})) {}

    /// For the table of C functions; valid while this is.
    pb_attribute c(const char* name) const;

  private:
    /// Members that few attributes have.
    struct More {
        std::string text = {};
        Shape integers = {};
        Index index = {};
        Like like = {};
    };
    static std::shared_ptr<const More> share(More more) {
        return std::make_shared<const More>(std::move(more));
    }

    pb_attribute_kind kind_ = PB_NOTHING;
    std::int64_t integer_ = 0;
    double number_ = 0;
    std::shared_ptr<const More> more_;
};

static_assert(sizeof(IndexPart) == sizeof(pb_index_part));

inline pb_attribute Attribute::c(const char* name) const {
    pb_attribute result{};
    result.name = name;
    result.kind = kind_;
    result.integer = integer_;
    result.number = number_;
    if (!more_) return result;
    result.text = more_->text.c_str();
    result.integers = more_->integers.data();
    result.parts = reinterpret_cast<const pb_index_part*>(more_->index.data());
    result.count = kind_ == PB_INDEX ? more_->index.size() : more_->integers.size();
    result.like = {more_->like.dtype, static_cast<std::int32_t>(more_->like.shape.size()),
                   more_->like.shape.data()};
    return result;
}

}  // namespace pullback
