// PNG pictures in memory (libpng), without any metadata. libpng leaves its functions by longjmp when it fails: that happens
// inside this library only.
#ifndef CPNG_H
#define CPNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct cpng_error {
    /// Whether the claims of the file are the trouble, not damage.
    int is_unsupported;
    /// One line, cut to fit.
    char message[256];
} cpng_error;

typedef struct cpng_info {
    int width, height;
    /// 1, 2, 4, 8 or 16, as stored.
    int bit_depth;
    /// As stored: 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGB and alpha.
    int color_type;
    /// Samples to a pixel, and bytes to a sample in memory.
    int channels, bytes_per_sample;
    /// Whether the picture is stored in passes (Adam7).
    int is_interlaced;
    int palette_count, transparent_count;
    uint8_t palette[256][3];
    /// Alpha of the first palette entries.
    uint8_t transparent[256];
    /// The colour that is transparent (gray: the first), if `has_key` is set.
    int has_key;
    uint16_t key[3];
    /// Whether libpng found more data than the picture needs.
    int has_stray_bytes;
} cpng_info;

/// Reads a picture: rows without gaps, samples in the machine's byte order; samples of less than 8 bits in a byte each, not
/// scaled. `*rows` is to be freed with free(). Returns 0, or -1 with `error` filled in.
///
/// Refused before memory is taken for it: more than `most_pixels`, or more than deflate can have packed into the file.
int cpng_read(
    const uint8_t *data, size_t size, int64_t most_pixels, cpng_info *info, uint8_t **rows, cpng_error *error);

/// Writes a picture: the parts IHDR, PLTE, tRNS, IDAT and IEND. `*data` is to be freed with free().
int cpng_write(const cpng_info *info, const uint8_t *rows, uint8_t **data, size_t *size, cpng_error *error);

#endif
