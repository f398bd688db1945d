// TIFF files in memory (libtiff): the pages' samples, and the few tags that may stay.
#ifndef CTIFF_H
#define CTIFF_H

#include <stddef.h>
#include <stdint.h>

typedef struct ctiff_error {
    int is_unsupported;
    /// One line, cut to fit.
    char message[256];
} ctiff_error;

typedef struct ctiff_page {
    int width, height;
    /// As stored: 1, 2, 4, 8 or 16 bits to a sample; 0 for what isn't read.
    int bits;
    /// Samples to a pixel, with those of `extra`.
    int samples;
    /// 0 white is zero, 1 black is zero, 2 RGB, 3 palette; what libtiff makes RGB of (YCbCr in JPEG) is given as 2.
    int photometric;
    /// Whether it is stored as YCbCr in JPEG.
    int is_jpeg;
    /// What the last sample is: 0 none beside the colours, 1 alpha multiplied in, 2 alpha apart, 3 of unknown use.
    int extra;
    int compression, predictor, planar;
    /// 1...8, as Exif has it.
    int orientation;
    /// Whether it is a smaller copy of another page (a thumbnail).
    int is_reduced;
    /// Whether a camera's raw data or further pictures hang on it.
    int is_raw, has_children;
    float x_resolution, y_resolution;
    int resolution_unit;
    int page_number, page_count;
    uint16_t palette[3][256];
} ctiff_page;

typedef struct ctiff_reader ctiff_reader;
typedef struct ctiff_writer ctiff_writer;

/// Opens a file in memory, which must stay there. NULL with `error` filled in where it is none.
ctiff_reader *ctiff_open(const uint8_t *data, size_t size, ctiff_error *error);
void ctiff_close(ctiff_reader *reader);
/// 1 and the page; 0 behind the last; -1 for an error.
int ctiff_next(ctiff_reader *reader, int index, ctiff_page *page, ctiff_error *error);
/// Reads the page at hand: rows without gaps, samples of a pixel together, in the machine's byte order; samples of less
/// than 8 bits in a byte each, not scaled. `rows` has room for width * height * samples * (bits == 16 ? 2 : 1) bytes.
int ctiff_read(ctiff_reader *reader, const ctiff_page *page, uint8_t *rows, ctiff_error *error);
/// Strips or tiles of the page at hand, and where in the file one begins.
uint32_t ctiff_part_count(ctiff_reader *reader);
uint64_t ctiff_part_start(ctiff_reader *reader, uint32_t index);
/// A tag of the page at hand as bytes, valid until the next page: 34675 (ICC), 700 (XMP), 33723 (IPTC), or a text.
const uint8_t *ctiff_bytes(ctiff_reader *reader, uint32_t tag, size_t *size);

/// The file is little-endian.
ctiff_writer *ctiff_create(int is_big, ctiff_error *error);
/// Adds a page. `tags` names what ctiff_set gave since the last page.
int ctiff_write(ctiff_writer *writer, const ctiff_page *page, const uint8_t *rows, ctiff_error *error);
/// Sets a tag of the next page, of the kinds that ctiff_bytes gives; of 34665 (Exif) and 34853 (GPS) a pointer to nothing,
/// for the caller to lead to a directory.
int ctiff_set(ctiff_writer *writer, uint32_t tag, const uint8_t *bytes, size_t size);
/// Closes it and gives the file, to be freed with free(); frees the writer. NULL where writing failed.
uint8_t *ctiff_finish(ctiff_writer *writer, size_t *size);

#endif
