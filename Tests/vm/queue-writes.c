// Preloaded into `veil live` in the virtual machine: hands what is written to a V4L2 output device over by buffers.
//
// FFmpeg writes pictures to a V4L2 device with write(). vivid says that it takes them so, but Linux 6.1's videobuf2
// forgets the size of what was written, and vivid refuses a picture of 0 bytes. Its buffers, by VIDIOC_QBUF, work.
// Opening the device, its format and the pictures themselves are still the program's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/videodev2.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { buffers = 3, devices = 1024 };

static struct {
    void *place[buffers];
    size_t size;
    unsigned used;
    int is_open;
} queue[devices];

static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_close)(int);

__attribute__((constructor)) static void find(void) {
    real_write = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    real_close = (int (*)(int))dlsym(RTLD_NEXT, "close");
}

static int is_output(int fd) {
    struct stat about;
    struct v4l2_capability can;
    // 81 is the number of V4L2's devices.
    return fd >= 0 && fd < devices && fstat(fd, &about) == 0 && S_ISCHR(about.st_mode) && major(about.st_rdev) == 81 &&
        ioctl(fd, VIDIOC_QUERYCAP, &can) == 0 && can.device_caps & V4L2_CAP_VIDEO_OUTPUT;
}

static int begin(int fd) {
    struct v4l2_requestbuffers request = {
        .count = buffers, .type = V4L2_BUF_TYPE_VIDEO_OUTPUT, .memory = V4L2_MEMORY_MMAP};
    if (ioctl(fd, VIDIOC_REQBUFS, &request) < 0) return -1;
    if (request.count < buffers) return errno = ENOMEM, -1;
    for (unsigned n = 0; n < buffers; n++) {
        struct v4l2_buffer buffer = {.index = n, .type = request.type, .memory = request.memory};
        if (ioctl(fd, VIDIOC_QUERYBUF, &buffer) < 0) return -1;
        queue[fd].size = buffer.length;
        queue[fd].place[n] = mmap(NULL, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, buffer.m.offset);
        if (queue[fd].place[n] == MAP_FAILED) return -1;
    }
    queue[fd].used = 0;
    queue[fd].is_open = 1;
    return 0;
}

ssize_t write(int fd, const void *bytes, size_t size) {
    if (!is_output(fd)) return real_write(fd, bytes, size);
    if (!queue[fd].is_open && begin(fd) < 0) return -1;
    // As the kernel has it: a picture of another size than the device's is refused.
    if (size != queue[fd].size) return errno = EINVAL, -1;
    struct v4l2_buffer buffer = {
        .index = queue[fd].used, .type = V4L2_BUF_TYPE_VIDEO_OUTPUT, .memory = V4L2_MEMORY_MMAP};
    int is_running = queue[fd].used == buffers;
    if (is_running && ioctl(fd, VIDIOC_DQBUF, &buffer) < 0) return -1;
    memcpy(queue[fd].place[buffer.index], bytes, size);
    buffer.bytesused = (unsigned)size;
    buffer.field = V4L2_FIELD_NONE;
    if (ioctl(fd, VIDIOC_QBUF, &buffer) < 0) return -1;
    if (!is_running && ++queue[fd].used == buffers && ioctl(fd, VIDIOC_STREAMON, &(int){buffer.type}) < 0) return -1;
    return (ssize_t)size;
}

int close(int fd) {
    if (fd >= 0 && fd < devices && queue[fd].is_open) {
        for (unsigned n = 0; n < buffers; n++) munmap(queue[fd].place[n], queue[fd].size);
        queue[fd].is_open = 0;
    }
    return real_close(fd);
}
