#include "runtime/blas.h"

#include <dlfcn.h>

#include <memory>
#include <utility>

namespace pullback {
namespace {

template <typename F>
bool find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

/// The functions of an OpenBLAS with 64-bit sizes, by the names that its builders give them:
/// NumPy's wheels and scipy-openblas64, Fedora, Debian.
bool find_openblas(void* library, Blas& blas) {
    struct Names {
        std::string prefix;
        std::string suffix;
    };
    for (const Names& names : {Names{"scipy_", "64_"}, Names{"", "64_"}, Names{"", ""}}) {
        const auto function = [&](const char* name, auto& found) {
            return find(library, (names.prefix + name + names.suffix).c_str(), found);
        };
        char* (*configuration)() = nullptr;
        if (function("openblas_get_config", configuration) &&
            std::string(configuration()).find("USE64BITINT") != std::string::npos &&
            function("cblas_sgemm", blas.single.gemm) &&
            function("cblas_sgemv", blas.single.gemv) && function("cblas_dgemm", blas.twice.gemm) &&
            function("cblas_dgemv", blas.twice.gemv) && function("cblas_sdot", blas.single.dot) &&
            function("cblas_ddot", blas.twice.dot) &&
            function("openblas_set_num_threads", blas.set_threads) &&
            function("openblas_get_num_threads", blas.get_threads)) {
            return true;
        }
    }
    blas.set_threads = nullptr;
    return false;
}

std::unique_ptr<Blas> load(const std::string& path) {
    void* others = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    auto blas = std::make_unique<Blas>();
    blas->path = path;
    if (find_openblas(library, *blas)) {
        if (others == nullptr) {  // nobody else's: once and for all
            blas->set_threads(1);
            blas->set_threads = nullptr;
        }
        return blas;
    }
    const bool is_mkl = find(library, "cblas_sgemm_64", blas->single.gemm) &&
                        find(library, "cblas_sgemv_64", blas->single.gemv) &&
                        find(library, "cblas_dgemm_64", blas->twice.gemm) &&
                        find(library, "cblas_dgemv_64", blas->twice.gemv) &&
                        find(library, "cblas_sdot_64", blas->single.dot) &&
                        find(library, "cblas_ddot_64", blas->twice.dot) &&
                        find(library, "MKL_Set_Num_Threads_Local", blas->set_local_threads);
    if (is_mkl) return blas;
    dlclose(library);
    return nullptr;
}

std::vector<std::string>& libraries() {
    static auto* paths = new std::vector<std::string>;
    return *paths;
}
}  // namespace

void set_blas_libraries(std::vector<std::string> paths) { libraries() = std::move(paths); }

const Blas* blas() {
    static const Blas* const loaded = []() -> const Blas* {
        for (const std::string& path : libraries()) {
            if (auto found = load(path)) return found.release();
        }
        return nullptr;
    }();
    return loaded;
}
std::string blas_library() { return blas() == nullptr ? std::string() : blas()->path; }

}  // namespace pullback
