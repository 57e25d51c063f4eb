#include "copy.h"

#include <cstring>

#include "loops.h"

namespace pullback::standalone {

void copy_values(const pb_value& from, pb_value& to) {
    if (from.layout.twin_of(to.layout)) {
        const auto bytes =
            static_cast<std::size_t>(to.layout.size()) * item_size(to.layout.dtype());
        if (bytes > 0) std::memcpy(to.data, from.data, bytes);
        return;
    }
    with_type(from.dtype(), [&](auto source) {
        with_type(to.dtype(), [&](auto target) {
            using From = decltype(source);
            using To = decltype(target);
            map<To, From>([](From value) { return static_cast<To>(value); }, to, from);
        });
    });
}

void fill(pb_value& to, double number) {
    with_type(to.dtype(), [&](auto target) {
        using To = decltype(target);
        map<To>([&] { return static_cast<To>(number); }, to);
    });
}

}  // namespace pullback::standalone
