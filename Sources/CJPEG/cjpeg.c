#include "CJPEG.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

/// A file with more scans than this only costs time: a progressive file of three components has about ten.
enum { most_scans = 400 };

typedef struct handler {
    struct jpeg_error_mgr base;
    jmp_buf escape;
    cjpeg_error *error;
    int accepts_damage;
    int has_stray_bytes;
} handler;

struct cjpeg_picture {
    struct jpeg_decompress_struct cinfo;
    handler handler;
    struct jpeg_progress_mgr progress;
    jvirt_barray_ptr *coefficients;
};

static cjpeg_code fail(cjpeg_error *error, cjpeg_code code, const char *message) {
    if (error) {
        error->code = code;
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return code;
}

static cjpeg_code code_of(int message) {
    switch (message) {
    case JERR_OUT_OF_MEMORY: return CJPEG_NO_MEMORY;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
    case JERR_IMAGE_TOO_BIG: return CJPEG_UNSUPPORTED;
    default: return CJPEG_DAMAGED;
    }
}

static void leave(j_common_ptr cinfo) {
    handler *h = (handler *)cinfo->err;
    char words[JMSG_LENGTH_MAX];
    h->base.format_message(cinfo, words);
    fail(h->error, code_of(h->base.msg_code), words);
    longjmp(h->escape, 1);
}

/// A level below 0 is a warning: the library goes on with data that it made up. That is an error here.
static void notice(j_common_ptr cinfo, int level) {
    handler *h = (handler *)cinfo->err;
    if (level >= 0) return;
    switch (h->base.msg_code) {
    case JWRN_EXTRANEOUS_DATA: h->has_stray_bytes = 1; return;
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR: return;
    default:
        if (!h->accepts_damage) leave(cinfo);
    }
}

static void say_nothing(j_common_ptr cinfo) { (void)cinfo; }

static void limit_scans(j_common_ptr cinfo) {
    if (!cinfo->is_decompressor) return;
    if (((j_decompress_ptr)cinfo)->input_scan_number > most_scans) {
        handler *h = (handler *)cinfo->err;
        fail(h->error, CJPEG_UNSUPPORTED, "it has too many scans");
        longjmp(h->escape, 1);
    }
}

static void prepare(handler *h, cjpeg_error *error) {
    jpeg_std_error(&h->base);
    h->base.error_exit = leave;
    h->base.emit_message = notice;
    h->base.output_message = say_nothing;
    h->error = error;
}

static int64_t blocks_of(const struct jpeg_decompress_struct *cinfo) {
    int64_t blocks = 0;
    for (int i = 0; i < cinfo->num_components; i++) {
        const jpeg_component_info *c = &cinfo->comp_info[i];
        blocks += (int64_t)c->width_in_blocks * c->height_in_blocks;
    }
    return blocks;
}

cjpeg_code cjpeg_open(
    const uint8_t *data, size_t size, int64_t most_pixels, int accepts_damage, cjpeg_picture **out, cjpeg_error *error) {
    *out = NULL;
    cjpeg_picture *p = calloc(1, sizeof *p);
    if (!p) return fail(error, CJPEG_NO_MEMORY, "out of memory");
    prepare(&p->handler, error);
    p->handler.accepts_damage = accepts_damage;
    p->cinfo.err = &p->handler.base;
    if (setjmp(p->handler.escape)) {
        cjpeg_free(p);
        return error ? error->code : CJPEG_DAMAGED;
    }
    jpeg_create_decompress(&p->cinfo);
    p->progress.progress_monitor = limit_scans;
    p->cinfo.progress = &p->progress;
    jpeg_mem_src(&p->cinfo, data, size);
    jpeg_read_header(&p->cinfo, TRUE);
    const int64_t pixels = (int64_t)p->cinfo.image_width * p->cinfo.image_height;
    if (pixels > most_pixels || p->cinfo.num_components > 4) {
        cjpeg_free(p);
        return fail(error, CJPEG_UNSUPPORTED, "it claims to be too large");
    }
    // The block counts of the header aren't there before decoding starts: the sizes of an MCU stand for them.
    int64_t blocks = 0;
    for (int i = 0; i < p->cinfo.num_components; i++) {
        const jpeg_component_info *c = &p->cinfo.comp_info[i];
        blocks += pixels / 64 * c->h_samp_factor * c->v_samp_factor
                  / (p->cinfo.max_h_samp_factor * p->cinfo.max_v_samp_factor);
    }
    // The DC coefficient of each block takes a bit at least.
    if (blocks > (int64_t)size * 8 && !p->cinfo.arith_code) {
        cjpeg_free(p);
        return fail(error, CJPEG_DAMAGED, "it is too short for the size that it claims");
    }
    // Arithmetic coding may take less, but not for pictures: its claims are held to a tenth.
    if (p->cinfo.arith_code && blocks > (int64_t)size * 80) {
        cjpeg_free(p);
        return fail(error, CJPEG_DAMAGED, "it is too short for the size that it claims");
    }
    p->coefficients = jpeg_read_coefficients(&p->cinfo);
    if (!p->coefficients) {
        cjpeg_free(p);
        return fail(error, CJPEG_DAMAGED, "it has no picture data");
    }
    p->handler.error = NULL;
    *out = p;
    return CJPEG_OK;
}

void cjpeg_free(cjpeg_picture *p) {
    if (!p) return;
    jpeg_destroy_decompress(&p->cinfo);
    free(p);
}

cjpeg_info cjpeg_describe(const cjpeg_picture *p) {
    cjpeg_info info;
    memset(&info, 0, sizeof info);
    const struct jpeg_decompress_struct *cinfo = &p->cinfo;
    info.width = (int)cinfo->image_width;
    info.height = (int)cinfo->image_height;
    info.component_count = cinfo->num_components;
    switch (cinfo->jpeg_color_space) {
    case JCS_GRAYSCALE: info.space = CJPEG_GRAY; break;
    case JCS_YCbCr: info.space = CJPEG_YCC; break;
    case JCS_RGB: info.space = CJPEG_RGB; break;
    case JCS_CMYK: info.space = CJPEG_CMYK; break;
    case JCS_YCCK: info.space = CJPEG_YCCK; break;
    default: info.space = CJPEG_OTHER;
    }
    for (int i = 0; i < cinfo->num_components && i < 4; i++) {
        const jpeg_component_info *c = &cinfo->comp_info[i];
        cjpeg_component *k = &info.component[i];
        k->h = c->h_samp_factor;
        k->v = c->v_samp_factor;
        k->blocks_across = (int)c->width_in_blocks;
        k->blocks_down = (int)c->height_in_blocks;
        k->width = (info.width * c->h_samp_factor + cinfo->max_h_samp_factor - 1) / cinfo->max_h_samp_factor;
        k->height = (info.height * c->v_samp_factor + cinfo->max_v_samp_factor - 1) / cinfo->max_v_samp_factor;
    }
    info.is_progressive = cinfo->progressive_mode;
    info.is_arithmetic = cinfo->arith_code;
    info.restart_interval = (int)cinfo->restart_interval;
    info.has_stray_bytes = p->handler.has_stray_bytes;
    return info;
}

/// cosines[u][x]: the DCT's basis, scaled so that the transform is orthonormal (ITU-T T.81, A.3.3).
typedef struct basis { float c[8][8]; } basis;

static basis make_basis(void) {
    basis b;
    for (int u = 0; u < 8; u++)
        for (int x = 0; x < 8; x++)
            b.c[u][x] = (float)((u == 0 ? sqrt(0.125) : 0.5) * cos((2 * x + 1) * u * 3.14159265358979323846 / 16));
    return b;
}

static void inverse(const basis *b, const JCOEF *block, const UINT16 *table, uint8_t *out, ptrdiff_t stride) {
    float rows[8][8];
    for (int v = 0; v < 8; v++) {
        float line[8] = {0};
        for (int u = 0; u < 8; u++) {
            if (block[8 * v + u] == 0) continue;
            const float value = (float)block[8 * v + u] * (float)table[8 * v + u];
            for (int x = 0; x < 8; x++) line[x] += value * b->c[u][x];
        }
        memcpy(rows[v], line, sizeof line);
    }
    for (int y = 0; y < 8; y++) {
        float line[8] = {0};
        for (int v = 0; v < 8; v++)
            for (int x = 0; x < 8; x++) line[x] += rows[v][x] * b->c[v][y];
        for (int x = 0; x < 8; x++) {
            const float value = line[x] + 128.5f;
            out[x] = value <= 0 ? 0 : value >= 255 ? 255 : (uint8_t)value;
        }
        out += stride;
    }
}

static void forward(const basis *b, const uint8_t *in, ptrdiff_t stride, const UINT16 *table, JCOEF *block) {
    float columns[8][8];
    for (int y = 0; y < 8; y++)
        for (int u = 0; u < 8; u++) {
            float sum = 0;
            for (int x = 0; x < 8; x++) sum += ((float)in[y * stride + x] - 128) * b->c[u][x];
            columns[y][u] = sum;
        }
    for (int v = 0; v < 8; v++)
        for (int u = 0; u < 8; u++) {
            float sum = 0;
            for (int y = 0; y < 8; y++) sum += columns[y][u] * b->c[v][y];
            const float level = sum / (float)(table[8 * v + u] ? table[8 * v + u] : 1);
            // What baseline coding can hold: 11 bits for DC, 10 for the others (T.81, F.1.2).
            const long least = v + u == 0 ? -1024 : -1023;
            long rounded = lrintf(level);
            if (rounded < least) rounded = least;
            if (rounded > 1023) rounded = 1023;
            block[8 * v + u] = (JCOEF)rounded;
        }
}

/// Runs over the rows of a component's blocks; `body` sees `row` and `y`.
#define FOR_EACH_ROW(p, component, writable)                                                                           \
    const jpeg_component_info *info = &(p)->cinfo.comp_info[component];                                                \
    const int down = (int)info->height_in_blocks, across = (int)info->width_in_blocks;                                 \
    for (int y = 0; y < down; y++) {                                                                                   \
        JBLOCKROW row = (p)->cinfo.mem->access_virt_barray(                                                            \
            (j_common_ptr) & (p)->cinfo, (p)->coefficients[component], (JDIMENSION)y, 1, writable)[0];

cjpeg_code cjpeg_draw(cjpeg_picture *p, int component, uint8_t *samples, ptrdiff_t stride, cjpeg_error *error) {
    p->handler.error = error;
    if (setjmp(p->handler.escape)) return error ? error->code : CJPEG_DAMAGED;
    if (component < 0 || component >= p->cinfo.num_components) return fail(error, CJPEG_DAMAGED, "no such component");
    const JQUANT_TBL *table = p->cinfo.comp_info[component].quant_table;
    if (!table) return fail(error, CJPEG_DAMAGED, "a quantisation table is missing");
    const basis b = make_basis();
    FOR_EACH_ROW(p, component, FALSE)
        for (int x = 0; x < across; x++)
            inverse(&b, row[x], table->quantval, samples + 8 * y * stride + 8 * x, stride);
    }
    return CJPEG_OK;
}

cjpeg_code cjpeg_code_blocks(
    cjpeg_picture *p, int component, const uint8_t *samples, ptrdiff_t stride, const uint8_t *marked,
    cjpeg_error *error) {
    p->handler.error = error;
    if (setjmp(p->handler.escape)) return error ? error->code : CJPEG_DAMAGED;
    if (component < 0 || component >= p->cinfo.num_components) return fail(error, CJPEG_DAMAGED, "no such component");
    const JQUANT_TBL *table = p->cinfo.comp_info[component].quant_table;
    if (!table) return fail(error, CJPEG_DAMAGED, "a quantisation table is missing");
    const basis b = make_basis();
    FOR_EACH_ROW(p, component, TRUE)
        for (int x = 0; x < across; x++)
            if (marked[(size_t)y * across + x])
                forward(&b, samples + 8 * y * stride + 8 * x, stride, table->quantval, row[x]);
    }
    return CJPEG_OK;
}

cjpeg_code cjpeg_copy_coefficients(cjpeg_picture *p, int component, int16_t *out, cjpeg_error *error) {
    p->handler.error = error;
    if (setjmp(p->handler.escape)) return error ? error->code : CJPEG_DAMAGED;
    if (component < 0 || component >= p->cinfo.num_components) return fail(error, CJPEG_DAMAGED, "no such component");
    FOR_EACH_ROW(p, component, FALSE)
        memcpy(out + (size_t)y * across * 64, row, (size_t)across * 64 * sizeof *out);
    }
    return CJPEG_OK;
}

/// Where a file is written to: memory that grows. libjpeg's own leaves its memory behind when it fails.
typedef struct memory {
    struct jpeg_destination_mgr base;
    uint8_t *bytes;
    size_t room;
} memory;

static void grow(j_compress_ptr cinfo, size_t room) {
    memory *m = (memory *)cinfo->dest;
    const size_t used = m->room;
    uint8_t *larger = realloc(m->bytes, room);
    if (!larger) {
        cinfo->err->msg_code = JERR_OUT_OF_MEMORY;
        cinfo->err->error_exit((j_common_ptr)cinfo);
        return;
    }
    m->bytes = larger;
    m->room = room;
    m->base.next_output_byte = larger + used;
    m->base.free_in_buffer = room - used;
}

static void begin(j_compress_ptr cinfo) { grow(cinfo, 1 << 16); }

static boolean flush(j_compress_ptr cinfo) {
    grow(cinfo, ((memory *)cinfo->dest)->room * 2);
    return TRUE;
}

static void end(j_compress_ptr cinfo) { (void)cinfo; }

cjpeg_code cjpeg_write(cjpeg_picture *p, uint8_t **data, size_t *size, cjpeg_error *error) {
    // What is changed between setjmp and longjmp lies behind pointers, where it is found again.
    struct writer {
        struct jpeg_compress_struct cinfo;
        handler handler;
        memory memory;
    } *w = calloc(1, sizeof *w);
    *data = NULL;
    *size = 0;
    if (!w) return fail(error, CJPEG_NO_MEMORY, "out of memory");
    prepare(&w->handler, error);
    w->cinfo.err = &w->handler.base;
    // Reading the arrays may fail too, through the source's handler.
    p->handler.error = error;
    if (setjmp(w->handler.escape) || setjmp(p->handler.escape)) {
        jpeg_destroy_compress(&w->cinfo);
        free(w->memory.bytes);
        free(w);
        return error ? error->code : CJPEG_DAMAGED;
    }
    jpeg_create_compress(&w->cinfo);
    w->memory.base.init_destination = begin;
    w->memory.base.empty_output_buffer = flush;
    w->memory.base.term_destination = end;
    w->cinfo.dest = &w->memory.base;
    jpeg_copy_critical_parameters(&p->cinfo, &w->cinfo);
    w->cinfo.write_JFIF_header = FALSE;
    w->cinfo.write_Adobe_marker = FALSE;
    w->cinfo.restart_interval = p->cinfo.restart_interval;
    w->cinfo.arith_code = p->cinfo.arith_code;
    // The source's own Huffman tables may lack the codes that new blocks need.
    w->cinfo.optimize_coding = w->cinfo.arith_code ? FALSE : TRUE;
    if (p->cinfo.progressive_mode) jpeg_simple_progression(&w->cinfo);
    jpeg_write_coefficients(&w->cinfo, p->coefficients);
    jpeg_finish_compress(&w->cinfo);
    *data = w->memory.bytes;
    *size = w->memory.room - w->memory.base.free_in_buffer;
    jpeg_destroy_compress(&w->cinfo);
    free(w);
    return CJPEG_OK;
}
