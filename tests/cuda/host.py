"""The host's part of printed CUDA, compiled, and called for a device that is given."""

import ctypes

import numpy as np

from pullback.engine.kernels import abi
from pullback.engine.kernels.compile import compile_text
from pullback.engine.kernels.launch import plain_value, scalar
from pullback.engine.kernels.load import KernelLibrary
from pullback.transpile.emit.cpp import ABI
from pullback.transpile.emit.cuda import emit_host

from .corpus import Unfit

ALIGNMENT = 64


class Host:
    """The host's part of a formula's kernels, for a device.

    device   has the `threads` of a block, `there(array)`, the address of a copy of its memory there,
             `fetch()`, which copies all such memory back, and `start(launch, variant)`
    """

    def __init__(self, name, kernels, source, device):
        self.library = KernelLibrary(compile_text(emit_host(name, kernels, source)), name)
        self.device = device

    def run(self, kernel, arguments, wide=False):
        """The outputs of a kernel, by number; `wide` with indices of 64 bits. Raises Unfit."""
        failed = []

        def launch(_, pointer):
            started = pointer.contents
            variant = abi.VARIANTS[started.variant]
            try:
                self.device.start(started, "i64" if wide and variant == "i32" else variant)
            except Exception as error:  # which ctypes would only print
                failed.append(error)
                return 1
            return 0

        arrays = [np.asarray(array) for array in arguments.arrays]
        numbers = [entry for entry in kernel.inputs if entry.is_number]
        attrs = (abi.Scalar * max(1, len(numbers)))(
            *(scalar(value, entry.role) for value, entry in zip(arguments.numbers, numbers, strict=True))
        )
        count = len(kernel.outputs) + len(kernel.plain_results)
        specs, error = (abi.Spec * max(1, count))(), ctypes.create_string_buffer(256)
        described = [_tensor(array, 0) for array in arrays]
        common = (ABI, len(arrays), len(numbers), count)
        query = abi.Infer(*common, _pointers(described), attrs, specs, error=_text(error), error_bytes=256)
        infer, run = self.library.functions(kernel.name)
        if infer(ctypes.byref(query)) != abi.OK:
            raise Unfit(error.value.decode())
        outputs = [np.full(tuple(s.shape[: s.ndim]), 77, abi.numpy_type(s.dtype)) for s in specs[:count]]
        found = dict(enumerate(outputs[: len(kernel.outputs)]))
        for place, plain in enumerate(kernel.plain_results, len(kernel.outputs)):
            value = plain_value(specs[place], plain.kind)
            found[place] = outputs[place] if plain.kind in ("like", "shape") else np.asarray(value)
        workspace = np.full(query.workspace_bytes + ALIGNMENT, 255, np.uint8)
        there = self.device.there
        results = [found[k] if k < len(kernel.outputs) else None for k in range(count)]
        start = -(-there(workspace) // ALIGNMENT) * ALIGNMENT
        zero = np.zeros(16, np.uint8)
        runtime = abi.Runtime(launch=abi.Launched(launch), zero=there(zero), threads=self.device.threads)
        call = abi.Call(
            *common,
            _pointers([_tensor(array, there(array)) for array in arrays]),
            attrs,
            _pointers([None if array is None else _tensor(array, there(array)) for array in results]),
            start,
            query.workspace_bytes,
            end=query.units,
            runtime=ctypes.pointer(runtime),
            error=_text(error),
            error_bytes=256,
        )
        status = run(ctypes.byref(call))
        if failed:
            raise failed[0]
        assert status == abi.OK, error.value
        self.device.fetch()
        return found


def shapes_of(kernel):
    """The places of results that are shapes."""
    plain = enumerate(kernel.plain_results, len(kernel.outputs))
    return {place for place, one in plain if one.kind in ("like", "shape")}


def base_of(array):
    """The array whose memory an array is a view of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _text(buffer):
    return ctypes.c_char_p(ctypes.addressof(buffer))


def _pointers(tensors):
    kind = ctypes.POINTER(abi.DLTensor)
    return (kind * max(1, len(tensors)))(*(t if t is None else ctypes.pointer(t) for t in tensors))


def _tensor(array, address):
    extents = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
    strides = (ctypes.c_int64 * max(1, array.ndim))(*(step // array.itemsize for step in array.strides))
    cpu = abi.DLDevice(1, 0)
    return abi.DLTensor(address, cpu, array.ndim, abi.data_type(array.dtype), extents, strides, 0)
