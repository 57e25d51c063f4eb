#include "saved.h"

#include "library.h"

namespace pullback::standalone {

Tensor Saved::operand() const {
    const Tensor& input = inputs_[0];
    return value_of(input).is_number ? as_dtype(input, kFloat64) : input;
}

Like Saved::like(std::size_t position) const {
    const Layout& layout = layouts_[position];
    return {to_dlpack(layout.dtype()), Shape(layout.shape(), layout.shape() + layout.ndim())};
}

std::vector<Like> Saved::likes() const {
    std::vector<Like> all;
    for (std::size_t i = 0; i < inputs_.size(); ++i) all.push_back(like(i));
    return all;
}

const Attribute& Saved::attribute(const char* name) const {
    return attributes_[operator_.place_of(name)];
}

}  // namespace pullback::standalone
