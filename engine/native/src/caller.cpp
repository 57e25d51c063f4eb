#include <string_view>

#include "pullback/engine.h"

namespace pullback {
namespace {

/// Whether a frame belongs to this package or to what stands between it and its caller.
bool is_internal(PyFrameObject* frame) {
    const PyRef globals = PyRef::steal(PyFrame_GetGlobals(frame));
    PyObject* name = PyDict_GetItemString(globals.get(), "__name__");
    const char* text = name != nullptr && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
    if (text == nullptr) return false;
    const std::string_view module(text);
    const std::string_view package = module.substr(0, module.find('.'));
    return package == "pullback" || package == "numpy" || package == "typeguard";
}

}  // namespace

void remember_caller(Node& node) {
    PyFrameObject* innermost = PyEval_GetFrame();
    if (innermost == nullptr) return;
    auto frame = Ref<PyFrameObject>::borrow(innermost);
    while (is_internal(frame.get())) {
        auto outer = Ref<PyFrameObject>::steal(PyFrame_GetBack(frame.get()));
        if (!outer) break;
        frame = std::move(outer);
    }
    node.caller = PyRef::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame.get())));
    node.caller_instruction = PyFrame_GetLasti(frame.get());
}

}  // namespace pullback
