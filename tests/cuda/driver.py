"""The CUDA driver by ctypes: a program of loops run on a GPU, with NumPy arrays in and out."""

import ctypes

import numpy as np

from pullback.transpile.emit.cuda import cuda_text
from pullback.transpile.emit.cuda.printer import signature
from pullback.transpile.loops.device.launch import host_numbers, launch, numbers

from .nvrtc import compile_cuda

THREADS, BLOCKS = 256, 4096


class Map(ctypes.Structure):
    """`pb_map` of the emitted text."""

    _fields_ = (
        ("rank", ctypes.c_int),
        ("size", ctypes.c_longlong * 8),
        ("stride", ctypes.c_longlong * 8),
    )

    @classmethod
    def of(cls, found):
        pad = (0,) * (8 - len(found.sizes))
        return cls(len(found.sizes), (*found.sizes, *pad), (*found.strides, *pad))


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

    def load(self, programs):
        """The compiled module of these programs."""
        binary, module = compile_cuda(cuda_text(programs), self.architecture), ctypes.c_void_p()
        self._check(self.cuda.cuModuleLoadData(ctypes.byref(module), binary))
        return module

    def run(self, module, program, inputs, scalars, shapes, wide=False):
        """The program's results, as the interpreter gives them. `wide`: with indices of 64 bits."""
        found = host_numbers(program, shapes, scalars)
        memory, host = {}, {}
        try:
            for buffer in program.buffers:
                array = np.zeros(numbers(buffer.shape, shapes), buffer.dtype)
                if buffer.role == "input":
                    array = np.ascontiguousarray(inputs[buffer.name], buffer.dtype).reshape(array.shape)
                host[buffer.name] = array
                memory[buffer.name] = pointer = ctypes.c_uint64()
                self._check(
                    self.cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(max(1, array.nbytes)))
                )
                self._check(
                    self.cuda.cuMemcpyHtoD_v2(
                        pointer, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes)
                    )
                )
            for kernel in program.kernels:
                self._launch(module, program, kernel, shapes, memory, found, wide)
            self._check(self.cuda.cuCtxSynchronize())
            for name, array in host.items():
                size = ctypes.c_size_t(array.nbytes)
                self._check(
                    self.cuda.cuMemcpyDtoH_v2(array.ctypes.data_as(ctypes.c_void_p), memory[name], size)
                )
        finally:
            for pointer in memory.values():
                self.cuda.cuMemFree_v2(pointer)
        return [host[name] if name in host else found.get(name) for name in program.results]

    def _launch(self, module, program, kernel, shapes, memory, found, wide):
        how = launch(kernel, shapes)
        if not how.groups:
            return
        small = how.is_small and not wide
        whole = ctypes.c_int if small else ctypes.c_longlong
        lanes = how.lanes if kernel.whole is not None else 1
        values = []
        for argument in signature(program, kernel):
            if argument.kind == "scalar":
                values.append(ctypes.c_double(float(found[argument.name])))
            elif argument.kind == "buffer":
                values.append(memory[argument.name])
            elif argument.kind == "map":
                values.append(Map.of(how.maps[int(argument.name)]))
            else:
                given = {
                    "groups": whole(how.groups),
                    "length": whole(how.length),
                    "lanes": ctypes.c_int(lanes),
                }
                values.append(given[argument.kind])
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        function = ctypes.c_void_p()
        name = f"{kernel.name}_{'i32' if small else 'i64'}".encode()
        self._check(self.cuda.cuModuleGetFunction(ctypes.byref(function), module, name))
        blocks = min(BLOCKS, -(-how.groups * lanes // THREADS))
        self._check(self.cuda.cuLaunchKernel(function, blocks, 1, 1, THREADS, 1, 1, 0, None, pointers, None))
