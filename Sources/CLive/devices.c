// Capture devices: libavdevice, loaded when asked for, and V4L2's own answers about cameras.
#include "CLive.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libavdevice/avdevice.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void *device_library;

static void *load(char *error, size_t size) {
    if (device_library) return device_library;
    char name[64];
    snprintf(name, sizeof name, "libavdevice.so.%d", LIBAVDEVICE_VERSION_MAJOR);
    device_library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (!device_library) snprintf(error, size, "%s", dlerror());
    return device_library;
}

int clive_devices_register(char *error, size_t size) {
    void *library = load(error, size);
    if (!library) return -1;
    void (*register_all)(void) = (void (*)(void))dlsym(library, "avdevice_register_all");
    if (!register_all) {
        snprintf(error, size, "%s", dlerror());
        return -1;
    }
    register_all();
    return 0;
}

static int open_camera(int number, char *path, size_t size, struct v4l2_capability *about) {
    snprintf(path, size, "/dev/video%d", number);
    int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return -1;
    memset(about, 0, sizeof *about);
    if (ioctl(fd, VIDIOC_QUERYCAP, about) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static uint32_t abilities(const struct v4l2_capability *about) {
    return about->capabilities & V4L2_CAP_DEVICE_CAPS ? about->device_caps : about->capabilities;
}

int clive_default_camera(char *path, size_t size) {
    for (int n = 0; n < 64; n++) {
        struct v4l2_capability about;
        int fd = open_camera(n, path, size, &about);
        if (fd < 0) continue;
        close(fd);
        if (abilities(&about) & V4L2_CAP_VIDEO_CAPTURE) return 0;
    }
    return -1;
}

typedef struct {
    void (*line)(void *, const char *);
    void *opaque;
} printer;

static void list_rates(int fd, uint32_t format, uint32_t width, uint32_t height, char *text, size_t size) {
    struct v4l2_frmivalenum interval = {.pixel_format = format, .width = width, .height = height};
    size_t used = strlen(text);
    for (; used + 16 < size && ioctl(fd, VIDIOC_ENUM_FRAMEINTERVALS, &interval) == 0; interval.index++) {
        if (interval.type != V4L2_FRMIVAL_TYPE_DISCRETE) {
            used += (size_t)snprintf(text + used, size - used, " any rate");
            break;
        }
        double rate = (double)interval.discrete.denominator / interval.discrete.numerator;
        used += (size_t)snprintf(text + used, size - used, " %g", rate);
    }
}

static void list_formats(int fd, const printer *out) {
    char text[512];
    struct v4l2_fmtdesc format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    for (; ioctl(fd, VIDIOC_ENUM_FMT, &format) == 0; format.index++) {
        // The highest bit marks the big-endian twin of a format; the rest are four letters.
        uint32_t letters = format.pixelformat & ~(1u << 31);
        snprintf(
            text, sizeof text, "  %.4s%s (%s)", (const char *)&letters, letters == format.pixelformat ? "" : "-BE",
            (const char *)format.description);
        out->line(out->opaque, text);
        struct v4l2_frmsizeenum sizes = {.pixel_format = format.pixelformat};
        for (; ioctl(fd, VIDIOC_ENUM_FRAMESIZES, &sizes) == 0; sizes.index++) {
            if (sizes.type != V4L2_FRMSIZE_TYPE_DISCRETE) {
                snprintf(
                    text, sizeof text, "    %ux%u to %ux%u", sizes.stepwise.min_width, sizes.stepwise.min_height,
                    sizes.stepwise.max_width, sizes.stepwise.max_height);
                out->line(out->opaque, text);
                break;
            }
            snprintf(text, sizeof text, "    %ux%u at", sizes.discrete.width, sizes.discrete.height);
            list_rates(fd, format.pixelformat, sizes.discrete.width, sizes.discrete.height, text, sizeof text);
            out->line(out->opaque, text);
        }
    }
}

static void list_sounds(const char *name, const printer *out) {
    int (*list)(const AVInputFormat *, const char *, AVDictionary *, AVDeviceInfoList **) =
        (int (*)(const AVInputFormat *, const char *, AVDictionary *, AVDeviceInfoList **))dlsym(
            device_library, "avdevice_list_input_sources");
    void (*give_back)(AVDeviceInfoList **) =
        (void (*)(AVDeviceInfoList **))dlsym(device_library, "avdevice_free_list_devices");
    if (!list || !give_back) return;
    AVDeviceInfoList *found = NULL;
    if (list(NULL, name, NULL, &found) >= 0 && found)
        for (int i = 0; i < found->nb_devices; i++) {
            char text[512];
            snprintf(
                text, sizeof text, "%s:%s (%s)", name, found->devices[i]->device_name,
                found->devices[i]->device_description);
            for (char *c = text; *c; c++)
                if (*c == '\n') *c = ' ';
            out->line(out->opaque, text);
        }
    give_back(&found);
}

void clive_devices_list(void (*line)(void *, const char *), void *opaque) {
    printer out = {line, opaque};
    char text[512], path[64];
    int count = 0;
    line(opaque, "cameras (--input)");
    for (int n = 0; n < 64; n++) {
        struct v4l2_capability about;
        int fd = open_camera(n, path, sizeof path, &about);
        if (fd < 0) continue;
        uint32_t can = abilities(&about);
        if (can & (V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_OUTPUT)) {
            snprintf(
                text, sizeof text, "%s: %s%s%s", path, (const char *)about.card,
                can & V4L2_CAP_VIDEO_CAPTURE ? "" : " (output only)",
                can & V4L2_CAP_VIDEO_OUTPUT && can & V4L2_CAP_VIDEO_CAPTURE ? " (and output)" : "");
            line(opaque, text);
            if (can & V4L2_CAP_VIDEO_CAPTURE) list_formats(fd, &out);
            count++;
        }
        close(fd);
    }
    if (!count) line(opaque, "  none");
    line(opaque, "sound (--mic)");
    char error[256];
    if (clive_devices_register(error, sizeof error) < 0) {
        snprintf(text, sizeof text, "  libavdevice can't be loaded: %s", error);
        line(opaque, text);
        return;
    }
    list_sounds("alsa", &out);
    list_sounds("pulse", &out);
}
