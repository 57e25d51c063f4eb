#include "indexing.h"

#include <algorithm>

namespace pullback::standalone {
namespace {

/// Python's rule for the ends of a range along an axis.
struct Range {
    std::int64_t start;
    std::int64_t count;
};

Range range_of(const pb_index_part& part, std::int64_t length) {
    if (part.step == 0) throw Error("ValueError: a slice whose step is zero");
    const bool up = part.step > 0;
    const std::int64_t low = up ? 0 : -1, high = up ? length : length - 1;
    const auto end = [&](std::int64_t place) {
        return std::clamp(place < 0 ? place + length : place, low, high);
    };
    const std::int64_t start = part.has_start != 0 ? end(part.start) : (up ? low : high);
    const std::int64_t stop = part.has_stop != 0 ? end(part.stop) : (up ? high : low);
    const std::int64_t span = up ? stop - start : start - stop;
    const std::int64_t step = up ? part.step : -part.step;
    return {start, span > 0 ? (span + step - 1) / step : 0};
}

}  // namespace

Place indexed(const Place& from, const Index& index) {
    std::size_t named = 0, ellipses = 0;
    for (const IndexPart& part : index) {
        named += part.c().kind == PB_PLACE || part.c().kind == PB_RANGE;
        ellipses += part.c().kind == PB_ELLIPSIS;
    }
    if (named > from.ndim()) throw Error("IndexError: more parts in the index than axes");
    if (ellipses > 1) throw Error("IndexError: an index with two ellipses");
    Place to;
    to.offset = from.offset;
    std::size_t axis = 0;
    const auto keep = [&](std::size_t count) {
        for (; count > 0; --count, ++axis) to.append(from.shape[axis], from.strides[axis]);
    };
    for (const IndexPart& each : index) {
        const pb_index_part& part = each.c();
        switch (part.kind) {
            case PB_NEW_AXIS:
                to.append(1, 0);
                break;
            case PB_ELLIPSIS:
                keep(from.ndim() - named);
                break;
            case PB_PLACE: {
                const std::int64_t length = from.shape[axis];
                if (part.start < -length || part.start >= length) {
                    throw Error("IndexError: index " + std::to_string(part.start) +
                                " is out of bounds for an axis of length " +
                                std::to_string(length));
                }
                to.offset +=
                    (part.start < 0 ? part.start + length : part.start) * from.strides[axis++];
                break;
            }
            case PB_RANGE: {
                const Range range = range_of(part, from.shape[axis]);
                if (range.count > 0) to.offset += range.start * from.strides[axis];
                to.append(range.count, from.strides[axis] * part.step);
                ++axis;
                break;
            }
        }
    }
    keep(from.ndim() - axis);
    return to;
}

}  // namespace pullback::standalone
