// From a coded picture's planes to a small upright picture.
#pragma once

#include "guard.hpp"

#include <opencv2/core.hpp>

namespace vision {

/// Where a canvas lies in the upright picture: maps canvas pixels to 0...1 of the whole upright picture.
class Placement {
public:
    Placement(const cvision_image &image, const cvision_look &look, const cv::Rect &roi);

    /// The canvas that the detector sees (larger than asked for when tilted).
    cv::Size size() const { return tilted; }
    /// The 2x3 matrix from the upright canvas to the tilted one.
    const cv::Matx23d &tiltMatrix() const { return forward; }

    /// Fills in bounds from a box in the tilted canvas, and landmarks in place.
    void place(double x, double y, double width, double height, cvision_face &face) const;

private:
    cv::Point2d upright(cv::Point2d canvasPoint) const;

    double tilt;
    cv::Size canvas, tilted;
    cv::Matx23d forward, backward;
    /// The ROI in the upright picture, 0...1.
    cv::Rect2d area;
};

/// The look's ROI cut at the picture's edge and grown to whole chroma samples. Throws if the arguments make no sense.
cv::Rect checkedRegion(const cvision_image &image, const cvision_look &look);

/// Three 8-bit planes, red, green, blue, of the canvas, turned upright and tilted.
void rgbCanvas(const cvision_image &image, const cvision_look &look, const cv::Rect &roi, const Placement &place,
               cv::Mat (&rgb)[3]);

/// One 8-bit plane of luma, full range, turned upright and tilted.
cv::Mat lumaCanvas(const cvision_image &image, const cvision_look &look, const cv::Rect &roi, const Placement &place);

} // namespace vision
