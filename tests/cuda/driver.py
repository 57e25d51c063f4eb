"""The CUDA driver by ctypes: the programs of a text run on a GPU, with NumPy arrays in and out."""

import ctypes

import numpy as np

from pullback.transpile.loops.interpreter import run

from .host import Work, started
from .nvrtc import compile_cuda

THREADS, BLOCKS = 256, 4096


class Gpu:
    """The first GPU, with a context of its own."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self._check(self.cuda.cuInit(0))
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self._check(self.cuda.cuDeviceGet(ctypes.byref(device), 0))
        self._check(self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
        self._check(self.cuda.cuCtxSetCurrent(context))
        self.device = device
        self.architecture = f"sm_{self._attribute(75)}{self._attribute(76)}"

    def _attribute(self, number):
        value = ctypes.c_int()
        self._check(self.cuda.cuDeviceGetAttribute(ctypes.byref(value), number, self.device))
        return value.value

    def _check(self, status):
        if status:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(status, ctypes.byref(text))
            raise RuntimeError(f"CUDA: {text.value.decode() if text.value else status}")

    def load(self, text):
        """The compiled module of a text."""
        binary, module = compile_cuda(text, self.architecture), ctypes.c_void_p()
        self._check(self.cuda.cuModuleLoadData(ctypes.byref(module), binary))
        return module

    def run(self, module, program, arguments, wide=False):
        """The outputs of a program, by number; `wide` with indices of 64 bits."""

        def launch(statement, value):
            how = started(statement, program, value, THREADS)
            if how.space.groups:
                self._launch(module, statement, how, np.dtype(arguments.float_type).name, wide)

        return run(program, arguments, launch)

    def _launch(self, module, statement, how, dtype, wide):
        """Copy the memory of all views there, start the kernel, and copy it back."""
        memory = {}
        totals = np.zeros(max(1, how.slots * how.space.parts))
        arrived = np.zeros(max(1, how.slots), np.uint32)
        try:
            pointers = [ctypes.c_uint64(self._there(view, memory)) for view in how.views]
            work = Work(self._there(totals, memory), self._there(arrived, memory))
            values = [how.space, *pointers, *how.numbers, work]
            given = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
            function = ctypes.c_void_p()
            name = f"{statement.name}_{dtype}_{'i32' if how.is_small and not wide else 'i64'}".encode()
            self._check(self.cuda.cuModuleGetFunction(ctypes.byref(function), module, name))
            blocks = min(BLOCKS, -(-how.shares // THREADS))
            self._check(self.cuda.cuLaunchKernel(function, blocks, 1, 1, THREADS, 1, 1, 0, None, given, None))
            self._check(self.cuda.cuCtxSynchronize())
            for base, pointer in memory.values():
                place, size = ctypes.c_void_p(base.ctypes.data), ctypes.c_size_t(base.nbytes)
                self._check(self.cuda.cuMemcpyDtoH_v2(place, pointer, size))
        finally:
            for _, pointer in memory.values():
                self.cuda.cuMemFree_v2(pointer)

    def _there(self, view, memory):
        """The address of a view on the device, with the memory that it is a view of copied there."""
        base = view
        while isinstance(base.base, np.ndarray):
            base = base.base
        if id(base) not in memory:
            pointer = ctypes.c_uint64()
            size = ctypes.c_size_t(max(1, base.nbytes))
            self._check(self.cuda.cuMemAlloc_v2(ctypes.byref(pointer), size))
            memory[id(base)] = base, pointer
            place = ctypes.c_void_p(base.ctypes.data)
            self._check(self.cuda.cuMemcpyHtoD_v2(pointer, place, ctypes.c_size_t(base.nbytes)))
        base, pointer = memory[id(base)]
        return pointer.value + view.ctypes.data - base.ctypes.data
