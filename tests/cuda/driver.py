"""The CUDA driver by ctypes: the kernels of a text run on a GPU, on copies of arrays."""

import ctypes

from pullback.engine.kernels.nvrtc import compile_cuda

from .host import base_of

BLOCKS = 4096


class Gpu:
    """The first GPU, with a context of its own, and the kernels of a text."""

    threads = 256

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self._check(self.cuda.cuInit(0))
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self._check(self.cuda.cuDeviceGet(ctypes.byref(device), 0))
        self._check(self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
        self._check(self.cuda.cuCtxSetCurrent(context))
        self.device = device
        self.architecture = f"sm_{self._attribute(75)}{self._attribute(76)}"
        self.module = ctypes.c_void_p()
        self._memory = {}

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
        """Compile a text; its kernels are those that are started from now on."""
        binary, self.module = compile_cuda(text, self.architecture), ctypes.c_void_p()
        self._check(self.cuda.cuModuleLoadData(ctypes.byref(self.module), binary))

    def there(self, array):
        """The address of a view on the device, with the memory that it is a view of copied there."""
        base = base_of(array)
        if id(base) not in self._memory:
            pointer = self._allocated(base.nbytes)
            self._memory[id(base)] = base, pointer
            place = ctypes.c_void_p(base.ctypes.data)
            self._check(self.cuda.cuMemcpyHtoD_v2(pointer, place, ctypes.c_size_t(base.nbytes)))
        base, pointer = self._memory[id(base)]
        return pointer.value + array.ctypes.data - base.ctypes.data

    def fetch(self):
        """Copy all memory back, and free it there."""
        for base, pointer in self._memory.values():
            place, size = ctypes.c_void_p(base.ctypes.data), ctypes.c_size_t(base.nbytes)
            if base.flags.writeable:
                self._check(self.cuda.cuMemcpyDtoH_v2(place, pointer, size))
            self.cuda.cuMemFree_v2(pointer)
        self._memory = {}

    def start(self, launch, variant):
        """Run a kernel to its end."""
        name = f"{launch.kernel.decode()}_float{launch.bits}_"
        work = []
        if launch.work:
            work = [self._allocated(launch.totals_bytes), self._allocated(launch.arrived_bytes)]
            if size := launch.arrived_bytes:
                self._check(self.cuda.cuMemsetD8_v2(work[1], ctypes.c_ubyte(0), ctypes.c_size_t(size)))
            launch.work.contents.totals, launch.work.contents.arrived = (each.value for each in work)
        blocks = launch.blocks if launch.joining else min(BLOCKS, launch.blocks)
        self._run(name + variant, blocks, launch.threads, launch)
        if launch.joining:
            self._run(f"{name}joined", launch.joining, self.threads, launch)
        for each in work:
            self.cuda.cuMemFree_v2(each)

    def _run(self, name, blocks, threads, launch):
        function = ctypes.c_void_p()
        self._check(self.cuda.cuModuleGetFunction(ctypes.byref(function), self.module, name.encode()))
        sizes = (blocks, 1, 1, threads, 1, 1, 0)
        self._check(self.cuda.cuLaunchKernel(function, *sizes, None, launch.arguments, None))
        self._check(self.cuda.cuCtxSynchronize())

    def _allocated(self, size):
        pointer = ctypes.c_uint64()
        self._check(self.cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(max(1, size))))
        return pointer
