#include "CTIFF.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

typedef struct memory {
    uint8_t *bytes;
    const uint8_t *fixed;
    size_t size, room, at;
} memory;

struct ctiff_reader {
    memory memory;
    TIFF *tiff;
};

struct ctiff_writer {
    memory memory;
    TIFF *tiff;
    int failed;
};

static void say(ctiff_error *error, int is_unsupported, const char *words) {
    error->is_unsupported = is_unsupported;
    snprintf(error->message, sizeof error->message, "%s", words);
}

static tmsize_t take(thandle_t handle, void *out, tmsize_t count) {
    memory *m = handle;
    const uint8_t *bytes = m->fixed ? m->fixed : m->bytes;
    if (m->at >= m->size || count <= 0) return 0;
    const size_t left = m->size - m->at;
    const size_t n = (size_t)count < left ? (size_t)count : left;
    memcpy(out, bytes + m->at, n);
    m->at += n;
    return (tmsize_t)n;
}

static tmsize_t give(thandle_t handle, void *in, tmsize_t count) {
    memory *m = handle;
    if (m->fixed || count < 0) return -1;
    const size_t end = m->at + (size_t)count;
    if (end > m->room) {
        const size_t room = end * 2 + 4096;
        uint8_t *larger = realloc(m->bytes, room);
        if (!larger) return -1;
        memset(larger + m->room, 0, room - m->room);
        m->bytes = larger;
        m->room = room;
    }
    memcpy(m->bytes + m->at, in, (size_t)count);
    m->at = end;
    if (end > m->size) m->size = end;
    return count;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    memory *m = handle;
    const toff_t base = whence == SEEK_CUR ? m->at : whence == SEEK_END ? m->size : 0;
    if (base + offset > ((toff_t)1 << 40)) return (toff_t)-1;
    m->at = (size_t)(base + offset);
    return m->at;
}

static int done(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t length(thandle_t handle) { return ((memory *)handle)->size; }

static void be_quiet(void) {
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
}

ctiff_reader *ctiff_open(const uint8_t *data, size_t size, ctiff_error *error) {
    be_quiet();
    ctiff_reader *r = calloc(1, sizeof *r);
    if (!r) return say(error, 0, "out of memory"), NULL;
    r->memory.fixed = data;
    r->memory.size = size;
    // "m": no mapping; "D" would defer reading offsets, which broken files profit from alone.
    r->tiff = TIFFClientOpen("picture", "rm", &r->memory, take, give, seek, done, length, NULL, NULL);
    if (!r->tiff) {
        free(r);
        return say(error, 0, "its directory can't be read"), NULL;
    }
    return r;
}

void ctiff_close(ctiff_reader *r) {
    if (!r) return;
    TIFFClose(r->tiff);
    free(r);
}

int ctiff_next(ctiff_reader *r, int index, ctiff_page *page, ctiff_error *error) {
    memset(page, 0, sizeof *page);
    TIFF *t = r->tiff;
    if (index > 0) {
        if (TIFFLastDirectory(t)) return 0;
        if (!TIFFReadDirectory(t)) return say(error, 0, "a page's directory can't be read"), -1;
    } else if (!TIFFSetDirectory(t, 0)) {
        return say(error, 0, "its directory can't be read"), -1;
    }
    uint32_t width = 0, height = 0, subfile = 0;
    uint16_t bits = 1, samples = 1, format = SAMPLEFORMAT_UINT, photometric = 0xFFFF, compression = COMPRESSION_NONE;
    uint16_t planar = PLANARCONFIG_CONTIG, orientation = ORIENTATION_TOPLEFT, unit = RESUNIT_INCH, predictor = 1;
    uint16_t extra_count = 0, *extra = NULL, number = 0, count = 0;
    TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(t, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(t, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetField(t, TIFFTAG_PHOTOMETRIC, &photometric);
    TIFFGetFieldDefaulted(t, TIFFTAG_COMPRESSION, &compression);
    TIFFGetFieldDefaulted(t, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(t, TIFFTAG_ORIENTATION, &orientation);
    TIFFGetFieldDefaulted(t, TIFFTAG_RESOLUTIONUNIT, &unit);
    TIFFGetFieldDefaulted(t, TIFFTAG_EXTRASAMPLES, &extra_count, &extra);
    TIFFGetFieldDefaulted(t, TIFFTAG_SUBFILETYPE, &subfile);
    if (compression == COMPRESSION_LZW || compression == COMPRESSION_ADOBE_DEFLATE || compression == COMPRESSION_DEFLATE)
        TIFFGetFieldDefaulted(t, TIFFTAG_PREDICTOR, &predictor);
    TIFFGetField(t, TIFFTAG_XRESOLUTION, &page->x_resolution);
    TIFFGetField(t, TIFFTAG_YRESOLUTION, &page->y_resolution);
    if (TIFFGetField(t, TIFFTAG_PAGENUMBER, &number, &count)) {
        page->page_number = number;
        page->page_count = count;
    }
    uint16_t children = 0, version_count = 0;
    uint64_t *offsets = NULL;
    void *version = NULL;
    page->has_children = TIFFGetField(t, TIFFTAG_SUBIFD, &children, &offsets) && children > 0;
    page->is_raw = TIFFGetField(t, TIFFTAG_DNGVERSION, &version) != 0;
    (void)version_count;
    if (width == 0 || height == 0 || width > INT32_MAX || height > INT32_MAX)
        return say(error, 0, "a page has no size"), -1;
    page->width = (int)width;
    page->height = (int)height;
    page->compression = compression;
    page->predictor = predictor;
    page->planar = planar;
    page->orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
    page->resolution_unit = unit;
    page->is_reduced = (subfile & FILETYPE_REDUCEDIMAGE) != 0;
    page->samples = samples;
    page->extra = extra_count == 0               ? 0
                  : extra[0] == EXTRASAMPLE_ASSOCALPHA ? 1
                  : extra[0] == EXTRASAMPLE_UNASSALPHA ? 2
                                                       : 3;
    if (photometric == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG && bits == 8 && samples == 3
        && planar == PLANARCONFIG_CONTIG) {
        TIFFSetField(t, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        page->is_jpeg = 1;
        photometric = PHOTOMETRIC_RGB;
    }
    page->photometric = photometric;
    const int colors = photometric == PHOTOMETRIC_RGB ? 3 : 1;
    const int is_known = photometric <= PHOTOMETRIC_PALETTE && samples >= colors && samples <= colors + 1
                         && samples - colors == (extra_count > 0 ? 1 : 0) && format == SAMPLEFORMAT_UINT;
    const int is_deep = bits == 8 || bits == 16, is_shallow = (bits == 1 || bits == 2 || bits == 4) && samples == 1;
    if (!is_known || !(is_deep || is_shallow) || (photometric == PHOTOMETRIC_PALETTE && (bits > 8 || samples != 1))) {
        page->bits = 0;
        return 1;
    }
    page->bits = bits;
    if (photometric == PHOTOMETRIC_PALETTE) {
        uint16_t *red, *green, *blue;
        if (!TIFFGetField(t, TIFFTAG_COLORMAP, &red, &green, &blue)) return say(error, 0, "its palette is missing"), -1;
        for (int i = 0; i < 1 << bits; i++) {
            page->palette[0][i] = red[i];
            page->palette[1][i] = green[i];
            page->palette[2][i] = blue[i];
        }
    }
    return 1;
}

uint32_t ctiff_part_count(ctiff_reader *r) {
    return TIFFIsTiled(r->tiff) ? TIFFNumberOfTiles(r->tiff) : TIFFNumberOfStrips(r->tiff);
}

uint64_t ctiff_part_start(ctiff_reader *r, uint32_t index) { return TIFFGetStrileOffset(r->tiff, index); }

/// Takes `count` samples of one row apart, into pixels of `samples` samples from sample `first` on.
static void unpack(const uint8_t *in, int bits, int count, uint8_t *out, int step) {
    if (bits == 8)
        for (int i = 0; i < count; i++) out[(size_t)i * (size_t)step] = in[i];
    else if (bits == 16)
        for (int i = 0; i < count; i++) memcpy(out + (size_t)i * (size_t)step * 2, in + (size_t)i * 2, 2);
    else
        for (int i = 0; i < count; i++) {
            const size_t at = (size_t)i * (size_t)bits;
            out[i] = (uint8_t)(in[at / 8] >> (8 - (unsigned)bits - at % 8)) & ((1u << bits) - 1);
        }
}

static void pack(const uint8_t *in, int bits, int count, uint8_t *out, size_t size) {
    if (bits >= 8) {
        memcpy(out, in, size);
        return;
    }
    memset(out, 0, size);
    for (int i = 0; i < count; i++) {
        const size_t at = (size_t)i * (size_t)bits;
        out[at / 8] |= (uint8_t)(in[i] << (8 - (unsigned)bits - at % 8));
    }
}

int ctiff_read(ctiff_reader *r, const ctiff_page *page, uint8_t *rows, ctiff_error *error) {
    TIFF *t = r->tiff;
    const int bytes = page->bits == 16 ? 2 : 1;
    const int planes = page->planar == PLANARCONFIG_SEPARATE ? page->samples : 1;
    const int together = planes > 1 ? 1 : page->samples;
    const size_t stride = (size_t)page->width * (size_t)(page->samples * bytes);
    const int is_tiled = TIFFIsTiled(t);
    uint32_t tile_width = 0, tile_height = 0;
    if (is_tiled) {
        TIFFGetField(t, TIFFTAG_TILEWIDTH, &tile_width);
        TIFFGetField(t, TIFFTAG_TILELENGTH, &tile_height);
    } else {
        tile_width = (uint32_t)page->width;
        TIFFGetFieldDefaulted(t, TIFFTAG_ROWSPERSTRIP, &tile_height);
        if (tile_height > (uint32_t)page->height) tile_height = (uint32_t)page->height;
    }
    const tmsize_t line = is_tiled ? TIFFTileRowSize(t) : TIFFScanlineSize(t);
    const tmsize_t size = is_tiled ? TIFFTileSize(t) : TIFFStripSize(t);
    const size_t needed = ((size_t)tile_width * (size_t)(together * page->bits) + 7) / 8;
    if (tile_width == 0 || tile_height == 0 || tile_width > 1 << 24 || tile_height > 1 << 24 || line <= 0 || size <= 0
        || size > (tmsize_t)1 << 31 || (size_t)line < needed)
        return say(error, 0, "its tiles are broken"), -1;
    uint8_t *buffer = malloc((size_t)size);
    if (!buffer) return say(error, 0, "out of memory"), -1;
    for (int plane = 0; plane < planes; plane++)
        for (uint32_t top = 0; top < (uint32_t)page->height; top += tile_height)
            for (uint32_t left = 0; left < (uint32_t)page->width; left += tile_width) {
                const uint32_t down = (uint32_t)page->height - top < tile_height ? (uint32_t)page->height - top : tile_height;
                const uint32_t across = (uint32_t)page->width - left < tile_width ? (uint32_t)page->width - left : tile_width;
                memset(buffer, 0, (size_t)size);
                const tmsize_t got =
                    is_tiled ? TIFFReadEncodedTile(t, TIFFComputeTile(t, left, top, 0, (uint16_t)plane), buffer, size)
                             : TIFFReadEncodedStrip(t, TIFFComputeStrip(t, top, (uint16_t)plane), buffer, size);
                if (got < (tmsize_t)down * line && !(is_tiled && got == size)) {
                    free(buffer);
                    return say(error, 0, "its picture breaks off or can't be decoded"), -1;
                }
                for (uint32_t y = 0; y < down; y++) {
                    const uint8_t *in = buffer + (size_t)y * (size_t)line;
                    uint8_t *out = rows + (size_t)(top + y) * stride + (size_t)left * (size_t)(page->samples * bytes)
                                   + (size_t)(plane * bytes);
                    if (planes == 1)
                        unpack(in, page->bits, (int)across * together, out, 1);
                    else
                        unpack(in, page->bits, (int)across, out, page->samples);
                }
            }
    free(buffer);
    return 0;
}

const uint8_t *ctiff_bytes(ctiff_reader *r, uint32_t tag, size_t *size) {
    void *bytes = NULL;
    *size = 0;
    if (tag == TIFFTAG_ICCPROFILE || tag == TIFFTAG_XMLPACKET || tag == TIFFTAG_RICHTIFFIPTC) {
        uint32_t count = 0;
        if (!TIFFGetField(r->tiff, tag, &count, &bytes) || !bytes) return NULL;
        // IPTC is counted in words of four bytes if its type is LONG.
        const TIFFField *field = TIFFFieldWithTag(r->tiff, tag);
        *size = (size_t)count * (field && TIFFFieldDataType(field) == TIFF_LONG ? 4 : 1);
        return bytes;
    }
    char *text = NULL;
    if (!TIFFGetField(r->tiff, tag, &text) || !text) return NULL;
    *size = strlen(text);
    return (const uint8_t *)text;
}

ctiff_writer *ctiff_create(int is_big, ctiff_error *error) {
    be_quiet();
    ctiff_writer *w = calloc(1, sizeof *w);
    if (!w) return say(error, 0, "out of memory"), NULL;
    w->tiff = TIFFClientOpen("picture", is_big ? "w8lm" : "wlm", &w->memory, take, give, seek, done, length, NULL, NULL);
    if (!w->tiff) {
        free(w->memory.bytes);
        free(w);
        return say(error, 0, "libtiff has no writer"), NULL;
    }
    return w;
}

int ctiff_set(ctiff_writer *w, uint32_t tag, const uint8_t *bytes, size_t size) {
    if (size > 1 << 26) return -1;
    if (tag == TIFFTAG_ICCPROFILE || tag == TIFFTAG_XMLPACKET)
        return TIFFSetField(w->tiff, tag, (uint32_t)size, bytes) ? 0 : -1;
    if (tag == TIFFTAG_RICHTIFFIPTC) {
        // libtiff counts it in LONGs; the end is padded.
        uint8_t *padded = calloc(1, size + 4);
        if (!padded) return -1;
        memcpy(padded, bytes, size);
        const int code = TIFFSetField(w->tiff, tag, (uint32_t)((size + 3) / 4), padded) ? 0 : -1;
        free(padded);
        return code;
    }
    if (tag == TIFFTAG_EXIFIFD || tag == TIFFTAG_GPSIFD) return TIFFSetField(w->tiff, tag, (uint64_t)0) ? 0 : -1;
    char *text = calloc(1, size + 1);
    if (!text) return -1;
    memcpy(text, bytes, size);
    const int code = TIFFSetField(w->tiff, tag, text) ? 0 : -1;
    free(text);
    return code;
}

int ctiff_write(ctiff_writer *w, const ctiff_page *page, const uint8_t *rows, ctiff_error *error) {
    TIFF *t = w->tiff;
    const int bytes = page->bits == 16 ? 2 : 1;
    TIFFSetField(t, TIFFTAG_IMAGEWIDTH, (uint32_t)page->width);
    TIFFSetField(t, TIFFTAG_IMAGELENGTH, (uint32_t)page->height);
    TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, page->bits);
    TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, page->samples);
    TIFFSetField(t, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(t, TIFFTAG_ORIENTATION, page->orientation);
    if (!TIFFSetField(t, TIFFTAG_COMPRESSION, page->compression)) return say(error, 1, "its compression can't be written"), -1;
    if (page->is_jpeg) {
        TIFFSetField(t, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_YCBCR);
        TIFFSetField(t, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        TIFFSetField(t, TIFFTAG_JPEGQUALITY, 95);
        TIFFSetField(t, TIFFTAG_YCBCRSUBSAMPLING, 1, 1);
    } else {
        TIFFSetField(t, TIFFTAG_PHOTOMETRIC, page->photometric);
        if (page->compression == COMPRESSION_JPEG) TIFFSetField(t, TIFFTAG_JPEGQUALITY, 95);
    }
    if (page->predictor == 2 && page->bits >= 8) TIFFSetField(t, TIFFTAG_PREDICTOR, 2);
    if (page->extra) {
        const uint16_t kind = page->extra == 1   ? EXTRASAMPLE_ASSOCALPHA
                              : page->extra == 2 ? EXTRASAMPLE_UNASSALPHA
                                                 : EXTRASAMPLE_UNSPECIFIED;
        TIFFSetField(t, TIFFTAG_EXTRASAMPLES, 1, &kind);
    }
    if (page->photometric == PHOTOMETRIC_PALETTE)
        TIFFSetField(t, TIFFTAG_COLORMAP, page->palette[0], page->palette[1], page->palette[2]);
    if (page->x_resolution > 0 && page->y_resolution > 0) {
        TIFFSetField(t, TIFFTAG_XRESOLUTION, page->x_resolution);
        TIFFSetField(t, TIFFTAG_YRESOLUTION, page->y_resolution);
        TIFFSetField(t, TIFFTAG_RESOLUTIONUNIT, page->resolution_unit);
    }
    if (page->page_count > 1) {
        TIFFSetField(t, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
        TIFFSetField(t, TIFFTAG_PAGENUMBER, page->page_number, page->page_count);
    }
    TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(t, 0));
    const tmsize_t line = TIFFScanlineSize(t);
    const size_t stride = (size_t)page->width * (size_t)(page->samples * bytes);
    uint8_t *buffer = line > 0 ? malloc((size_t)line) : NULL;
    if (!buffer) return say(error, 0, "out of memory"), -1;
    for (int y = 0; y < page->height; y++) {
        pack(rows + (size_t)y * stride, page->bits, page->width * page->samples, buffer, (size_t)line);
        if (TIFFWriteScanline(t, buffer, (uint32_t)y, 0) < 0) {
            free(buffer);
            return say(error, 0, "a row can't be written"), -1;
        }
    }
    free(buffer);
    if (!TIFFWriteDirectory(t)) return say(error, 0, "a page can't be written"), -1;
    return 0;
}

uint8_t *ctiff_finish(ctiff_writer *w, size_t *size) {
    TIFFClose(w->tiff);
    uint8_t *bytes = w->memory.bytes;
    *size = w->memory.size;
    free(w);
    return bytes;
}
