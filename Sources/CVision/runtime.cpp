#include "guard.hpp"

#include <cstdlib>
#include <mutex>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/core/utility.hpp>

namespace vision {

void silenceOpenCV() {
    static std::once_flag once;
    std::call_once(once, [] {
        cv::redirectError([](int, const char *, const char *, const char *, int, void *) { return 0; });
        cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    });
}

} // namespace vision

cvision_code cvision_set_threads(int count, cvision_error *error) {
    return vision::guarded(error, [&] {
        vision::require(count >= 1, "the number of threads must be 1 or more");
        cv::setNumThreads(count);
    });
}

void cvision_faces_free(cvision_faces *faces) {
    if (!faces) return;
    std::free(faces->faces);
    faces->faces = nullptr;
    faces->count = 0;
}

extern "C" const char *cvision_opencv_version(void) { return CV_VERSION; }
