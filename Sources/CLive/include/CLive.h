// What only `veil live` needs of the system, behind plain calls. The libraries (libavdevice, SDL2, libmicrohttpd) are
// loaded when they are first asked for: linked, they would cost every other verb tens of milliseconds at its start.
#ifndef VEIL_CLIVE_H
#define VEIL_CLIVE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Names the calling thread, for tools that show threads: at most 15 bytes.
void clive_name_thread(const char *name);

/// Waits for a thread's end until a moment of CLOCK_MONOTONIC, in seconds. 0, or an error number such as ETIMEDOUT.
int clive_join_thread(pthread_t thread, double deadline);

// Devices

/// Loads libavdevice and registers its devices with libavformat. 0, or -1 with the loader's words in `error`.
int clive_devices_register(char *error, size_t size);

/// Calls `line` for each line of a list of capture devices: cameras with their formats, sizes and rates, and sound
/// sources of ALSA and PulseAudio.
void clive_devices_list(void (*line)(void *opaque, const char *text), void *opaque);

/// The first /dev/videoN that captures; 0, or -1 where there is none.
int clive_default_camera(char *path, size_t size);

// Window

typedef struct clive_window clive_window;

/// Loads SDL2. 0, or -1 with the loader's words in `error`.
int clive_window_load(char *error, size_t size);
/// Opens a window for pictures of a size. Every call on it must come from the thread that opened it.
clive_window *clive_window_open(const char *title, int width, int height, char *error, size_t size);
/// Shows a planar 4:2:0 picture (BT.601 or BT.709 by `matrix`). 0, or -1 with words in `error`.
int clive_window_show(
    clive_window *window, const uint8_t *y, int y_stride, const uint8_t *u, int u_stride, const uint8_t *v,
    int v_stride, int width, int height, char *error, size_t size);
/// The next key that was pressed, as the character that it types; 'q' where the window was closed; 0 when there is none.
/// Arrow keys are 1 (left), 2 (right), 3 (up), 4 (down).
int clive_window_key(clive_window *window);
void clive_window_close(clive_window *window);

// HTTP

typedef struct clive_http clive_http;

/// Loads libmicrohttpd. 0, or -1 with the loader's words in `error`.
int clive_http_load(char *error, size_t size);
/// Serves a page with the picture at /, and the picture alone as a stream of JPEGs at /stream.mjpeg.
clive_http *clive_http_start(const char *address, uint16_t port, char *error, size_t size);
/// How many are watching now: without any, no JPEG needs to be made.
int clive_http_watchers(clive_http *server);
/// Hands over the next JPEG; it is copied.
void clive_http_publish(clive_http *server, const void *jpeg, size_t size);
/// The port that it listens at.
int clive_http_port(clive_http *server);
void clive_http_stop(clive_http *server);

#ifdef __cplusplus
}
#endif
#endif
