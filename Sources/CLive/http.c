// JPEGs over HTTP for a browser by libmicrohttpd, loaded when asked for.
#include "CLive.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EACH_CALL(X) \
    X(MHD_start_daemon) X(MHD_stop_daemon) X(MHD_get_daemon_info) X(MHD_create_response_from_buffer) \
    X(MHD_create_response_from_callback) X(MHD_lookup_connection_value) X(MHD_add_response_header) X(MHD_queue_response) X(MHD_destroy_response)

#define LIBRARY "libmicrohttpd.so.12"
#include "library.h"

int clive_http_load(char *error, size_t size) { return load(error, size); }

static const char page[] =
    "<!doctype html><meta charset=utf-8><title>veil live</title>"
    "<style>html,body{margin:0;height:100%;background:#111}img{display:block;width:100%;height:100%;object-fit:contain}</style>"
    "<img src=/stream.mjpeg alt=\"live picture\">\n";
static const char boundary[] = "--veilframe\r\nContent-Type: image/jpeg\r\nContent-Length: ";

/// A picture that watchers share.
typedef struct {
    size_t size;
    int holders;
    unsigned char bytes[];
} picture;

struct clive_http {
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    picture *newest;
    uint64_t number;
    int watchers;
    int stopping;
    int port;
    int isLoopback;
};

/// One who watches: what of which picture was sent.
typedef struct {
    clive_http *server;
    picture *part;
    uint64_t number;
    size_t sent;
} watcher;

static void let_go(picture *p) {
    if (p && --p->holders == 0) free(p);
}

/// Bytes for a watcher; waits for the next picture where the last was sent whole. A watcher that is slow misses pictures.
static ssize_t give(void *opaque, uint64_t position, char *buffer, size_t room) {
    (void)position;
    watcher *w = opaque;
    clive_http *s = w->server;
    pthread_mutex_lock(&s->lock);
    if (w->part && w->sent == w->part->size) {
        let_go(w->part);
        w->part = NULL;
    }
    if (!w->part) {
        struct timespec end;
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_sec += 2;
        while (!s->stopping && (!s->newest || s->number == w->number))
            if (pthread_cond_timedwait(&s->changed, &s->lock, &end)) break;
        if (s->stopping) {
            pthread_mutex_unlock(&s->lock);
            return MHD_CONTENT_READER_END_OF_STREAM;
        }
        if (!s->newest || s->number == w->number) {
            pthread_mutex_unlock(&s->lock);
            return 0;
        }
        w->part = s->newest;
        w->part->holders++;
        w->number = s->number;
        w->sent = 0;
    }
    size_t count = w->part->size - w->sent;
    if (count > room) count = room;
    memcpy(buffer, w->part->bytes + w->sent, count);
    w->sent += count;
    pthread_mutex_unlock(&s->lock);
    return (ssize_t)count;
}

static void leave(void *opaque) {
    watcher *w = opaque;
    pthread_mutex_lock(&w->server->lock);
    let_go(w->part);
    w->server->watchers--;
    pthread_mutex_unlock(&w->server->lock);
    free(w);
}

static enum MHD_Result answer(
    void *opaque, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *upload, size_t *upload_size, void **state) {
    (void)version; (void)upload; (void)upload_size;
    clive_http *s = opaque;
    static int seen;
    if (!*state) {
        *state = &seen;
        return MHD_YES;
    }
    // A page of somewhere else whose name was made to lead here has that name in its requests: numbers are ours.
    const char *host = p_MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    size_t numbers = host ? strspn(host, *host == '[' ? "[]0123456789abcdefABCDEF:." : "0123456789.:") : 0;
    int isOurs = !s->isLoopback || !host || !host[numbers]
        || (!strncmp(host, "localhost", 9) && (!host[9] || host[9] == ':'));
    int isGet = isOurs && !strcmp(method, "GET");
    struct MHD_Response *response;
    unsigned status = MHD_HTTP_OK;
    if (isGet && !strcmp(url, "/stream.mjpeg")) {
        watcher *w = calloc(1, sizeof *w);
        if (!w) return MHD_NO;
        w->server = s;
        pthread_mutex_lock(&s->lock);
        s->watchers++;
        pthread_mutex_unlock(&s->lock);
        response = p_MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1 << 16, give, w, leave);
        if (!response) {
            leave(w);
            return MHD_NO;
        }
        p_MHD_add_response_header(response, "Content-Type", "multipart/x-mixed-replace; boundary=veilframe");
    } else if (isGet && !strcmp(url, "/")) {
        response = p_MHD_create_response_from_buffer(sizeof page - 1, (void *)page, MHD_RESPMEM_PERSISTENT);
        if (response) p_MHD_add_response_header(response, "Content-Type", "text/html; charset=utf-8");
    } else {
        static const char nothing[] = "nothing here\n";
        status = isGet ? MHD_HTTP_NOT_FOUND : MHD_HTTP_METHOD_NOT_ALLOWED;
        response = p_MHD_create_response_from_buffer(sizeof nothing - 1, (void *)nothing, MHD_RESPMEM_PERSISTENT);
    }
    if (!response) return MHD_NO;
    // Another site's page must not be able to read the picture, nor a cache keep it.
    p_MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    p_MHD_add_response_header(response, "Cache-Control", "no-store");
    enum MHD_Result result = p_MHD_queue_response(connection, status, response);
    p_MHD_destroy_response(response);
    return result;
}

clive_http *clive_http_start(const char *address, uint16_t port, char *error, size_t size) {
    if (load(error, size) < 0) return NULL;
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    int is6 = inet_pton(AF_INET6, address, &v6.sin6_addr) == 1;
    if (!is6 && inet_pton(AF_INET, address, &v4.sin_addr) != 1) {
        snprintf(error, size, "'%s' is no address", address);
        return NULL;
    }
    clive_http *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(error, size, "out of memory");
        return NULL;
    }
    s->isLoopback = is6 ? !memcmp(&v6.sin6_addr, &in6addr_loopback, 16) : (ntohl(v4.sin_addr.s_addr) >> 24) == 127;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | (is6 ? MHD_USE_IPv6 : 0);
    s->daemon = p_MHD_start_daemon(
        flags, port, NULL, NULL, answer, s, MHD_OPTION_SOCK_ADDR, is6 ? (void *)&v6 : (void *)&v4,
        MHD_OPTION_CONNECTION_LIMIT, 16u, MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_END);
    if (!s->daemon) {
        snprintf(error, size, "port %u of %s can't be listened at", port, address);
        clive_http_stop(s);
        return NULL;
    }
    const union MHD_DaemonInfo *info = p_MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
    s->port = info ? info->port : port;
    return s;
}

int clive_http_watchers(clive_http *s) {
    pthread_mutex_lock(&s->lock);
    int count = s->watchers;
    pthread_mutex_unlock(&s->lock);
    return count;
}

void clive_http_publish(clive_http *s, const void *jpeg, size_t size) {
    char head[sizeof boundary + 32];
    int length = snprintf(head, sizeof head, "%s%zu\r\n\r\n", boundary, size);
    picture *p = malloc(sizeof *p + (size_t)length + size + 2);
    if (!p) return;
    p->size = (size_t)length + size + 2;
    p->holders = 1;
    memcpy(p->bytes, head, (size_t)length);
    memcpy(p->bytes + length, jpeg, size);
    memcpy(p->bytes + (size_t)length + size, "\r\n", 2);
    pthread_mutex_lock(&s->lock);
    let_go(s->newest);
    s->newest = p;
    s->number++;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

int clive_http_port(clive_http *s) { return s->port; }

void clive_http_stop(clive_http *s) {
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    s->stopping = 1;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (s->daemon) p_MHD_stop_daemon(s->daemon);
    let_go(s->newest);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
