// A preview window by SDL2, loaded when asked for.
#include "CLive.h"

#include <SDL2/SDL.h>
#include <stdio.h>
#include <stdlib.h>

#define EACH_CALL(X) \
    X(SDL_InitSubSystem) X(SDL_QuitSubSystem) X(SDL_GetError) X(SDL_CreateWindow) X(SDL_DestroyWindow) \
    X(SDL_CreateRenderer) X(SDL_DestroyRenderer) X(SDL_CreateTexture) X(SDL_DestroyTexture) X(SDL_UpdateYUVTexture) \
    X(SDL_RenderClear) X(SDL_RenderCopy) X(SDL_RenderPresent) X(SDL_RenderSetLogicalSize) X(SDL_PollEvent) \
    X(SDL_SetHint)

#define LIBRARY "libSDL2-2.0.so.0"
#include "library.h"

int clive_window_load(char *error, size_t size) { return load(error, size); }

struct clive_window {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    int width, height;
};

clive_window *clive_window_open(const char *title, int width, int height, char *error, size_t size) {
    if (load(error, size) < 0) return NULL;
    // Signals are the program's own business.
    p_SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    if (p_SDL_InitSubSystem(SDL_INIT_VIDEO) < 0) {
        snprintf(error, size, "%s", p_SDL_GetError());
        return NULL;
    }
    clive_window *w = calloc(1, sizeof *w);
    if (w) {
        w->window = p_SDL_CreateWindow(
            title, SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, width, height, SDL_WINDOW_RESIZABLE);
        if (w->window) w->renderer = p_SDL_CreateRenderer(w->window, -1, 0);
        if (w->window && w->renderer) return w;
    }
    snprintf(error, size, "%s", w ? p_SDL_GetError() : "out of memory");
    clive_window_close(w);
    return NULL;
}

int clive_window_show(
    clive_window *w, const uint8_t *y, int y_stride, const uint8_t *u, int u_stride, const uint8_t *v, int v_stride,
    int width, int height, char *error, size_t size) {
    if (!w->texture || w->width != width || w->height != height) {
        if (w->texture) p_SDL_DestroyTexture(w->texture);
        w->texture =
            p_SDL_CreateTexture(w->renderer, SDL_PIXELFORMAT_IYUV, SDL_TEXTUREACCESS_STREAMING, width, height);
        w->width = width;
        w->height = height;
        if (w->texture) p_SDL_RenderSetLogicalSize(w->renderer, width, height);
    }
    if (!w->texture || p_SDL_UpdateYUVTexture(w->texture, NULL, y, y_stride, u, u_stride, v, v_stride) < 0
        || p_SDL_RenderClear(w->renderer) < 0 || p_SDL_RenderCopy(w->renderer, w->texture, NULL, NULL) < 0) {
        snprintf(error, size, "%s", p_SDL_GetError());
        return -1;
    }
    p_SDL_RenderPresent(w->renderer);
    return 0;
}

int clive_window_key(clive_window *w) {
    (void)w;
    SDL_Event event;
    while (p_SDL_PollEvent(&event)) {
        if (event.type == SDL_QUIT) return 'q';
        if (event.type == SDL_WINDOWEVENT && event.window.event == SDL_WINDOWEVENT_CLOSE) return 'q';
        if (event.type != SDL_KEYDOWN) continue;
        switch (event.key.keysym.sym) {
        case SDLK_LEFT: return 1;
        case SDLK_RIGHT: return 2;
        case SDLK_UP: return 3;
        case SDLK_DOWN: return 4;
        case SDLK_KP_PLUS: return '+';
        case SDLK_EQUALS: return '+';
        case SDLK_KP_MINUS: return '-';
        case SDLK_ESCAPE: return 'q';
        default:
            if (event.key.keysym.sym > 0 && event.key.keysym.sym < 127) return (int)event.key.keysym.sym;
        }
    }
    return 0;
}

void clive_window_close(clive_window *w) {
    if (!w) return;
    if (w->texture) p_SDL_DestroyTexture(w->texture);
    if (w->renderer) p_SDL_DestroyRenderer(w->renderer);
    if (w->window) p_SDL_DestroyWindow(w->window);
    p_SDL_QuitSubSystem(SDL_INIT_VIDEO);
    free(w);
}
