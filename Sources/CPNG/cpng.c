#include "CPNG.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
    cpng_error *error;
    const uint8_t *data;
    size_t size, at;
    uint8_t *out;
    size_t out_size, room;
    uint8_t *rows;
    png_bytep *lines;
    int has_stray_bytes;
} state;

static void say(cpng_error *error, int is_unsupported, const char *words) {
    error->is_unsupported = is_unsupported;
    snprintf(error->message, sizeof error->message, "%s", words);
}

static void leave(png_structp png, png_const_charp words) {
    say(((state *)png_get_error_ptr(png))->error, 0, words);
    png_longjmp(png, 1);
}

static void warn(png_structp png, png_const_charp words) {
    state *s = png_get_error_ptr(png);
    if (strstr(words, "xtra compressed data") || strstr(words, "oo much image data")) s->has_stray_bytes = 1;
}

static void take(png_structp png, png_bytep out, size_t count) {
    state *s = png_get_io_ptr(png);
    if (count > s->size - s->at) png_error(png, "the file breaks off");
    memcpy(out, s->data + s->at, count);
    s->at += count;
}

static void give(png_structp png, png_bytep bytes, size_t count) {
    state *s = png_get_io_ptr(png);
    if (count > s->room - s->out_size) {
        const size_t room = 2 * (s->room + count) + 4096;
        uint8_t *larger = realloc(s->out, room);
        if (!larger) png_error(png, "out of memory");
        s->out = larger;
        s->room = room;
    }
    memcpy(s->out + s->out_size, bytes, count);
    s->out_size += count;
}

static void give_nothing(png_structp png) { (void)png; }

/// Deflate packs 1032 bytes into one at most (its longest match, 258 bytes, in two bits).
enum { most_packed = 1032 };

static int is_little_endian(void) {
    const uint16_t one = 1;
    return *(const uint8_t *)&one;
}

int cpng_read(
    const uint8_t *data, size_t size, int64_t most_pixels, cpng_info *info, uint8_t **rows, cpng_error *error) {
    *rows = NULL;
    memset(info, 0, sizeof *info);
    memset(error, 0, sizeof *error);
    state *s = calloc(1, sizeof *s);
    if (!s) return say(error, 0, "out of memory"), -1;
    s->error = error;
    s->data = data;
    s->size = size;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, s, leave, warn);
    png_infop parts = png ? png_create_info_struct(png) : NULL;
    if (!parts) {
        png_destroy_read_struct(&png, NULL, NULL);
        free(s);
        return say(error, 0, "out of memory"), -1;
    }
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_read_struct(&png, &parts, NULL);
        free(s->rows);
        free(s->lines);
        free(s);
        return -1;
    }
    png_set_read_fn(png, s, take);
    png_set_user_limits(png, 1 << 24, 1 << 24);
    png_set_chunk_malloc_max(png, 64 << 20);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
    // Text and profiles are read elsewhere, if at all.
    static const png_byte skipped[] = "iCCP\0tEXt\0zTXt\0iTXt\0eXIf\0sPLT\0hIST\0pCAL\0sCAL\0tIME";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, skipped, (int)(sizeof skipped / 5));
    png_read_info(png, parts);
    info->width = (int)png_get_image_width(png, parts);
    info->height = (int)png_get_image_height(png, parts);
    info->bit_depth = png_get_bit_depth(png, parts);
    info->color_type = png_get_color_type(png, parts);
    info->is_interlaced = png_get_interlace_type(png, parts) != PNG_INTERLACE_NONE;
    const int64_t pixels = (int64_t)info->width * info->height;
    const int64_t stored = (int64_t)png_get_rowbytes(png, parts) * info->height;
    if (pixels > most_pixels) {
        say(error, 1, "it claims to be too large");
        png_longjmp(png, 1);
    }
    if (stored / most_packed > (int64_t)size) {
        say(error, 0, "it is too short for the size that it claims");
        png_longjmp(png, 1);
    }
    png_colorp palette = NULL;
    png_bytep alphas = NULL;
    png_color_16p key = NULL;
    int count = 0;
    if (png_get_PLTE(png, parts, &palette, &count) && info->color_type == PNG_COLOR_TYPE_PALETTE) {
        info->palette_count = count;
        for (int i = 0; i < count && i < 256; i++) {
            info->palette[i][0] = palette[i].red;
            info->palette[i][1] = palette[i].green;
            info->palette[i][2] = palette[i].blue;
        }
    }
    if (png_get_tRNS(png, parts, &alphas, &count, &key)) {
        if (info->color_type == PNG_COLOR_TYPE_PALETTE && alphas) {
            info->transparent_count = count;
            memcpy(info->transparent, alphas, (size_t)(count < 256 ? count : 256));
        } else if (key && !(info->color_type & PNG_COLOR_MASK_ALPHA)) {
            info->has_key = 1;
            const int is_gray = info->color_type == PNG_COLOR_TYPE_GRAY;
            info->key[0] = is_gray ? key->gray : key->red;
            info->key[1] = is_gray ? key->gray : key->green;
            info->key[2] = is_gray ? key->gray : key->blue;
        }
    }
    if (info->bit_depth < 8) png_set_packing(png);
    if (info->bit_depth == 16 && is_little_endian()) png_set_swap(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, parts);
    info->channels = png_get_channels(png, parts);
    info->bytes_per_sample = info->bit_depth == 16 ? 2 : 1;
    const size_t stride = (size_t)info->width * (size_t)(info->channels * info->bytes_per_sample);
    if (png_get_rowbytes(png, parts) != stride) png_error(png, "its rows have an unknown form");
    s->rows = malloc(stride * (size_t)info->height);
    s->lines = malloc((size_t)info->height * sizeof *s->lines);
    if (!s->rows || !s->lines) png_error(png, "out of memory");
    for (int y = 0; y < info->height; y++) s->lines[y] = s->rows + (size_t)y * stride;
    png_read_image(png, s->lines);
    png_read_end(png, NULL);
    png_destroy_read_struct(&png, &parts, NULL);
    info->has_stray_bytes = s->has_stray_bytes;
    *rows = s->rows;
    free(s->lines);
    free(s);
    return 0;
}

int cpng_write(const cpng_info *info, const uint8_t *rows, uint8_t **data, size_t *size, cpng_error *error) {
    *data = NULL;
    *size = 0;
    memset(error, 0, sizeof *error);
    state *s = calloc(1, sizeof *s);
    if (!s) return say(error, 0, "out of memory"), -1;
    s->error = error;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, s, leave, warn);
    png_infop parts = png ? png_create_info_struct(png) : NULL;
    if (!parts) {
        png_destroy_write_struct(&png, NULL);
        free(s);
        return say(error, 0, "out of memory"), -1;
    }
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &parts);
        free(s->out);
        free(s->lines);
        free(s);
        return -1;
    }
    png_set_write_fn(png, s, give, give_nothing);
    png_set_user_limits(png, 1 << 24, 1 << 24);
    png_set_IHDR(
        png, parts, (png_uint_32)info->width, (png_uint_32)info->height, info->bit_depth, info->color_type,
        info->is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
        PNG_FILTER_TYPE_DEFAULT);
    if (info->color_type == PNG_COLOR_TYPE_PALETTE) {
        png_color palette[256];
        for (int i = 0; i < 256; i++)
            palette[i] = (png_color){info->palette[i][0], info->palette[i][1], info->palette[i][2]};
        png_set_PLTE(png, parts, palette, info->palette_count);
        if (info->transparent_count > 0)
            png_set_tRNS(png, parts, info->transparent, info->transparent_count, NULL);
    } else if (info->has_key) {
        png_color_16 key = {0, info->key[0], info->key[1], info->key[2], info->key[0]};
        png_set_tRNS(png, parts, NULL, 0, &key);
    }
    png_write_info(png, parts);
    if (info->bit_depth < 8) png_set_packing(png);
    if (info->bit_depth == 16 && is_little_endian()) png_set_swap(png);
    const size_t stride = (size_t)info->width * (size_t)(info->channels * info->bytes_per_sample);
    s->lines = malloc((size_t)info->height * sizeof *s->lines);
    if (!s->lines) png_error(png, "out of memory");
    for (int y = 0; y < info->height; y++) s->lines[y] = (png_bytep)rows + (size_t)y * stride;
    png_write_image(png, s->lines);
    png_write_end(png, parts);
    png_destroy_write_struct(&png, &parts);
    *data = s->out;
    *size = s->out_size;
    free(s->lines);
    free(s);
    return 0;
}
