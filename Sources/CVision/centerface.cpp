#include "faces.hpp"

#include <algorithm>
#include <cmath>
#include <list>
#include <malloc.h>
#include <memory>
#include <mutex>
#include <opencv2/dnn.hpp>
#include <vector>

namespace {

using vision::Candidate;

/// A network bound to one input size. In OpenCV 4.6 a network that has run at one size gives wrong results at another.
struct SizedNet {
    cv::Size size;
    cv::dnn::Net net;
    cv::Mat blob;
};

constexpr size_t mostNets = 8;
/// The network halves its input five times, so its sides must be multiples of 32.
constexpr int multiple = 32;
/// Outputs are at a quarter of the input's size.
constexpr int outputStride = 4;

int padded(int v) { return (v + multiple - 1) / multiple * multiple; }

/// Writes three 8-bit planes into a 1x3xHxW blob of floats 0...255, padded with black to the right and below.
void fillBlob(const cv::Mat (&rgb)[3], cv::Mat &blob) {
    const int height = blob.size[2], width = blob.size[3];
    for (int c = 0; c < 3; ++c) {
        cv::Mat plane(height, width, CV_32F, blob.ptr<float>(0, c));
        cv::Mat inside = plane(cv::Rect(0, 0, rgb[c].cols, rgb[c].rows));
        rgb[c].convertTo(inside, CV_32F);
    }
}

/// Reads boxes from the outputs: 537 is the heat map (0...1), 538 the logarithm of height and width in strides, 539 the
/// centre's offset (y, x) in strides, 540 five landmarks (y, x) in parts of the box.
/// Xu et al., CenterFace: Joint Face Detection and Alignment Using Face as Point, 2019.
std::vector<Candidate> decode(const std::vector<cv::Mat> &outputs, double threshold) {
    const cv::Mat &heat = outputs[0];
    const int rows = heat.size[2], cols = heat.size[3];
    const auto plane = [&](int output, int channel) { return outputs[size_t(output)].ptr<float>(0, channel); };
    const float *heatMap = plane(0, 0);
    const float *logHeight = plane(1, 0), *logWidth = plane(1, 1);
    const float *offsetY = plane(2, 0), *offsetX = plane(2, 1);
    std::vector<Candidate> found;
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            const size_t i = size_t(row) * size_t(cols) + size_t(col);
            if (!(heatMap[i] >= threshold)) continue;
            Candidate c{};
            c.score = std::min(1.0, double(heatMap[i]));
            c.height = std::exp(double(logHeight[i])) * outputStride;
            c.width = std::exp(double(logWidth[i])) * outputStride;
            c.x = (col + double(offsetX[i]) + 0.5) * outputStride - c.width / 2;
            c.y = (row + double(offsetY[i]) + 0.5) * outputStride - c.height / 2;
            for (int k = 0; k < 5; ++k) {
                c.landmarks[2 * k] = plane(3, 2 * k + 1)[i] * c.width + c.x;
                c.landmarks[2 * k + 1] = plane(3, 2 * k)[i] * c.height + c.y;
            }
            c.hasLandmarks = true;
            if (!std::isfinite(c.x + c.y + c.width + c.height))
                throw vision::Failure(CVISION_BAD_MODEL, "the network's output is not a number");
            found.push_back(c);
        }
    }
    return found;
}

} // namespace

struct cvision_centerface {
    std::vector<uchar> model;
    /// Newest first.
    std::list<SizedNet> nets;
    std::mutex lock;

    SizedNet &net(cv::Size size) {
        const auto found = std::find_if(nets.begin(), nets.end(), [&](const SizedNet &n) { return n.size == size; });
        if (found != nets.end()) {
            nets.splice(nets.begin(), nets, found);
            return nets.front();
        }
        SizedNet fresh{size, read(), cv::Mat()};
        const int sizes[] = {1, 3, size.height, size.width};
        fresh.blob = cv::Mat(4, sizes, CV_32F, cv::Scalar(0));
        if (nets.size() >= mostNets) nets.pop_back();
        nets.push_front(std::move(fresh));
        return nets.front();
    }

    cv::dnn::Net read() const {
        cv::dnn::Net net;
        try {
            net = cv::dnn::readNetFromONNX(model);
        } catch (const cv::Exception &e) {
            throw vision::Failure(CVISION_BAD_MODEL, e.err.empty() ? e.what() : e.err);
        }
        if (net.empty()) throw vision::Failure(CVISION_BAD_MODEL, "the model holds no network");
        const std::vector<cv::String> names = net.getUnconnectedOutLayersNames();
        for (const char *name : {"537", "538", "539", "540"})
            if (std::find(names.begin(), names.end(), name) == names.end())
                throw vision::Failure(CVISION_BAD_MODEL, std::string("the network has no output ") + name);
        net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
        net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
        return net;
    }

    std::vector<cv::Mat> run(const cv::Mat (&rgb)[3]) {
        const cv::Size size(padded(rgb[0].cols), padded(rgb[0].rows));
        SizedNet &sized = net(size);
        // The padding stays black: canvases of one padded size may differ, so it is cleared for each.
        sized.blob.setTo(0);
        fillBlob(rgb, sized.blob);
        sized.net.setInput(sized.blob);
        std::vector<cv::Mat> outputs;
        sized.net.forward(outputs, std::vector<cv::String>{"537", "538", "539", "540"});
        const int channels[] = {1, 2, 2, 10};
        vision::require(outputs.size() == 4, "the network gave another number of outputs");
        for (size_t i = 0; i < 4; ++i) {
            const cv::Mat &o = outputs[i];
            const bool fits = o.dims == 4 && o.type() == CV_32F && o.size[1] == channels[i]
                              && o.size[2] == size.height / outputStride && o.size[3] == size.width / outputStride;
            if (!fits) throw vision::Failure(CVISION_BAD_MODEL, "the network's output has another shape");
        }
        return outputs;
    }
};

cvision_code cvision_centerface_create(
    const void *bytes, size_t size, cvision_centerface **out, cvision_error *error) {
    return vision::create(out, error, [&] {
        vision::require(bytes && size > 0, "the model is empty");
        auto detector = std::make_unique<cvision_centerface>();
        const auto *first = static_cast<const uchar *>(bytes);
        detector->model.assign(first, first + size);
        detector->read();
        return detector.release();
    });
}

void cvision_centerface_free(cvision_centerface *detector) { delete detector; }

void cvision_centerface_rest(cvision_centerface *detector) {
    vision::guarded(nullptr, [&] {
        vision::require(detector, "an argument is missing");
        std::lock_guard<std::mutex> guard(detector->lock);
        detector->nets.clear();
        // Freed blocks stay with the allocator, which the encoder then asks for others beside them.
        malloc_trim(0);
    });
}

cvision_code cvision_centerface_detect(
    cvision_centerface *detector, const cvision_image *image, const cvision_look *look, double threshold,
    double nms_iou, cvision_faces *out, cvision_error *error) {
    return vision::guarded(error, [&] {
        vision::require(detector && image && look && out, "an argument is missing");
        *out = {nullptr, 0};
        vision::require(threshold > 0 && threshold <= 1, "the threshold must lie above 0 and be at most 1");
        vision::require(nms_iou > 0 && nms_iou <= 1, "the overlap limit must lie above 0 and be at most 1");
        const cv::Rect roi = vision::checkedRegion(*image, *look);
        const vision::Placement place(*image, *look, roi);
        cv::Mat rgb[3];
        vision::rgbCanvas(*image, *look, roi, place, rgb);
        std::vector<Candidate> found;
        {
            std::lock_guard<std::mutex> guard(detector->lock);
            found = decode(detector->run(rgb), threshold);
        }
        vision::handOver(vision::suppress(std::move(found), nms_iou), place, out);
    });
}
