#!/bin/sh
# Builds the native engine with sanitizers, beside the normal build, and runs its tests on that copy.
#   PYTHON=.venv/bin/python sh engine/native/sanitize.sh [address,undefined | thread]
set -eu
cd "$(dirname "$0")/../.."
sanitizers=${1:-address,undefined}
python=$(cd "$(dirname "${PYTHON:-.venv/bin/python}")" && pwd)/$(basename "${PYTHON:-.venv/bin/python}")
build=$PWD/build/sanitize-$(echo "$sanitizers" | tr , -)
PATH=$(dirname "$python"):$PATH

cmake -S . -B "$build" -DPython_EXECUTABLE="$python" -DPULLBACK_SANITIZE="$sanitizers" \
    -DPULLBACK_WERROR=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
cmake --build "$build" --target _native -j "$(nproc)" >/dev/null

# A copy of the package, so that an installed native module is not the one that is tested.
package=$build/package/pullback
rm -rf "$build/package"
mkdir -p "$package"
cp -RL src/pullback/. "$package"
find "$package" -name '_native*.so' -delete
cp "$build"/_native*.so "$package/engine/native/"

case $sanitizers in
    thread) runtime=libtsan.so ;;
    *) runtime=libasan.so ;;
esac
# A sanitizer keeps freed memory for a while: the size of a process says nothing here.
# Python keeps memory until its end, which is no leak of ours: tests/conformance counts what is freed.
# An editable install answers `import pullback` first: without its finder this copy does, in the processes that tests
# start too.
cat >"$build/package/sitecustomize.py" <<'END'
import sys

sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "ScikitBuildRedirectingFinder"]
END
run() {
    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
        TSAN_OPTIONS="halt_on_error=1:suppressions=$PWD/engine/native/tsan.supp" \
        LD_PRELOAD="$(${CXX:-c++} -print-file-name=$runtime) $(${CXX:-c++} -print-file-name=libstdc++.so)" \
        PYTHONPATH="$build/package" PYTHONMALLOC=malloc PULLBACK_ENGINE=native "$python" "$@"
}
run -c "import pullback.engine.native._native as native; assert native.__file__.startswith('$build'), native.__file__"
# Kernels that programs are compiled to, by a compiler that instruments them.
cat >"$build/compiler" <<END
#!/bin/sh
unset LD_PRELOAD
exec ${CXX:-c++} -fsanitize=$sanitizers -fno-sanitize-recover=all "\$@"
END
chmod +x "$build/compiler"
(
    export CXX="$build/compiler" PULLBACK_CACHE="$build/kernels"
    run -m pytest -p no:typeguard -p no:cacheprovider -p no:asyncio -o addopts=--import-mode=importlib -q \
        -m "not slow" tests/random_programs tests/transpile/loops/lower
)
# Libraries of operators are compiled for the tests, without sanitizers: they would not link with these.
run -m pytest -p no:typeguard -p no:cacheprovider -p no:asyncio -o addopts=--import-mode=importlib -q \
    tests/engine/native tests/conformance -k "native and not million and not keeps_its_size and not define_operator"
