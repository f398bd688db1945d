#include "guard.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <opencv2/imgproc.hpp>

namespace {

cv::Mat wrap(const cvision_luma *luma) {
    vision::require(luma && luma->data && luma->width > 0 && luma->height > 0, "a luma picture is empty");
    vision::require(luma->stride >= size_t(luma->width), "the stride is shorter than a row");
    // The Mat is read only; its constructor takes no pointer to const.
    return cv::Mat(luma->height, luma->width, CV_8UC1, const_cast<uint8_t *>(luma->data), luma->stride);
}

/// A rectangle cut at a picture's edge; empty where they don't meet.
cv::Rect cut(const cvision_rect &rect, const cv::Mat &picture) {
    const auto clip = [](int64_t v, int limit) { return int(std::min<int64_t>(std::max<int64_t>(v, 0), limit)); };
    const int left = clip(rect.x, picture.cols), top = clip(rect.y, picture.rows);
    const int right = clip(int64_t(rect.x) + rect.width, picture.cols);
    const int bottom = clip(int64_t(rect.y) + rect.height, picture.rows);
    return cv::Rect(left, top, std::max(0, right - left), std::max(0, bottom - top));
}

/// The peak of the parabola through three neighbours, as an offset from the middle one: -0.5...0.5.
double parabola(double before, double middle, double after) {
    const double curve = before - 2 * middle + after;
    if (!(curve < 0)) return 0;
    return std::min(0.5, std::max(-0.5, 0.5 * (before - after) / curve));
}

/// Below this standard deviation, in levels, a patch is noise: it would correlate with anything.
constexpr double flatPatch = 1.0;

/// A patch of whose variance more than this is noise is compared through a blur, since even in the right place two such
/// patches correlate too little to be sure. In ordinary footage the share is under 0.12, in darkness with noise over 0.5.
constexpr double noisyPatch = 0.3;

/// In canvas pixels; leaves a twentieth of white noise's variance.
constexpr double noiseBlur = 1.2;

/// Smaller patches are too few spots of that blur: mere noise would correlate with other noise by chance.
constexpr int leastBlurred = 24;

/// The variance of white noise in a picture, by what a mask leaves that is blind to slopes and edges (J. Immerkær, Fast
/// Noise Variance Estimation, 1996). Fine texture counts as noise too.
double noiseVariance(const cv::Mat &picture) {
    if (picture.cols < 3 || picture.rows < 3) return 0;
    static const cv::Mat mask = (cv::Mat_<float>(3, 3) << 1, -2, 1, -2, 4, -2, 1, -2, 1);
    cv::Mat rest;
    cv::filter2D(picture, rest, CV_32F, mask);
    const cv::Mat inner = rest(cv::Rect(1, 1, rest.cols - 2, rest.rows - 2));
    const double deviation = std::sqrt(M_PI / 2) / 6 * cv::norm(inner, cv::NORM_L1) / double(inner.total());
    return deviation * deviation;
}

} // namespace

struct cvision_matcher {
    std::mutex lock;
    cv::Mat window, a, b, scores;
};

cvision_code cvision_matcher_create(cvision_matcher **out, cvision_error *error) {
    return vision::create(out, error, [] { return std::make_unique<cvision_matcher>().release(); });
}

void cvision_matcher_free(cvision_matcher *matcher) { delete matcher; }

cvision_code cvision_match(
    cvision_matcher *matcher, const cvision_luma *a, cvision_rect patch, const cvision_luma *b, cvision_rect search,
    cvision_shift *out, cvision_error *error) {
    return vision::guarded(error, [&] {
        vision::require(matcher && out, "an argument is missing");
        *out = {0, 0, 0, 0};
        const cv::Mat from = wrap(a), to = wrap(b);
        const cv::Rect patchArea = cut(patch, from), searchArea = cut(search, to);
        if (patchArea.width < 2 || patchArea.height < 2 || searchArea.width < patchArea.width
            || searchArea.height < patchArea.height)
            return;
        cv::Mat wanted = from(patchArea), among = to(searchArea);
        cv::Scalar mean, deviation;
        cv::meanStdDev(wanted, mean, deviation);
        if (deviation[0] < flatPatch) return;

        if (std::min(wanted.cols, wanted.rows) >= leastBlurred
            && noiseVariance(wanted) > noisyPatch * deviation[0] * deviation[0]) {
            // Into pictures of their own: these are the caller's.
            cv::Mat wantedSmooth, amongSmooth;
            cv::GaussianBlur(wanted, wantedSmooth, cv::Size(), noiseBlur);
            cv::GaussianBlur(among, amongSmooth, cv::Size(), noiseBlur);
            wanted = wantedSmooth;
            among = amongSmooth;
        }
        std::lock_guard<std::mutex> guard(matcher->lock);
        cv::Mat &scores = matcher->scores;
        cv::matchTemplate(among, wanted, scores, cv::TM_CCOEFF_NORMED);
        double best = 0;
        cv::Point peak;
        cv::minMaxLoc(scores, nullptr, &best, nullptr, &peak);
        if (!std::isfinite(best)) return;
        const auto at = [&](int x, int y) { return double(scores.at<float>(y, x)); };
        double x = peak.x, y = peak.y;
        if (peak.x > 0 && peak.x + 1 < scores.cols)
            x += parabola(at(peak.x - 1, peak.y), best, at(peak.x + 1, peak.y));
        if (peak.y > 0 && peak.y + 1 < scores.rows)
            y += parabola(at(peak.x, peak.y - 1), best, at(peak.x, peak.y + 1));
        *out = {searchArea.x + x - patchArea.x, searchArea.y + y - patchArea.y, std::min(1.0, best), 1};
    });
}

cvision_code cvision_global_shift(
    cvision_matcher *matcher, const cvision_luma *a, const cvision_luma *b, cvision_shift *out, cvision_error *error) {
    return vision::guarded(error, [&] {
        vision::require(matcher && out, "an argument is missing");
        *out = {0, 0, 0, 0};
        const cv::Mat from = wrap(a), to = wrap(b);
        vision::require(from.size() == to.size(), "the two pictures differ in size");
        if (from.cols < 8 || from.rows < 8) return;
        cv::Scalar mean, fromDeviation, toDeviation;
        cv::meanStdDev(from, mean, fromDeviation);
        cv::meanStdDev(to, mean, toDeviation);
        if (fromDeviation[0] < flatPatch || toDeviation[0] < flatPatch) return;

        std::lock_guard<std::mutex> guard(matcher->lock);
        if (matcher->window.size() != from.size()) cv::createHanningWindow(matcher->window, from.size(), CV_32F);
        from.convertTo(matcher->a, CV_32F);
        to.convertTo(matcher->b, CV_32F);
        double response = 0;
        const cv::Point2d shift = cv::phaseCorrelate(matcher->a, matcher->b, matcher->window, &response);
        if (!std::isfinite(shift.x + shift.y + response)) return;
        *out = {shift.x, shift.y, response, 1};
    });
}
