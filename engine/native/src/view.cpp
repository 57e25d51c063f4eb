// Views, and what an in-place write does to histories; see `pullback.engine.views`.
#include "pullback/errors.h"
#include "pullback/node.h"
#include "pullback/tensor.h"

namespace pullback {

void Tensor::show_part_of(Tensor& source, Made how) {
    base = source.base ? source.base : Ref<Tensor>::borrow(&source);
    writes = base->writes;
    made = how == Made::plain && source.base ? source.made : how;
    track();
}

void Tensor::renew() {
    static PyObject* function = import_from("pullback.engine.views", "renew").release();
    checked(PyObject_CallOneArg(function, object()));
}

void Tensor::rebase(const Tensor& result) {
    if (grad_fn && grad_fn->extras) {
        auto& retained = grad_fn->extras->retained;
        const auto mine = retained.find(output_number);
        if (mine != retained.end() && PyWeakref_GetObject(mine->second.get()) == object()) {
            if (result.grad_fn) {
                result.grad_fn->more().retained[result.output_number] = mine->second;
            }
            retained.erase(mine);
        }
    }
    if (result.grad_fn) {
        hang_on(result.grad_fn, result.output_number);
    } else {
        grad_fn = nullptr;
        requires_grad = false;
    }
    if (base) {
        writes = base->writes;
    } else {
        ++writes;
    }
}

}  // namespace pullback
