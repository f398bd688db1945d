#include "canvas.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace vision {

namespace {

bool swapsAxes(int orientation) { return orientation >= 5; }

/// Turns a coded picture upright (EXIF orientation numbers; TIFF 6.0, tag 0x0112).
void turnUpright(cv::Mat &plane, int orientation) {
    cv::Mat out;
    switch (orientation) {
    case 1: return;
    case 2: cv::flip(plane, out, 1); break;
    case 3: cv::flip(plane, out, -1); break;
    case 4: cv::flip(plane, out, 0); break;
    case 5: cv::transpose(plane, out); break;
    case 6: cv::rotate(plane, out, cv::ROTATE_90_CLOCKWISE); break;
    case 7:
        cv::transpose(plane, out);
        cv::flip(out, out, -1);
        break;
    case 8: cv::rotate(plane, out, cv::ROTATE_90_COUNTERCLOCKWISE); break;
    }
    plane = out;
}

/// A point of the coded picture in the upright one, both 0...1.
cv::Point2d uprightPoint(cv::Point2d p, int orientation) {
    switch (orientation) {
    case 2: return {1 - p.x, p.y};
    case 3: return {1 - p.x, 1 - p.y};
    case 4: return {p.x, 1 - p.y};
    case 5: return {p.y, p.x};
    case 6: return {1 - p.y, p.x};
    case 7: return {1 - p.y, 1 - p.x};
    case 8: return {p.y, 1 - p.x};
    default: return p;
    }
}

/// Wraps part of one plane without copying it. A Mat's step can't be negative, so a bottom-up plane is wrapped from its
/// last row in memory; `flipped` then says that the part is upside down.
cv::Mat wrap(const cvision_image &image, int index, const cv::Rect &roi, bool &flipped) {
    const bool chroma = image.model == CVISION_YUV && index > 0;
    const int sx = chroma ? image.chroma_shift_x : 0;
    const int sy = chroma ? image.chroma_shift_y : 0;
    const int left = roi.x >> sx, top = roi.y >> sy;
    const int right = (roi.x + roi.width + (1 << sx) - 1) >> sx;
    const int bottom = (roi.y + roi.height + (1 << sy) - 1) >> sy;
    const int type = image.bytes_per_sample == 2 ? CV_16UC1 : CV_8UC1;
    const ptrdiff_t stride = image.stride[index];
    flipped = stride < 0;
    const int firstRow = flipped ? bottom - 1 : top;
    const auto *start = static_cast<const uint8_t *>(image.plane[index]) + firstRow * stride
                        + static_cast<ptrdiff_t>(left) * image.bytes_per_sample;
    // The Mat is read only; its constructor takes no pointer to const.
    return cv::Mat(bottom - top, right - left, type, const_cast<uint8_t *>(start),
                   static_cast<size_t>(std::abs(stride)));
}

/// One plane of the ROI, resized to the canvas before it is turned: the large picture is read once, row by row.
cv::Mat smallPlane(const cvision_image &image, int index, const cv::Rect &roi, const cvision_look &look) {
    bool flipped = false;
    const cv::Mat whole = wrap(image, index, roi, flipped);
    cv::Size size(look.canvas_width, look.canvas_height);
    if (swapsAxes(look.orientation)) std::swap(size.width, size.height);
    const bool shrinks = size.width <= whole.cols && size.height <= whole.rows;
    cv::Mat small;
    cv::resize(whole, small, size, 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
    if (flipped) cv::flip(small, small, 0);
    turnUpright(small, look.orientation);
    return small;
}

/// Tilts a plane; what lies outside is black.
void tiltPlane(cv::Mat &plane, const cvision_look &look, const Placement &place) {
    if (look.tilt == 0) return;
    cv::Mat out;
    cv::warpAffine(plane, out, place.tiltMatrix(), place.size(), cv::INTER_LINEAR, cv::BORDER_CONSTANT);
    plane = out;
}

/// How code values become 0...255.
struct Levels {
    float lumaOffset, lumaScale, chromaMiddle, chromaScale;

    explicit Levels(const cvision_image &image) {
        const float unit = static_cast<float>(1 << (image.depth - 8));
        const float top = static_cast<float>((1 << image.depth) - 1);
        chromaMiddle = 128 * unit;
        if (image.full_range || image.model == CVISION_GBR) {
            lumaOffset = 0;
            lumaScale = 255 / top;
            chromaScale = 255 / top;
        } else {
            lumaOffset = 16 * unit;
            lumaScale = 255 / (219 * unit);
            chromaScale = 255 / (224 * unit);
        }
    }
};

uint8_t level(float v) { return static_cast<uint8_t>(std::min(255.0f, std::max(0.0f, v + 0.5f))); }

/// Y'CbCr to R'G'B' (ITU-R BT.601 and BT.709: Kr, Kb), at canvas size.
template <typename Sample>
void yuvToRGB(const cv::Mat (&yuv)[3], const cvision_image &image, cv::Mat (&rgb)[3]) {
    const Levels levels(image);
    const float kr = image.matrix == 709 ? 0.2126f : 0.299f;
    const float kb = image.matrix == 709 ? 0.0722f : 0.114f;
    const float kg = 1 - kr - kb;
    const float redCr = 2 * (1 - kr) * levels.chromaScale, blueCb = 2 * (1 - kb) * levels.chromaScale;
    const float greenCb = blueCb * kb / kg, greenCr = redCr * kr / kg;
    for (auto &plane : rgb) plane.create(yuv[0].size(), CV_8UC1);
    for (int y = 0; y < yuv[0].rows; ++y) {
        const auto *luma = yuv[0].ptr<Sample>(y), *cb = yuv[1].ptr<Sample>(y), *cr = yuv[2].ptr<Sample>(y);
        uint8_t *r = rgb[0].ptr(y), *g = rgb[1].ptr(y), *b = rgb[2].ptr(y);
        for (int x = 0; x < yuv[0].cols; ++x) {
            const float l = (luma[x] - levels.lumaOffset) * levels.lumaScale;
            const float u = cb[x] - levels.chromaMiddle, v = cr[x] - levels.chromaMiddle;
            r[x] = level(l + redCr * v);
            g[x] = level(l - greenCb * u - greenCr * v);
            b[x] = level(l + blueCb * u);
        }
    }
}

/// Luma code values to 8 bits, full range.
cv::Mat toByteLuma(const cv::Mat &plane, const cvision_image &image) {
    const Levels levels(image);
    if (plane.depth() == CV_8U && levels.lumaOffset == 0 && levels.lumaScale == 1) return plane;
    cv::Mat out;
    plane.convertTo(out, CV_8U, levels.lumaScale, -levels.lumaOffset * levels.lumaScale);
    return out;
}

} // namespace

cv::Rect checkedRegion(const cvision_image &image, const cvision_look &look) {
    constexpr int largest = 1 << 17;
    require(image.width > 0 && image.height > 0 && image.width <= largest && image.height <= largest,
            "the picture's size is out of range");
    require(image.bytes_per_sample == 1 || image.bytes_per_sample == 2, "samples must have 1 or 2 bytes");
    require(image.depth >= 8 && image.depth <= 8 * image.bytes_per_sample, "the depth doesn't fit the sample size");
    require(image.model == CVISION_GRAY || image.model == CVISION_YUV || image.model == CVISION_GBR,
            "unknown colour model");
    require(image.matrix == 601 || image.matrix == 709, "the matrix must be 601 or 709");
    require(image.chroma_shift_x >= 0 && image.chroma_shift_x <= 4 && image.chroma_shift_y >= 0
                && image.chroma_shift_y <= 4,
            "chroma shifts are out of range");
    for (int i = 0; i < (image.model == CVISION_GRAY ? 1 : 3); ++i) {
        const bool chroma = image.model == CVISION_YUV && i > 0;
        const int shift = chroma ? image.chroma_shift_x : 0;
        const ptrdiff_t row = static_cast<ptrdiff_t>((image.width + (1 << shift) - 1) >> shift) * image.bytes_per_sample;
        require(image.plane[i] != nullptr, "a plane is missing");
        require(std::abs(image.stride[i]) >= row, "a stride is shorter than a row");
    }
    require(look.orientation >= 1 && look.orientation <= 8, "the orientation must be 1 to 8");
    require(look.canvas_width > 0 && look.canvas_height > 0 && look.canvas_width <= 16384
                && look.canvas_height <= 16384,
            "the canvas size is out of range");
    require(std::isfinite(look.tilt), "the tilt must be a number");

    const int64_t stepX = int64_t(1) << (image.model == CVISION_YUV ? image.chroma_shift_x : 0);
    const int64_t stepY = int64_t(1) << (image.model == CVISION_YUV ? image.chroma_shift_y : 0);
    const auto clip = [](int64_t v, int64_t limit) { return std::min(std::max<int64_t>(v, 0), limit); };
    const int64_t left = clip(look.roi.x, image.width) / stepX * stepX;
    const int64_t top = clip(look.roi.y, image.height) / stepY * stepY;
    const int64_t right = clip((int64_t(look.roi.x) + look.roi.width + stepX - 1) / stepX * stepX, image.width);
    const int64_t bottom = clip((int64_t(look.roi.y) + look.roi.height + stepY - 1) / stepY * stepY, image.height);
    require(look.roi.width > 0 && look.roi.height > 0 && right > left && bottom > top,
            "the region lies outside the picture");
    return cv::Rect(int(left), int(top), int(right - left), int(bottom - top));
}

Placement::Placement(const cvision_image &image, const cvision_look &look, const cv::Rect &roi)
    : tilt(look.tilt * CV_PI / 180), canvas(look.canvas_width, look.canvas_height), tilted(canvas) {
    const cv::Point2d a = uprightPoint(
        {double(roi.x) / image.width, double(roi.y) / image.height}, look.orientation);
    const cv::Point2d b = uprightPoint(
        {double(roi.x + roi.width) / image.width, double(roi.y + roi.height) / image.height}, look.orientation);
    area = cv::Rect2d(std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x), std::abs(a.y - b.y));

    const double c = std::cos(tilt), s = std::sin(tilt);
    if (look.tilt != 0) {
        tilted.width = int(std::ceil(canvas.width * std::abs(c) + canvas.height * std::abs(s)));
        tilted.height = int(std::ceil(canvas.width * std::abs(s) + canvas.height * std::abs(c)));
    }
    // Clockwise on a picture whose y points down. Pixel centres lie at whole numbers, hence the half pixels.
    const double fromX = (canvas.width - 1) / 2.0, fromY = (canvas.height - 1) / 2.0;
    const double toX = (tilted.width - 1) / 2.0, toY = (tilted.height - 1) / 2.0;
    forward = cv::Matx23d(c, -s, toX - c * fromX + s * fromY, s, c, toY - s * fromX - c * fromY);
    backward = cv::Matx23d(c, s, fromX - c * toX - s * toY, -s, c, fromY + s * toX - c * toY);
}

cv::Point2d Placement::upright(cv::Point2d p) const {
    if (tilt != 0) {
        const double x = p.x - 0.5, y = p.y - 0.5;
        p = {backward(0, 0) * x + backward(0, 1) * y + backward(0, 2) + 0.5,
             backward(1, 0) * x + backward(1, 1) * y + backward(1, 2) + 0.5};
    }
    return {area.x + p.x / canvas.width * area.width, area.y + p.y / canvas.height * area.height};
}

void Placement::place(double x, double y, double width, double height, cvision_face &face) const {
    const cv::Point2d center = upright({x + width / 2, y + height / 2});
    // The upright box around the ellipse inscribed in a turned box.
    const double c = std::cos(tilt), s = std::sin(tilt);
    const double w = std::hypot(width * c, height * s), h = std::hypot(width * s, height * c);
    face.width = w / canvas.width * area.width;
    face.height = h / canvas.height * area.height;
    face.x = center.x - face.width / 2;
    face.y = center.y - face.height / 2;
    if (!face.has_landmarks) return;
    for (int i = 0; i < 10; i += 2) {
        const cv::Point2d p = upright({face.landmarks[i], face.landmarks[i + 1]});
        face.landmarks[i] = p.x;
        face.landmarks[i + 1] = p.y;
    }
}

void rgbCanvas(const cvision_image &image, const cvision_look &look, const cv::Rect &roi, const Placement &place,
               cv::Mat (&rgb)[3]) {
    if (image.model == CVISION_GRAY) {
        rgb[0] = rgb[1] = rgb[2] = lumaCanvas(image, look, roi, place);
        return;
    }
    cv::Mat planes[3];
    for (int i = 0; i < 3; ++i) planes[i] = smallPlane(image, i, roi, look);
    if (image.model == CVISION_GBR) {
        rgb[0] = toByteLuma(planes[2], image);
        rgb[1] = toByteLuma(planes[0], image);
        rgb[2] = toByteLuma(planes[1], image);
    } else if (image.bytes_per_sample == 2) {
        yuvToRGB<uint16_t>(planes, image, rgb);
    } else {
        yuvToRGB<uint8_t>(planes, image, rgb);
    }
    for (auto &plane : rgb) tiltPlane(plane, look, place);
}

cv::Mat lumaCanvas(const cvision_image &image, const cvision_look &look, const cv::Rect &roi, const Placement &place) {
    cv::Mat luma;
    if (image.model == CVISION_GBR) {
        cv::Mat g = smallPlane(image, 0, roi, look), b = smallPlane(image, 1, roi, look),
                r = smallPlane(image, 2, roi, look), gr, gbr;
        // BT.709's luma; it only has to rank brightness.
        cv::addWeighted(g, 0.7152, r, 0.2126, 0, gr);
        cv::addWeighted(gr, 1, b, 0.0722, 0, gbr);
        luma = toByteLuma(gbr, image);
    } else {
        luma = toByteLuma(smallPlane(image, 0, roi, look), image);
    }
    tiltPlane(luma, look, place);
    return luma;
}

} // namespace vision

namespace {

void checkCanvas(const cvision_image *image, const cvision_look *look, const uint8_t *out, size_t row, size_t stride) {
    vision::require(image && look && out, "an argument is missing");
    vision::require(look->tilt == 0, "this canvas can't be tilted");
    vision::require(stride >= row, "the stride is shorter than a row");
}

} // namespace

cvision_code cvision_luma_canvas(
    const cvision_image *image, const cvision_look *look, uint8_t *out, size_t stride, cvision_error *error) {
    return vision::guarded(error, [&] {
        vision::require(image && look, "an argument is missing");
        const cv::Rect roi = vision::checkedRegion(*image, *look);
        checkCanvas(image, look, out, size_t(look->canvas_width), stride);
        const vision::Placement place(*image, *look, roi);
        cv::Mat target(look->canvas_height, look->canvas_width, CV_8UC1, out, stride);
        vision::lumaCanvas(*image, *look, roi, place).copyTo(target);
    });
}

cvision_code cvision_rgb_canvas(
    const cvision_image *image, const cvision_look *look, uint8_t *out, size_t stride, cvision_error *error) {
    return vision::guarded(error, [&] {
        vision::require(image && look, "an argument is missing");
        const cv::Rect roi = vision::checkedRegion(*image, *look);
        checkCanvas(image, look, out, size_t(look->canvas_width) * 3, stride);
        const vision::Placement place(*image, *look, roi);
        cv::Mat rgb[3];
        vision::rgbCanvas(*image, *look, roi, place, rgb);
        cv::Mat target(look->canvas_height, look->canvas_width, CV_8UC3, out, stride);
        cv::merge(rgb, 3, target);
    });
}
