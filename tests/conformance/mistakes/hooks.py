"""Hooks in the wrong place, or that return what they must not."""

import pullback as pb
from tests.conformance.mistakes import leaf, mistake


@mistake
def a_hook_on_what_has_no_gradient():
    pb.tensor([1.0]).register_hook(print)


@mistake
def a_hook_that_is_no_function():
    leaf().register_hook(1)


@mistake
def a_hook_after_accumulation_on_a_result():
    (leaf() * 2.0).register_post_accumulate_grad_hook(print)


@mistake
def retaining_what_has_no_gradient():
    pb.tensor([1.0]).retain_grad()


@mistake
def hooks_on_several_of_which_one_has_no_gradient():
    pb.register_multi_grad_hook([leaf(), pb.tensor([1.0])], print)


@mistake
def a_hook_that_returns_a_number():
    x = leaf()
    x.register_hook(lambda grad: 1.0)
    x.sum().backward()


@mistake
def a_hook_that_returns_another_shape():
    x = leaf()
    x.register_hook(lambda grad: grad.sum())
    x.sum().backward()


@mistake
def a_hook_that_raises():
    x = leaf() * 2.0
    x.register_hook(lambda grad: 1 // 0)
    x.sum().backward()


@mistake
def a_node_hook_that_returns_too_few():
    y = leaf() * leaf()
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0],))
    y.sum().backward()


@mistake
def a_node_prehook_that_returns_too_many():
    y = leaf() * leaf()
    y.grad_fn.register_prehook(lambda outputs: (*outputs, None))
    y.sum().backward()


@mistake
def a_node_hook_that_returns_a_tensor():
    y = leaf() * leaf()
    y.grad_fn.register_hook(lambda inputs, outputs: outputs[0])
    y.sum().backward()


@mistake
def a_hook_after_accumulation_that_raises():
    x = leaf()
    x.register_post_accumulate_grad_hook(lambda tensor: 1 // 0)
    x.sum().backward()


@mistake
def a_hook_writes_to_its_gradient():
    x = leaf()

    def hook(grad):
        grad += 1.0

    x.register_hook(hook)
    x.sum().backward()


@mistake
def a_pack_that_raises():
    with pb.saved_tensors_hooks(lambda x: 1 // 0, lambda x: x):
        leaf() * leaf()


@mistake
def an_unpack_of_another_shape():
    with pb.saved_tensors_hooks(lambda x: x, lambda x: x[:1]):
        y = leaf() * leaf()
    y.sum().backward()


@mistake
def an_unpack_that_is_no_tensor():
    with pb.saved_tensors_hooks(lambda x: x, lambda x: "text"):
        y = leaf() * leaf()
    y.sum().backward()


@mistake
def what_a_pack_kept_was_changed():
    kept = []
    with pb.saved_tensors_hooks(lambda x: kept.append(x) or x, lambda x: x):
        y = leaf() * (leaf() * 2.0)
    for x in kept:
        with pb.no_grad():
            x += 1.0
    y.sum().backward()
