// FFmpeg's headers, and what Swift can't import of them: macros as constants, array members by index.
#ifndef VEIL_CFFMPEG_H
#define VEIL_CFFMPEG_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/avstring.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libavutil/sha.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
#include <malloc.h>

// Fills memory with zeros when it is taken, for the whole process. x264 (as of 164) reads some that it never wrote where a
// side isn't a multiple of 16, and what it happens to hold there changes what it writes.
static inline void cff_take_memory_empty(void) { mallopt(M_PERTURB, 0xFF); }

// Hands memory that was freed, of every arena, back to the system.
static inline void cff_give_back_memory(void) { malloc_trim(0); }

// Error codes and sentinels that are macros.
static const int cff_error_eof = AVERROR_EOF;
static const int cff_error_again = AVERROR(EAGAIN);
static const int cff_error_no_memory = AVERROR(ENOMEM);
static const int cff_error_no_space = AVERROR(ENOSPC);
static const int cff_error_not_permitted = AVERROR(EPERM);
static const int cff_error_io = AVERROR(EIO);
static const int cff_error_exit = AVERROR_EXIT;
static const int cff_error_input_changed = AVERROR_INPUT_CHANGED;
static const int cff_error_output_changed = AVERROR_OUTPUT_CHANGED;
static const int cff_error_invalid_data = AVERROR_INVALIDDATA;
static const int64_t cff_no_pts = AV_NOPTS_VALUE;
static const int cff_profile_unknown = FF_PROFILE_UNKNOWN;
static const int cff_level_unknown = FF_LEVEL_UNKNOWN;
static const int cff_compliance_unofficial = FF_COMPLIANCE_UNOFFICIAL;
static const int cff_compliance_experimental = FF_COMPLIANCE_EXPERIMENTAL;
static const int cff_loss_mask_real =
    FF_LOSS_RESOLUTION | FF_LOSS_DEPTH | FF_LOSS_COLORSPACE | FF_LOSS_ALPHA | FF_LOSS_COLORQUANT | FF_LOSS_CHROMA;

// Versions, as the headers say them.
static const int cff_version_avcodec = LIBAVCODEC_VERSION_INT;

// AVFrame and AVPixFmtDescriptor: C arrays arrive in Swift as tuples.
static inline uint8_t *cff_frame_data(const AVFrame *f, int i) { return f->data[i]; }
static inline int cff_frame_linesize(const AVFrame *f, int i) { return f->linesize[i]; }
static inline AVComponentDescriptor cff_component(const AVPixFmtDescriptor *d, int i) { return d->comp[i]; }

static inline int cff_scale_frame(struct SwsContext *c, const AVFrame *from, AVFrame *to) {
    return sws_scale(c, (const uint8_t *const *)from->data, from->linesize, 0, from->height, to->data, to->linesize);
}

// AVCodec lists that end with a sentinel.
static inline enum AVPixelFormat cff_codec_pix_fmt(const AVCodec *c, int i) {
    return c->pix_fmts ? c->pix_fmts[i] : AV_PIX_FMT_NONE;
}
static inline int cff_codec_has_pix_fmts(const AVCodec *c) { return c->pix_fmts != NULL; }
static inline AVRational cff_codec_frame_rate(const AVCodec *c, int i) {
    AVRational none = {0, 0};
    return c->supported_framerates ? c->supported_framerates[i] : none;
}
static inline int cff_codec_has_frame_rates(const AVCodec *c) { return c->supported_framerates != NULL; }

// Sound: what of a source an encoder takes, or the nearest to it.
static inline int cff_codec_sample_rate(const AVCodec *c, int wanted) {
    if (!c->supported_samplerates) return wanted;
    int best = 0;
    for (const int *r = c->supported_samplerates; *r; r++)
        // The next higher one loses nothing; else the highest.
        if (!best || (best < wanted ? *r > best : *r >= wanted && *r < best)) best = *r;
    return best;
}
static inline enum AVSampleFormat cff_codec_sample_format(const AVCodec *c, enum AVSampleFormat wanted) {
    if (!c->sample_fmts) return wanted;
    for (const enum AVSampleFormat *f = c->sample_fmts; *f != AV_SAMPLE_FMT_NONE; f++)
        if (av_get_packed_sample_fmt(*f) == av_get_packed_sample_fmt(wanted)) return *f;
    return c->sample_fmts[0];
}
// Layouts to try on an encoder, the best first: the source's own, those of as many channels, then fewer; most encoders
// don't list what they take. Gives back 0 behind the last one.
static inline int cff_layout_candidate(const AVChannelLayout *source, int n, AVChannelLayout *out) {
    static const int fewer[] = {8, 6, 2, 1};
    if (n == 0) {
        // Channels of which nothing is known are taken for the usual ones.
        if (source->order == AV_CHANNEL_ORDER_UNSPEC) av_channel_layout_default(out, source->nb_channels);
        else av_channel_layout_copy(out, source);
        return 1;
    }
    if (n == 1) {
        av_channel_layout_default(out, source->nb_channels);
        return 1;
    }
    for (int i = 0; i < 4; i++)
        if (fewer[i] < source->nb_channels && --n == 1) {
            av_channel_layout_default(out, fewer[i]);
            return 1;
        }
    return 0;
}
// Whether every channel has a share in what libswresample makes of one layout for another; the low-frequency ones
// needn't, as in every downmix (libswresample/rematrix.c, lfe_mix_level 0).
static inline int cff_mixes_whole(const AVChannelLayout *in, const AVChannelLayout *out) {
    if (!av_channel_layout_compare(in, out)) return 1;
    if (in->nb_channels > 64 || out->nb_channels > 64) return 0;
    double m[64 * 64] = {0};
    AVChannelLayout from = {0}, to = {0};
    int whole = av_channel_layout_copy(&from, in) >= 0 && av_channel_layout_copy(&to, out) >= 0
        && swr_build_matrix2(&from, &to, M_SQRT1_2, M_SQRT1_2, 0, 1, 1, m, in->nb_channels, AV_MATRIX_ENCODING_NONE, NULL) >= 0;
    for (int i = 0; whole && i < in->nb_channels; i++) {
        enum AVChannel c = av_channel_layout_channel_from_index(in, i);
        int used = c == AV_CHAN_LOW_FREQUENCY || c == AV_CHAN_LOW_FREQUENCY_2;
        for (int o = 0; !used && o < out->nb_channels; o++) used = m[o * in->nb_channels + i] != 0;
        whole = used;
    }
    av_channel_layout_uninit(&from);
    av_channel_layout_uninit(&to);
    return whole;
}
static inline int cff_fifo_write(AVAudioFifo *q, AVFrame *f) {
    return av_audio_fifo_write(q, (void **)f->extended_data, f->nb_samples);
}
static inline int cff_fifo_read(AVAudioFifo *q, AVFrame *f, int count) {
    return av_audio_fifo_read(q, (void **)f->extended_data, count);
}

static inline AVStream *_Nonnull cff_stream(const AVFormatContext *_Nonnull s, int i) { return s->streams[i]; }
static inline int cff_format_needs_file(const AVOutputFormat *f) { return !(f->flags & AVFMT_NOFILE); }

// Chapters of one file for another; the destination owns the copies.
static inline int cff_copy_chapters(AVFormatContext *to, const AVFormatContext *from) {
    if (from->nb_chapters == 0) return 0;
    AVChapter **list = (AVChapter **)av_calloc(from->nb_chapters, sizeof(AVChapter *));
    if (!list) return AVERROR(ENOMEM);
    to->chapters = list;
    for (unsigned i = 0; i < from->nb_chapters; i++) {
        AVChapter *c = (AVChapter *)av_mallocz(sizeof(AVChapter));
        if (!c) return AVERROR(ENOMEM);
        c->id = from->chapters[i]->id;
        c->time_base = from->chapters[i]->time_base;
        c->start = from->chapters[i]->start;
        c->end = from->chapters[i]->end;
        av_dict_copy(&c->metadata, from->chapters[i]->metadata, 0);
        list[i] = c;
        to->nb_chapters = i + 1;
    }
    return 0;
}

// Opening of further files by a demuxer (playlists, references): refused.
static inline int cff_refuse_open(AVFormatContext *s, AVIOContext **pb, const char *url, int flags, AVDictionary **o) {
    (void)s; (void)flags; (void)o;
    *pb = NULL;
    av_log(s, AV_LOG_ERROR, "refused to open '%s', which the file refers to\n", url);
    return AVERROR(EPERM);
}
static inline void cff_refuse_references(AVFormatContext *s) { s->io_open = cff_refuse_open; }

// Which files a demuxer may open besides its own: those in one folder and below it, and addresses on the network. The
// context's `opaque` points to it; its owner keeps it for as long as the context lives.
typedef struct cff_reach {
    // An absolute path without symbolic links and without a slash at its end; "" for no local files.
    char folder[4096];
    int network;
    int (*open)(AVFormatContext *, AVIOContext **, const char *, int, AVDictionary **);
    // The first of its files that could not be opened, and why: demuxers of playlists leave such a part out.
    char failed[256];
    int failure;
} cff_reach;

static inline int cff_is_within(const char *path, const char *folder) {
    char *real = *folder ? realpath(path, NULL) : NULL;
    if (!real) return 0;
    size_t length = strlen(folder);
    int within = strncmp(real, folder, length) == 0 && real[length] == '/';
    free(real);
    return within;
}

static inline int cff_open_within(AVFormatContext *s, AVIOContext **pb, const char *url, int flags, AVDictionary **o) {
    cff_reach *reach = (cff_reach *)s->opaque;
    const char *place = url;
    // Encrypted parts: what is decrypted is an address or a file like any other.
    if (av_strstart(place, "crypto:", &place) || av_strstart(place, "crypto+", &place)) {}
    int is_remote = av_strstart(place, "http://", NULL) || av_strstart(place, "https://", NULL);
    if (!is_remote) av_strstart(place, "file:", &place);
    int allowed = is_remote ? reach->network : cff_is_within(place, reach->folder);
    int code = AVERROR(EPERM);
    if (allowed && !(flags & AVIO_FLAG_WRITE)) code = reach->open(s, pb, url, flags, o);
    if (code < 0) {
        *pb = NULL;
        // A part that isn't there isn't outside; one that is looked for must exist to be known as inside.
        if (!is_remote && !allowed && *reach->folder && access(place, F_OK) != 0) code = AVERROR(ENOENT);
        if (!reach->failure) {
            reach->failure = code;
            av_strlcpy(reach->failed, url, sizeof reach->failed);
        }
    }
    return code;
}

// `folder` and `network` must have been filled in.
static inline void cff_confine_references(AVFormatContext *s, cff_reach *reach) {
    reach->open = s->io_open;
    s->opaque = reach;
    s->io_open = cff_open_within;
}

static inline cff_reach *cff_reach_new(const char *folder, int network) {
    cff_reach *reach = (cff_reach *)av_mallocz(sizeof(cff_reach));
    if (!reach) return NULL;
    av_strlcpy(reach->folder, folder, sizeof reach->folder);
    reach->network = network;
    return reach;
}
static inline const char *cff_reach_failed(const cff_reach *reach) { return reach->failed; }

#endif
