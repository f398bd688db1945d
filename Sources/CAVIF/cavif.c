#include "CAVIF.h"

#include <stdlib.h>
#include <string.h>

#include <aom/aom_encoder.h>
#include <aom/aomcx.h>
#include <libheif/heif.h>
#include <libheif/heif_plugin.h>

typedef struct encoder {
    int quality, lossless;
    uint8_t *data;
    size_t size;
    int is_given;
} encoder;

static const struct heif_error fine = {heif_error_Ok, heif_suberror_Unspecified, "ok"};
static const struct heif_error no_memory = {
    heif_error_Memory_allocation_error, heif_suberror_Unspecified, "out of memory"};
static const struct heif_error failed = {heif_error_Encoder_plugin_error, heif_suberror_Unspecified, "libaom failed"};
static const struct heif_error unknown = {
    heif_error_Usage_error, heif_suberror_Unsupported_parameter, "no such parameter"};

static const char *name(void) { return "libaom"; }
static void nothing(void) {}

static struct heif_error create(void **out) {
    encoder *e = calloc(1, sizeof *e);
    if (!e) return no_memory;
    e->quality = 90;
    *out = e;
    return fine;
}

static void destroy(void *handle) {
    encoder *e = handle;
    free(e->data);
    free(e);
}

static struct heif_error set_quality(void *handle, int quality) {
    ((encoder *)handle)->quality = quality < 0 ? 0 : quality > 100 ? 100 : quality;
    return fine;
}

static struct heif_error get_quality(void *handle, int *quality) {
    *quality = ((encoder *)handle)->quality;
    return fine;
}

static struct heif_error set_lossless(void *handle, int lossless) {
    ((encoder *)handle)->lossless = lossless;
    return fine;
}

static struct heif_error get_lossless(void *handle, int *lossless) {
    *lossless = ((encoder *)handle)->lossless;
    return fine;
}

static struct heif_error set_logging(void *handle, int level) {
    (void)handle, (void)level;
    return fine;
}

static struct heif_error get_logging(void *handle, int *level) {
    (void)handle;
    *level = 0;
    return fine;
}

static const struct heif_encoder_parameter **list(void *handle) {
    static const struct heif_encoder_parameter *none[] = {NULL};
    (void)handle;
    return none;
}

static struct heif_error set_number(void *handle, const char *key, int value) {
    (void)value;
    if (strcmp(key, heif_encoder_parameter_name_quality) == 0) return set_quality(handle, value);
    if (strcmp(key, heif_encoder_parameter_name_lossless) == 0) return set_lossless(handle, value);
    return unknown;
}

static struct heif_error get_number(void *handle, const char *key, int *value) {
    if (strcmp(key, heif_encoder_parameter_name_quality) == 0) return get_quality(handle, value);
    if (strcmp(key, heif_encoder_parameter_name_lossless) == 0) return get_lossless(handle, value);
    return unknown;
}

static struct heif_error set_text(void *handle, const char *key, const char *value) {
    (void)handle, (void)key, (void)value;
    return unknown;
}

static struct heif_error get_text(void *handle, const char *key, char *value, int size) {
    (void)handle, (void)key, (void)value, (void)size;
    return unknown;
}

static void query(enum heif_colorspace *space, enum heif_chroma *chroma) {
    if (*space == heif_colorspace_monochrome) {
        *chroma = heif_chroma_monochrome;
        return;
    }
    *space = heif_colorspace_YCbCr;
    if (*chroma != heif_chroma_420 && *chroma != heif_chroma_422) *chroma = heif_chroma_444;
}

static void query2(void *handle, enum heif_colorspace *space, enum heif_chroma *chroma) {
    (void)handle;
    query(space, chroma);
}

static void query_size(void *handle, uint32_t width, uint32_t height, uint32_t *coded_width, uint32_t *coded_height) {
    (void)handle;
    *coded_width = width;
    *coded_height = height;
}

static int copy(const struct heif_image *from, enum heif_channel channel, aom_image_t *to, int plane, int bytes) {
    int stride = 0;
    const uint8_t *in = heif_image_get_plane_readonly(from, channel, &stride);
    if (!in) return -1;
    const int width = heif_image_get_width(from, channel), height = heif_image_get_height(from, channel);
    for (int y = 0; y < height; y++)
        memcpy(to->planes[plane] + (ptrdiff_t)y * to->stride[plane], in + (ptrdiff_t)y * stride, (size_t)(width * bytes));
    return 0;
}

/// Samples of a picture without colour.
static void fill(aom_image_t *to, int plane, int depth, int height) {
    for (int y = 0; y < height; y++) {
        uint8_t *row = to->planes[plane] + (ptrdiff_t)y * to->stride[plane];
        const int width = (int)(to->d_w + 1) / 2;
        for (int x = 0; x < width; x++) {
            const uint16_t middle = (uint16_t)(1 << (depth - 1));
            if (depth > 8) memcpy(row + 2 * x, &middle, 2);
            else row[x] = (uint8_t)middle;
        }
    }
}

static int collect(encoder *e, aom_codec_ctx_t *codec) {
    aom_codec_iter_t iterator = NULL;
    const aom_codec_cx_pkt_t *packet;
    while ((packet = aom_codec_get_cx_data(codec, &iterator)) != NULL) {
        if (packet->kind != AOM_CODEC_CX_FRAME_PKT) continue;
        uint8_t *larger = realloc(e->data, e->size + packet->data.frame.sz);
        if (!larger) return -1;
        memcpy(larger + e->size, packet->data.frame.buf, packet->data.frame.sz);
        e->data = larger;
        e->size += packet->data.frame.sz;
    }
    return 0;
}

static struct heif_error encode(void *handle, const struct heif_image *image, enum heif_image_input_class kind) {
    encoder *e = handle;
    (void)kind;
    free(e->data);
    e->data = NULL;
    e->size = 0;
    e->is_given = 0;
    const enum heif_chroma chroma = heif_image_get_chroma_format(image);
    const int is_gray = chroma == heif_chroma_monochrome;
    const int depth = heif_image_get_bits_per_pixel_range(image, heif_channel_Y);
    const int width = heif_image_get_width(image, heif_channel_Y), height = heif_image_get_height(image, heif_channel_Y);
    if (width <= 0 || height <= 0 || (depth != 8 && depth != 10 && depth != 12)) return failed;
    aom_img_fmt_t form = chroma == heif_chroma_444   ? AOM_IMG_FMT_I444
                         : chroma == heif_chroma_422 ? AOM_IMG_FMT_I422
                                                     : AOM_IMG_FMT_I420;
    if (depth > 8) form |= AOM_IMG_FMT_HIGHBITDEPTH;
    aom_codec_enc_cfg_t cfg;
    if (aom_codec_enc_config_default(aom_codec_av1_cx(), &cfg, AOM_USAGE_GOOD_QUALITY)) return failed;
    cfg.g_w = (unsigned)width;
    cfg.g_h = (unsigned)height;
    cfg.g_threads = 2;
    cfg.g_limit = 1;
    cfg.g_lag_in_frames = 0;
    cfg.g_bit_depth = (aom_bit_depth_t)depth;
    cfg.g_input_bit_depth = (unsigned)depth;
    // AV1, annex A.2: 0 holds 8 and 10 bits of 4:2:0 and gray, 1 those of 4:4:4, 2 all else.
    cfg.g_profile = depth > 10 || chroma == heif_chroma_422 ? 2 : chroma == heif_chroma_444 ? 1 : 0;
    cfg.monochrome = (unsigned)is_gray;
    cfg.rc_end_usage = AOM_Q;
    const unsigned level = e->lossless ? 0 : (unsigned)(63 - e->quality * 63 / 100);
    cfg.rc_min_quantizer = 0;
    cfg.rc_max_quantizer = 63;
    aom_image_t *picture = aom_img_alloc(NULL, form, (unsigned)width, (unsigned)height, 16);
    if (!picture) return no_memory;
    const int bytes = depth > 8 ? 2 : 1;
    int is_bad = copy(image, heif_channel_Y, picture, 0, bytes);
    if (is_gray) {
        picture->monochrome = 1;
        fill(picture, 1, depth, (height + 1) / 2);
        fill(picture, 2, depth, (height + 1) / 2);
    } else {
        is_bad |= copy(image, heif_channel_Cb, picture, 1, bytes) | copy(image, heif_channel_Cr, picture, 2, bytes);
    }
    aom_codec_ctx_t codec;
    if (is_bad || aom_codec_enc_init(&codec, aom_codec_av1_cx(), &cfg, depth > 8 ? AOM_CODEC_USE_HIGHBITDEPTH : 0)) {
        aom_img_free(picture);
        return failed;
    }
    aom_codec_control(&codec, AOME_SET_CPUUSED, 6);
    aom_codec_control(&codec, AOME_SET_CQ_LEVEL, level);
    aom_codec_control(&codec, AV1E_SET_LOSSLESS, e->lossless ? 1u : 0u);
    struct heif_color_profile_nclx *color = NULL;
    if (heif_image_get_nclx_color_profile(image, &color).code == heif_error_Ok && color) {
        aom_codec_control(&codec, AV1E_SET_COLOR_PRIMARIES, (int)color->color_primaries);
        aom_codec_control(&codec, AV1E_SET_TRANSFER_CHARACTERISTICS, (int)color->transfer_characteristics);
        aom_codec_control(&codec, AV1E_SET_MATRIX_COEFFICIENTS, (int)color->matrix_coefficients);
        aom_codec_control(&codec, AV1E_SET_COLOR_RANGE, color->full_range_flag ? 1 : 0);
        heif_nclx_color_profile_free(color);
    } else {
        aom_codec_control(&codec, AV1E_SET_COLOR_RANGE, 1);
    }
    is_bad = aom_codec_encode(&codec, picture, 0, 1, 0) != AOM_CODEC_OK || collect(e, &codec) != 0;
    is_bad = is_bad || aom_codec_encode(&codec, NULL, 0, 0, 0) != AOM_CODEC_OK || collect(e, &codec) != 0;
    aom_codec_destroy(&codec);
    aom_img_free(picture);
    return is_bad || e->size == 0 ? failed : fine;
}

static struct heif_error give(void *handle, uint8_t **data, int *size, enum heif_encoded_data_type *type) {
    encoder *e = handle;
    const int is_first = !e->is_given && e->size <= INT32_MAX;
    *data = is_first ? e->data : NULL;
    *size = is_first ? (int)e->size : 0;
    if (type) *type = heif_encoded_data_type_HEVC_image;
    e->is_given = 1;
    return fine;
}

int cavif_register(void) {
    static const struct heif_encoder_plugin plugin = {
        .plugin_api_version = 3,
        .compression_format = heif_compression_AV1,
        .id_name = "aom-by-profile",
        .priority = 500,
        .supports_lossy_compression = 1,
        .supports_lossless_compression = 1,
        .get_plugin_name = name,
        .init_plugin = nothing,
        .cleanup_plugin = nothing,
        .new_encoder = create,
        .free_encoder = destroy,
        .set_parameter_quality = set_quality,
        .get_parameter_quality = get_quality,
        .set_parameter_lossless = set_lossless,
        .get_parameter_lossless = get_lossless,
        .set_parameter_logging_level = set_logging,
        .get_parameter_logging_level = get_logging,
        .list_parameters = list,
        .set_parameter_integer = set_number,
        .get_parameter_integer = get_number,
        .set_parameter_boolean = set_number,
        .get_parameter_boolean = get_number,
        .set_parameter_string = set_text,
        .get_parameter_string = get_text,
        .query_input_colorspace = query,
        .encode_image = encode,
        .get_compressed_data = give,
        .query_input_colorspace2 = query2,
        .query_encoded_size = query_size,
    };
    return heif_register_encoder_plugin(&plugin).code == heif_error_Ok ? 0 : -1;
}
