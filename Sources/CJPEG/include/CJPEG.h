// A JPEG's quantised DCT coefficients, read and written without loss (libjpeg-turbo's coefficient interface).
//
// libjpeg leaves its functions by longjmp when it fails: that happens inside this library only. Every function that can
// fail returns a cjpeg_code and fills in `error`. A handle has one owner, which frees it exactly once, and is used from
// one thread at a time.
#ifndef CJPEG_H
#define CJPEG_H

#include <stddef.h>
#include <stdint.h>

typedef enum cjpeg_code {
    CJPEG_OK = 0,
    /// The data breaks off or can't be decoded.
    CJPEG_DAMAGED = 1,
    /// A kind of JPEG that libjpeg-turbo doesn't read, or that claims more than the limits allow.
    CJPEG_UNSUPPORTED = 2,
    CJPEG_NO_MEMORY = 3,
} cjpeg_code;

typedef struct cjpeg_error {
    cjpeg_code code;
    /// One line, cut to fit.
    char message[256];
} cjpeg_error;

/// What the three or four components of a picture are.
typedef enum cjpeg_space { CJPEG_GRAY, CJPEG_YCC, CJPEG_RGB, CJPEG_CMYK, CJPEG_YCCK, CJPEG_OTHER } cjpeg_space;

typedef struct cjpeg_component {
    /// Sampling factors, 1...4.
    int h, v;
    /// Of the whole picture in this component's samples, and in blocks of 8 by 8 (without those that only pad an MCU).
    int width, height, blocks_across, blocks_down;
} cjpeg_component;

typedef struct cjpeg_info {
    int width, height;
    cjpeg_space space;
    int component_count;
    cjpeg_component component[4];
    int is_progressive, is_arithmetic;
    int restart_interval;
    /// Whether bytes between the segments or behind the coded data were skipped.
    int has_stray_bytes;
} cjpeg_info;

typedef struct cjpeg_picture cjpeg_picture;

/// Reads all coefficients of a file in memory, which must stay there until the handle is freed.
///
/// Refused before memory is taken for it: a picture of more than `most_pixels`, or one whose data is too short to hold
/// a bit for each of its blocks. Damage that libjpeg would paper over is an error unless `accepts_damage` is set.
cjpeg_code cjpeg_open(
    const uint8_t *data, size_t size, int64_t most_pixels, int accepts_damage, cjpeg_picture **out, cjpeg_error *error);
void cjpeg_free(cjpeg_picture *picture);

cjpeg_info cjpeg_describe(const cjpeg_picture *picture);

/// Draws a component's samples, 0...255, `8 * blocks_across` by `8 * blocks_down` of them.
cjpeg_code cjpeg_draw(cjpeg_picture *picture, int component, uint8_t *samples, ptrdiff_t stride, cjpeg_error *error);

/// Codes blocks of a component anew, with the component's own quantisation table.
///
/// `samples` are as cjpeg_draw gave them, changed; `marked` holds a byte for each block, row by row: those that aren't 0
/// are coded, the others keep their coefficients.
cjpeg_code cjpeg_code_blocks(
    cjpeg_picture *picture, int component, const uint8_t *samples, ptrdiff_t stride, const uint8_t *marked,
    cjpeg_error *error);

/// Copies a component's coefficients, 64 to a block in natural order, row by row: for comparisons.
cjpeg_code cjpeg_copy_coefficients(cjpeg_picture *picture, int component, int16_t *out, cjpeg_error *error);

/// Writes a file without any APPn or comment: SOI, tables, frame, scans, EOI. To be freed with free().
cjpeg_code cjpeg_write(cjpeg_picture *picture, uint8_t **data, size_t *size, cjpeg_error *error);

#endif
