#include "faces.hpp"

#include <cmath>
#include <memory>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <string>
#include <vector>

namespace {

using vision::Candidate;

/// From a cascade's square to a face's box (forehead to chin, ear to ear): factors of its sides, and a shift to the
/// right in widths. Medians over 282 frontal faces and 131 profiles, against boxes drawn in WIDER FACE's manner.
struct Fit {
    double width, height, shift;
};
constexpr Fit frontalFit = {0.79, 1.03, 0};
constexpr Fit profileFit = {0.67, 0.88, -0.10};

/// A cascade read from memory, so that the bytes that were checked are the ones used.
struct Cascade {
    cv::CascadeClassifier classifier;
    /// What a window's weight must exceed to pass the last stage.
    double lastThreshold = 0;

    void load(const void *bytes, size_t size) {
        vision::require(bytes && size > 0, "the cascade is empty");
        try {
            const std::string text(static_cast<const char *>(bytes), size);
            const cv::FileStorage storage(text, cv::FileStorage::READ | cv::FileStorage::MEMORY);
            const cv::FileNode root = storage.isOpened() ? storage.getFirstTopLevelNode() : cv::FileNode();
            if (!root.empty() && classifier.read(root)) {
                const cv::FileNode stages = root["stages"];
                lastThreshold = stages[int(stages.size()) - 1]["stageThreshold"].real();
                return;
            }
        } catch (const cv::Exception &e) {
            throw vision::Failure(CVISION_BAD_MODEL, e.err.empty() ? e.what() : e.err);
        }
        throw vision::Failure(CVISION_BAD_MODEL, "the file holds no cascade");
    }

    /// Adds what it finds. The score is 1 - exp(-e), where e is by how much the last stage's weight exceeds its
    /// threshold: 0 at the threshold, rising towards 1. On labelled pictures, frontal boxes around 0.5 were faces half
    /// of the time, around 0.8 nine times in ten.
    void look(const cv::Mat &gray, int minimum, bool mirrored, Fit fit, std::vector<Candidate> &found) {
        std::vector<cv::Rect> boxes;
        std::vector<int> levels;
        std::vector<double> weights;
        classifier.detectMultiScale(gray, boxes, levels, weights, 1.1, 3, 0, cv::Size(minimum, minimum), cv::Size(),
                                    true);
        for (size_t i = 0; i < boxes.size() && i < weights.size(); ++i) {
            const cv::Rect2d box = boxes[i];
            Candidate c{};
            c.width = box.width * fit.width;
            c.height = box.height * fit.height;
            const double middle = box.x + box.width * (0.5 + fit.shift);
            c.x = (mirrored ? gray.cols - middle : middle) - c.width / 2;
            c.y = box.y + (box.height - c.height) / 2;
            c.score = 1 - std::exp(-std::max(0.0, weights[i] - lastThreshold));
            found.push_back(c);
        }
    }
};

} // namespace

struct cvision_haar {
    Cascade frontal, profile;
    std::mutex lock;
};

cvision_code cvision_haar_create(
    const void *frontal, size_t frontal_size, const void *profile, size_t profile_size, cvision_haar **out,
    cvision_error *error) {
    return vision::create(out, error, [&] {
        auto detector = std::make_unique<cvision_haar>();
        detector->frontal.load(frontal, frontal_size);
        detector->profile.load(profile, profile_size);
        return detector.release();
    });
}

void cvision_haar_free(cvision_haar *detector) { delete detector; }

cvision_code cvision_haar_detect(
    cvision_haar *detector, const cvision_image *image, const cvision_look *look, int minimum_size, double threshold,
    double nms_iou, cvision_faces *out, cvision_error *error) {
    return vision::guarded(error, [&] {
        vision::require(detector && image && look && out, "an argument is missing");
        *out = {nullptr, 0};
        vision::require(minimum_size >= 1, "the smallest size must be 1 or more");
        vision::require(threshold > 0 && threshold <= 1, "the threshold must lie above 0 and be at most 1");
        vision::require(nms_iou > 0 && nms_iou <= 1, "the overlap limit must lie above 0 and be at most 1");
        const cv::Rect roi = vision::checkedRegion(*image, *look);
        const vision::Placement place(*image, *look, roi);
        const cv::Mat gray = vision::lumaCanvas(*image, *look, roi, place);
        cv::Mat mirrored;
        cv::flip(gray, mirrored, 1);
        std::vector<Candidate> all, found;
        {
            std::lock_guard<std::mutex> guard(detector->lock);
            detector->frontal.look(gray, minimum_size, false, frontalFit, all);
            detector->profile.look(gray, minimum_size, false, profileFit, all);
            detector->profile.look(mirrored, minimum_size, true, profileFit, all);
        }
        for (const Candidate &c : all)
            if (c.score >= threshold) found.push_back(c);
        vision::handOver(vision::suppress(std::move(found), nms_iou), place, out);
    });
}
