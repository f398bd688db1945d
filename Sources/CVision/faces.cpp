#include "faces.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace vision {

std::vector<Candidate> suppress(std::vector<Candidate> candidates, double limit) {
    // Ties go by place, so that the result doesn't depend on the order of arrival.
    std::sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
        return std::tie(b.score, a.y, a.x) < std::tie(a.score, b.y, b.x);
    });
    std::vector<Candidate> kept;
    for (const Candidate &c : candidates) {
        const bool hidden = std::any_of(kept.begin(), kept.end(), [&](const Candidate &k) {
            const double w = std::min(c.x + c.width, k.x + k.width) - std::max(c.x, k.x);
            const double h = std::min(c.y + c.height, k.y + k.height) - std::max(c.y, k.y);
            if (w <= 0 || h <= 0) return false;
            const double common = w * h;
            return common / (c.width * c.height + k.width * k.height - common) >= limit;
        });
        if (!hidden) kept.push_back(c);
    }
    return kept;
}

void handOver(const std::vector<Candidate> &candidates, const Placement &place, cvision_faces *out) {
    if (candidates.empty()) return;
    auto *faces = static_cast<cvision_face *>(std::calloc(candidates.size(), sizeof(cvision_face)));
    if (!faces) throw std::bad_alloc();
    for (size_t i = 0; i < candidates.size(); ++i) {
        const Candidate &c = candidates[i];
        faces[i].score = c.score;
        faces[i].has_landmarks = c.hasLandmarks;
        std::copy(std::begin(c.landmarks), std::end(c.landmarks), faces[i].landmarks);
        place.place(c.x, c.y, c.width, c.height, faces[i]);
    }
    out->faces = faces;
    out->count = candidates.size();
}

} // namespace vision
