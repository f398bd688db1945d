// A fuzz target for Veil's own C and C++: what reads and writes stills and their metadata, and what hands pictures to
// OpenCV. Compiled by scripts/fuzz.sh with the sources it tests, under the address and undefined-behaviour sanitizers.
//
// The first byte chooses what is called, the next fourteen are numbers for it, the rest is its data. Every buffer has
// exactly the size that the headers ask for, so that one byte too far is seen.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

extern "C" {
#include "CJPEG.h"
#include "CPNG.h"
#include "CTIFF.h"
}
#include "CExif.h"
#include "CVision.h"

namespace {

constexpr int64_t most_pixels = 1 << 20;
constexpr size_t head = 15;

void require(bool holds, const char *what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

// Frees what C gave.
struct Freed {
    uint8_t *bytes = nullptr;
    size_t size = 0;
    ~Freed() { std::free(bytes); }
};

void jpeg(const uint8_t *data, size_t size, const uint8_t *numbers) {
    cjpeg_error error{};
    cjpeg_picture *opened = nullptr;
    if (cjpeg_open(data, size, most_pixels, numbers[0] & 1, &opened, &error) != CJPEG_OK) return;
    std::unique_ptr<cjpeg_picture, void (*)(cjpeg_picture *)> picture(opened, cjpeg_free);
    const cjpeg_info info = cjpeg_describe(picture.get());
    for (int i = 0; i < info.component_count; i++) {
        const size_t across = info.component[i].blocks_across, down = info.component[i].blocks_down;
        std::vector<uint8_t> samples(across * down * 64), marked(across * down);
        if (cjpeg_draw(picture.get(), i, samples.data(), across * 8, &error) != CJPEG_OK) continue;
        for (size_t b = 0; b < marked.size(); b++) marked[b] = (b + numbers[1]) % 3 == 0;
        for (size_t s = 0; s < samples.size(); s += 5) samples[s] ^= numbers[2];
        cjpeg_code_blocks(picture.get(), i, samples.data(), across * 8, marked.data(), &error);
        std::vector<int16_t> coefficients(samples.size());
        cjpeg_copy_coefficients(picture.get(), i, coefficients.data(), &error);
    }
    Freed written;
    cjpeg_write(picture.get(), &written.bytes, &written.size, &error);
}

void png(const uint8_t *data, size_t size) {
    cpng_error error{};
    cpng_info info{};
    Freed rows, written;
    if (cpng_read(data, size, most_pixels, &info, &rows.bytes, &error) != 0) return;
    require(cpng_write(&info, rows.bytes, &written.bytes, &written.size, &error) == 0, "a PNG that was read is written");
}

void tiff(const uint8_t *data, size_t size, const uint8_t *numbers) {
    ctiff_error error{};
    std::unique_ptr<ctiff_reader, void (*)(ctiff_reader *)> reader(ctiff_open(data, size, &error), ctiff_close);
    if (!reader) return;
    ctiff_writer *writer = ctiff_create(numbers[0] & 1, &error);
    ctiff_page page{};
    for (int index = 0; index < 4 && ctiff_next(reader.get(), index, &page, &error) == 1; index++) {
        if (page.bits == 0 || int64_t(page.width) * page.height > most_pixels) continue;
        std::vector<uint8_t> rows(size_t(page.width) * page.height * page.samples * (page.bits == 16 ? 2 : 1));
        if (ctiff_read(reader.get(), &page, rows.data(), &error) != 0) continue;
        for (uint32_t tag : {34675u, 700u, 33723u, 270u, 305u}) {
            size_t length = 0;
            const uint8_t *bytes = ctiff_bytes(reader.get(), tag, &length);
            if (bytes && writer) ctiff_set(writer, tag, bytes, length);
        }
        if (writer) ctiff_write(writer, &page, rows.data(), &error);
    }
    if (writer) {
        Freed written;
        written.bytes = ctiff_finish(writer, &written.size);
    }
}

void metadata(const uint8_t *data, size_t size, const uint8_t *numbers) {
    const int orientation = cexif_orientation(data, size);
    require(orientation >= 1 && orientation <= 8, "an orientation is 1 to 8");
    cexif_can_read(data, size);
    Freed exif, xmp, iptc;
    cexif_clean_exif(data, size, cexif_policy(numbers[0] % 3), numbers[1] % 9, &exif.bytes, &exif.size);
    cexif_clean_xmp(data, size, &xmp.bytes, &xmp.size);
    cexif_clean_iptc(data, size, &iptc.bytes, &iptc.size);
    for (int index = 0; index < 3; index++) {
        Freed preview;
        const int code = cexif_preview(data, size, index, &preview.bytes, &preview.size);
        require((code == 1) == (preview.size > 0), "a preview that is there has bytes, and no other has");
    }
}

// A small picture of any form, with planes of exactly their size, and a look at some part of it.
void canvas(const uint8_t *data, size_t size, const uint8_t *numbers) {
    cvision_image image{};
    image.width = 1 + numbers[0] % 64;
    image.height = 1 + numbers[1] % 64;
    image.model = cvision_model(numbers[2] % 3);
    image.depth = 8 + numbers[3] % 9;
    image.bytes_per_sample = image.depth > 8 ? 2 : 1;
    if (image.model == CVISION_YUV) {
        image.chroma_shift_x = numbers[4] % 3;
        image.chroma_shift_y = numbers[4] / 4 % 3;
    }
    image.full_range = numbers[5] & 1;
    image.matrix = numbers[5] & 2 ? 601 : 709;
    std::vector<std::vector<uint8_t>> planes;
    for (int p = 0; p < (image.model == CVISION_GRAY ? 1 : 3); p++) {
        const int x = p ? image.chroma_shift_x : 0, y = p ? image.chroma_shift_y : 0;
        const size_t width = (image.width + (1 << x) - 1) >> x, height = (image.height + (1 << y) - 1) >> y;
        const size_t row = width * image.bytes_per_sample;
        planes.emplace_back(row * height);
        for (size_t i = 0; i < planes.back().size() && size > 0; i++) planes.back()[i] = data[i % size];
        // Samples of 9 to 16 bits hold no more than their depth.
        if (image.bytes_per_sample == 2)
            for (size_t i = 1; i < planes.back().size(); i += 2) planes.back()[i] &= (1 << (image.depth - 8)) - 1;
        const bool is_bottom_up = numbers[5] & 4;
        image.plane[p] = planes.back().data() + (is_bottom_up ? row * (height - 1) : 0);
        image.stride[p] = is_bottom_up ? -ptrdiff_t(row) : ptrdiff_t(row);
    }
    cvision_look look{};
    look.roi = {int8_t(numbers[6]), int8_t(numbers[7]), numbers[8] % 80, numbers[9] % 80};
    look.orientation = numbers[10] % 10;
    look.canvas_width = numbers[11] % 70;
    look.canvas_height = numbers[12] % 70;
    cvision_error error{};
    std::vector<uint8_t> luma(size_t(look.canvas_width) * look.canvas_height);
    std::vector<uint8_t> colours(luma.size() * 3);
    cvision_luma_canvas(&image, &look, luma.data(), look.canvas_width, &error);
    cvision_rgb_canvas(&image, &look, colours.data(), size_t(look.canvas_width) * 3, &error);
}

void match(const uint8_t *data, size_t size, const uint8_t *numbers) {
    static cvision_matcher *const matcher = [] {
        cvision_matcher *made = nullptr;
        cvision_matcher_create(&made, nullptr);
        return made;
    }();
    const int width = 1 + numbers[0] % 60, height = 1 + numbers[1] % 60;
    std::vector<uint8_t> first(size_t(width) * height), second(first.size());
    for (size_t i = 0; i < first.size() && size > 0; i++) {
        first[i] = data[i % size];
        second[i] = data[(i * 3 + numbers[2]) % size];
    }
    const cvision_luma a = {first.data(), width, height, size_t(width)}, b = {second.data(), width, height, size_t(width)};
    const cvision_rect patch = {int8_t(numbers[3]), int8_t(numbers[4]), numbers[5] % 70, numbers[6] % 70};
    const cvision_rect search = {int8_t(numbers[7]), int8_t(numbers[8]), numbers[9] % 70, numbers[10] % 70};
    cvision_shift shift{};
    cvision_error error{};
    cvision_match(matcher, &a, patch, &b, search, &shift, &error);
    cvision_global_shift(matcher, &a, &b, &shift, &error);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size <= head) return 0;
    // A block of its own of exactly the size: one byte too far is seen.
    const std::vector<uint8_t> rest(data + head, data + size);
    const uint8_t *numbers = data + 1;
    switch (data[0]) {
    case 'j': jpeg(rest.data(), rest.size(), numbers); break;
    case 'p': png(rest.data(), rest.size()); break;
    case 't': tiff(rest.data(), rest.size(), numbers); break;
    case 'x': metadata(rest.data(), rest.size(), numbers); break;
    case 'c': canvas(rest.data(), rest.size(), numbers); break;
    case 'm': match(rest.data(), rest.size(), numbers); break;
    }
    return 0;
}
