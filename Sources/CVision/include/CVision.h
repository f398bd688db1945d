// Detectors and matchers of OpenCV behind a plain C interface.
//
// Every function that can fail returns a cvision_code and, if `error` is not NULL, fills it in. No C++ exception leaves
// this library, and OpenCV writes nothing to the terminal. A handle has one owner, which frees it exactly once; calls on
// one handle are serialised by a lock inside it.
#ifndef CVISION_H
#define CVISION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cvision_code {
    CVISION_OK = 0,
    /// An argument is out of range.
    CVISION_BAD_ARGUMENT = 1,
    /// The bytes of a model are not what the detector expects.
    CVISION_BAD_MODEL = 2,
    /// OpenCV raised an error; `library_code` is its cv::Error::Code.
    CVISION_LIBRARY = 3,
    CVISION_NO_MEMORY = 4,
    /// Any other C++ exception.
    CVISION_UNKNOWN = 5,
} cvision_code;

typedef struct cvision_error {
    cvision_code code;
    int library_code;
    /// One line, UTF-8, cut to fit.
    char message[400];
} cvision_error;

typedef enum cvision_model { CVISION_GRAY = 0, CVISION_YUV = 1, CVISION_GBR = 2 } cvision_model;

/// A coded picture in the caller's memory. It is read during the call only.
typedef struct cvision_image {
    /// Row 0 of each plane: luma, Cb, Cr; or green, blue, red. Alpha is never read.
    const void *plane[4];
    /// Bytes from one row to the next; negative for bottom-up pictures.
    ptrdiff_t stride[4];
    /// Of the luma (or any gbr) plane, in samples.
    int width, height;
    /// log2 of luma samples per chroma sample. Chroma sizes are ceilings.
    int chroma_shift_x, chroma_shift_y;
    /// 1, or 2 for 9 to 16 bits in the low bits, native byte order.
    int bytes_per_sample;
    /// Bits per sample, 8...16.
    int depth;
    cvision_model model;
    /// 1: all code values are used. 0: luma 16...235 and chroma 16...240, scaled by the depth.
    int full_range;
    /// 601 or 709.
    int matrix;
} cvision_image;

/// Pixels of a picture.
typedef struct cvision_rect {
    int x, y, width, height;
} cvision_rect;

/// What part of a picture to look at, and how.
typedef struct cvision_look {
    /// In luma samples of the coded picture. It is cut at the picture's edge and grown to whole chroma samples.
    cvision_rect roi;
    /// EXIF's orientation number, 1...8: how the coded picture is turned for display.
    int orientation;
    /// Size of the upright, small picture that is looked at. Its aspect is the displayed aspect of the ROI.
    int canvas_width, canvas_height;
    /// Clockwise turn of the canvas, in degrees, before the detector looks; it keeps its scale and grows to hold the
    /// corners. Bounds come back as the upright box around the turned face's ellipse.
    double tilt;
} cvision_look;

/// A face; coordinates are 0...1 of the whole upright picture (not of the ROI) and may lie outside.
typedef struct cvision_face {
    double x, y, width, height;
    /// 0...1.
    double score;
    /// x, y of the left eye, right eye, nose, left and right mouth corner, as seen in the upright picture.
    double landmarks[10];
    int has_landmarks;
} cvision_face;

/// Faces allocated by a detector, best score first. Free with cvision_faces_free.
typedef struct cvision_faces {
    cvision_face *faces;
    size_t count;
} cvision_faces;

void cvision_faces_free(cvision_faces *faces);

/// Sets how many threads OpenCV uses, for the whole process: 1 or more.
cvision_code cvision_set_threads(int count, cvision_error *error);

// CenterFace

typedef struct cvision_centerface cvision_centerface;

/// Takes the bytes of centerface.onnx (they are copied) and reads them once to see that they are a network.
cvision_code cvision_centerface_create(
    const void *bytes, size_t size, cvision_centerface **out, cvision_error *error);
void cvision_centerface_free(cvision_centerface *detector);

/// Gives back the memory of the networks made so far; the next look makes its own anew (about 40 ms).
void cvision_centerface_rest(cvision_centerface *detector);

/// Looks for faces. `threshold` is above 0 and at most 1; boxes whose IoU with a better one reaches `nms_iou` are
/// dropped.
cvision_code cvision_centerface_detect(
    cvision_centerface *detector, const cvision_image *image, const cvision_look *look, double threshold,
    double nms_iou, cvision_faces *out, cvision_error *error);

// Haar cascades

typedef struct cvision_haar cvision_haar;

/// Takes the bytes of two cascade files (XML): for frontal faces and for profiles.
cvision_code cvision_haar_create(
    const void *frontal, size_t frontal_size, const void *profile, size_t profile_size, cvision_haar **out,
    cvision_error *error);
void cvision_haar_free(cvision_haar *detector);

/// Looks for frontal faces, profiles and mirrored profiles. `minimum_size` is in canvas pixels.
cvision_code cvision_haar_detect(
    cvision_haar *detector, const cvision_image *image, const cvision_look *look, int minimum_size, double threshold,
    double nms_iou, cvision_faces *out, cvision_error *error);

// Small pictures and matching

/// Writes the upright luma of a part of a picture, shrunk to the canvas, 8 bits, full range.
/// `out` holds canvas_height rows of `stride` bytes. `tilt` must be 0.
cvision_code cvision_luma_canvas(
    const cvision_image *image, const cvision_look *look, uint8_t *out, size_t stride, cvision_error *error);

/// The same as 8-bit red, green, blue triples.
cvision_code cvision_rgb_canvas(
    const cvision_image *image, const cvision_look *look, uint8_t *out, size_t stride, cvision_error *error);

/// 8-bit luma in the caller's memory.
typedef struct cvision_luma {
    const uint8_t *data;
    int width, height;
    size_t stride;
} cvision_luma;

/// A shift in pixels, right and down.
typedef struct cvision_shift {
    double dx, dy;
    /// Match: correlation, -1...1. Phase correlation: share of the peak's energy, about 0...1.
    double score;
    /// 0 where no answer exists: the patch is flat, or larger than where it is looked for.
    int found;
} cvision_shift;

typedef struct cvision_matcher cvision_matcher;

cvision_code cvision_matcher_create(cvision_matcher **out, cvision_error *error);
void cvision_matcher_free(cvision_matcher *matcher);

/// Finds the patch of `a` inside `search` of `b` by normalised cross-correlation (cv::TM_CCOEFF_NORMED), to a fraction
/// of a pixel by a parabola through the peak. Both rectangles are cut at their picture's edge.
cvision_code cvision_match(
    cvision_matcher *matcher, const cvision_luma *a, cvision_rect patch, const cvision_luma *b, cvision_rect search,
    cvision_shift *out, cvision_error *error);

/// How far `b`'s content lies from `a`'s, as a whole: phase correlation under a Hanning window. Both have one size.
cvision_code cvision_global_shift(
    cvision_matcher *matcher, const cvision_luma *a, const cvision_luma *b, cvision_shift *out, cvision_error *error);

/// OpenCV's version, "4.6.0"; a constant.
const char *cvision_opencv_version(void);

#ifdef __cplusplus
}
#endif
#endif
