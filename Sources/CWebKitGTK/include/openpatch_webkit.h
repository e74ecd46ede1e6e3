// The little of WebKitGTK that a web view with bundles needs, as plain C. All functions are to be
// called on the thread that runs the main loop, but openpatch_on_main.
#ifndef OPENPATCH_WEBKIT_H
#define OPENPATCH_WEBKIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct openpatch_view openpatch_view;
// A request of a scheme; answered exactly once, which frees it.
typedef struct openpatch_request openpatch_request;
// The reply to a message; sent exactly once, which frees it.
typedef struct openpatch_reply openpatch_reply;

typedef void (*openpatch_text_fn)(void *context, const char *text, const char *error);

typedef struct {
    void *context;
    void (*request)(void *context, openpatch_request *request);
    // `json` is {"url": …, "message": …}, written by the relay script.
    void (*message)(void *context, const char *json, openpatch_reply *reply);
    // Another page took the place of the one before in the main frame.
    void (*committed)(void *context, const char *uri);
    // The main frame finished loading; `failure` is NULL when it succeeded.
    void (*loaded)(void *context, const char *uri, const char *failure);
} openpatch_callbacks;

// False when there is no display.
bool openpatch_webkit_init(void);
void openpatch_run(void);
void openpatch_quit(void);
// Runs `function` on the main loop; may be called from any thread.
void openpatch_on_main(void (*function)(void *), void *context);
void openpatch_after(unsigned milliseconds, void (*function)(void *), void *context);

// `page_script` runs in the page's own world, `relay_script` in a world that pages cannot reach;
// both in main frames only, before the page's scripts.
openpatch_view *openpatch_view_new(
    const char *const *schemes, size_t count, const char *handler, const char *page_script,
    const char *relay_script, openpatch_callbacks callbacks);
void openpatch_view_free(openpatch_view *view);
// The GtkWidget.
void *openpatch_view_widget(openpatch_view *view);
// Puts the view into a window of its own and shows it.
void openpatch_view_show(openpatch_view *view, const char *title, int width, int height);
void openpatch_view_load(openpatch_view *view, const char *uri);
// The address of the page; NULL when there is none.
const char *openpatch_view_uri(openpatch_view *view);
void openpatch_view_reload(openpatch_view *view);
// The result is JSON text, NULL for what has none. With `apart` the script runs in the world of the
// relay, where it sees the page but not the page's own variables.
void openpatch_view_evaluate(
    openpatch_view *view, const char *script, bool apart, openpatch_text_fn done, void *context);
// Writes what is visible as PNG.
void openpatch_view_snapshot(
    openpatch_view *view, const char *path, openpatch_text_fn done, void *context);

const char *openpatch_request_method(openpatch_request *request);
const char *openpatch_request_uri(openpatch_request *request);
size_t openpatch_request_header_count(openpatch_request *request);
const char *openpatch_request_header_name(openpatch_request *request, size_t index);
const char *openpatch_request_header_value(openpatch_request *request, size_t index);
const uint8_t *openpatch_request_body(openpatch_request *request, size_t *size);
void openpatch_request_answer(
    openpatch_request *request, int status, const char *const *names, const char *const *values,
    size_t count, const uint8_t *body, size_t size);

// `json` is the result; with `error` the promise is rejected with that text.
void openpatch_reply_send(openpatch_reply *reply, const char *json, const char *error);

#endif
