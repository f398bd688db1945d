// Stops C++ exceptions at the C border and turns them into a code and one line of text.
#pragma once

#include "CVision.h"

#include <cstdio>
#include <exception>
#include <new>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <string>

namespace vision {

/// Our own failure, with the code it leaves as.
struct Failure : std::runtime_error {
    cvision_code code;
    Failure(cvision_code code, const std::string &what) : std::runtime_error(what), code(code) {}
};

inline void require(bool holds, const char *what) {
    if (!holds) throw Failure(CVISION_BAD_ARGUMENT, what);
}

/// Keeps OpenCV from writing to the terminal, once per process.
void silenceOpenCV();

inline cvision_code report(cvision_error *error, cvision_code code, int libraryCode, const char *message) noexcept {
    if (error) {
        error->code = code;
        error->library_code = libraryCode;
        std::snprintf(error->message, sizeof error->message, "%s", message);
        for (char *c = error->message; *c; ++c)
            if (static_cast<unsigned char>(*c) < 0x20) *c = ' ';
    }
    return code;
}

/// Runs `body` and reports whatever it throws.
template <typename Body> cvision_code guarded(cvision_error *error, Body body) noexcept {
    try {
        silenceOpenCV();
        body();
        return CVISION_OK;
    } catch (const Failure &e) {
        return report(error, e.code, 0, e.what());
    } catch (const cv::Exception &e) {
        const cvision_code code = e.code == cv::Error::StsNoMem ? CVISION_NO_MEMORY : CVISION_LIBRARY;
        return report(error, code, e.code, e.err.empty() ? e.what() : e.err.c_str());
    } catch (const std::bad_alloc &) {
        return report(error, CVISION_NO_MEMORY, 0, "out of memory");
    } catch (const std::exception &e) {
        return report(error, CVISION_UNKNOWN, 0, e.what());
    } catch (...) {
        return report(error, CVISION_UNKNOWN, 0, "an exception of unknown type");
    }
}

/// Makes a handle; nothing leaks when a constructor throws.
template <typename Handle, typename Make>
cvision_code create(Handle **out, cvision_error *error, Make make) noexcept {
    return guarded(error, [&] {
        require(out != nullptr, "no place for the handle");
        *out = nullptr;
        *out = make();
    });
}

} // namespace vision
