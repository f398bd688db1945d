// Boxes in canvas pixels, non-maximum suppression, and the way out to C.
#pragma once

#include "canvas.hpp"

#include <vector>

namespace vision {

/// A box in pixels of the canvas, not cut at its edge.
struct Candidate {
    double x, y, width, height, score;
    double landmarks[10];
    bool hasLandmarks;
};

/// Greedy non-maximum suppression: best score first, drops boxes whose IoU with a kept one reaches `limit`.
std::vector<Candidate> suppress(std::vector<Candidate> candidates, double limit);

/// Places candidates in the upright picture and hands them to the caller, who frees them.
void handOver(const std::vector<Candidate> &candidates, const Placement &place, cvision_faces *out);

} // namespace vision
