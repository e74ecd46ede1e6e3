#include "openpatch_webkit.h"
#include "stream.h"

#include <string.h>
#include <webkit/webkit.h>

// Bodies of requests above this are not read; only development proxies look at them.
#define MOST_REQUEST_BODY (16u << 20)
static const char *const RELAY_WORLD = "openpatch";

// What the schemes of a view know of it. WebKit keeps it for as long as a request may come, which can
// be longer than the view lives.
struct responder {
    openpatch_view *view;
};

struct openpatch_view {
    WebKitWebView *web;
    WebKitWebContext *web_context;
    WebKitNetworkSession *session;
    WebKitUserContentManager *content;
    struct responder *responder;
    GtkWindow *window;
    char *failure;
    openpatch_callbacks callbacks;
};

struct openpatch_request {
    WebKitURISchemeRequest *scheme_request;
    GPtrArray *headers; // name, value, name, value, …
    GBytes *body;
};

struct openpatch_reply {
    WebKitScriptMessageReply *reply;
    JSCContext *context;
};

static GMainLoop *loop;

bool openpatch_webkit_init(void) { return gtk_init_check(); }

void openpatch_run(void) {
    if (!loop) loop = g_main_loop_new(NULL, FALSE);
    g_main_loop_run(loop);
}

void openpatch_quit(void) {
    if (loop) g_main_loop_quit(loop);
}

struct call {
    void (*function)(void *);
    void *context;
};

static gboolean run_call(gpointer data) {
    struct call *call = data;
    call->function(call->context);
    return G_SOURCE_REMOVE;
}

static struct call *new_call(void (*function)(void *), void *context) {
    struct call *call = g_new0(struct call, 1);
    call->function = function;
    call->context = context;
    return call;
}

void openpatch_on_main(void (*function)(void *), void *context) {
    g_idle_add_full(G_PRIORITY_DEFAULT, run_call, new_call(function, context), g_free);
}

void openpatch_after(unsigned milliseconds, void (*function)(void *), void *context) {
    g_timeout_add_full(
        G_PRIORITY_DEFAULT, milliseconds, run_call, new_call(function, context), g_free);
}

// Requests

static void add_header(const char *name, const char *value, gpointer list) {
    g_ptr_array_add(list, g_strdup(name));
    g_ptr_array_add(list, g_strdup(value));
}

static GBytes *read_body(WebKitURISchemeRequest *request) {
    GInputStream *stream = webkit_uri_scheme_request_get_http_body(request);
    if (!stream) return NULL;
    GByteArray *bytes = g_byte_array_new();
    uint8_t piece[16384];
    gssize count;
    while (bytes->len < MOST_REQUEST_BODY
           && (count = g_input_stream_read(stream, piece, sizeof piece, NULL, NULL)) > 0) {
        g_byte_array_append(bytes, piece, (guint)count);
    }
    g_object_unref(stream);
    return g_byte_array_free_to_bytes(bytes);
}

static void on_request(WebKitURISchemeRequest *scheme_request, gpointer data) {
    openpatch_view *view = ((struct responder *)data)->view;
    if (!view) {
        GError *error = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_CLOSED, "The view was closed.");
        webkit_uri_scheme_request_finish_error(scheme_request, error);
        g_error_free(error);
        return;
    }
    openpatch_request *request = g_new0(openpatch_request, 1);
    request->scheme_request = g_object_ref(scheme_request);
    request->headers = g_ptr_array_new_with_free_func(g_free);
    SoupMessageHeaders *headers = webkit_uri_scheme_request_get_http_headers(scheme_request);
    if (headers) soup_message_headers_foreach(headers, add_header, request->headers);
    request->body = read_body(scheme_request);
    view->callbacks.request(view->callbacks.context, request);
}

const char *openpatch_request_method(openpatch_request *request) {
    const char *method = webkit_uri_scheme_request_get_http_method(request->scheme_request);
    return method ? method : "GET";
}

const char *openpatch_request_uri(openpatch_request *request) {
    return webkit_uri_scheme_request_get_uri(request->scheme_request);
}

size_t openpatch_request_header_count(openpatch_request *request) {
    return request->headers->len / 2;
}

const char *openpatch_request_header_name(openpatch_request *request, size_t index) {
    return g_ptr_array_index(request->headers, 2 * index);
}

const char *openpatch_request_header_value(openpatch_request *request, size_t index) {
    return g_ptr_array_index(request->headers, 2 * index + 1);
}

const uint8_t *openpatch_request_body(openpatch_request *request, size_t *size) {
    *size = 0;
    return request->body ? g_bytes_get_data(request->body, size) : NULL;
}

void openpatch_request_answer(
    openpatch_request *request, int status, const char *const *names, const char *const *values,
    size_t count, const uint8_t *body, size_t size) {
    GBytes *bytes = g_bytes_new(body, size);
    GInputStream *stream = openpatch_stream_new(bytes);
    WebKitURISchemeResponse *response = webkit_uri_scheme_response_new(stream, (gint64)size);
    webkit_uri_scheme_response_set_status(response, (guint)status, NULL);
    SoupMessageHeaders *headers = soup_message_headers_new(SOUP_MESSAGE_HEADERS_RESPONSE);
    for (size_t index = 0; index < count; index++) {
        soup_message_headers_append(headers, names[index], values[index]);
        if (g_ascii_strcasecmp(names[index], "content-type") == 0) {
            webkit_uri_scheme_response_set_content_type(response, values[index]);
        }
    }
    // Takes the headers over.
    webkit_uri_scheme_response_set_http_headers(response, headers);
    webkit_uri_scheme_request_finish_with_response(request->scheme_request, response);
    g_object_unref(response);
    g_object_unref(stream);
    g_bytes_unref(bytes);
    g_object_unref(request->scheme_request);
    g_ptr_array_unref(request->headers);
    if (request->body) g_bytes_unref(request->body);
    g_free(request);
}

// Messages

static gboolean on_message(
    WebKitUserContentManager *manager, JSCValue *value, WebKitScriptMessageReply *script_reply,
    gpointer data) {
    (void)manager;
    openpatch_view *view = data;
    openpatch_reply *reply = g_new0(openpatch_reply, 1);
    reply->reply = webkit_script_message_reply_ref(script_reply);
    reply->context = g_object_ref(jsc_value_get_context(value));
    char *text = jsc_value_to_string(value);
    view->callbacks.message(view->callbacks.context, text ? text : "", reply);
    g_free(text);
    return TRUE;
}

void openpatch_reply_send(openpatch_reply *reply, const char *json, const char *error) {
    if (error) {
        webkit_script_message_reply_return_error_message(reply->reply, error);
    } else {
        JSCValue *value = jsc_value_new_string(reply->context, json ? json : "null");
        webkit_script_message_reply_return_value(reply->reply, value);
        g_object_unref(value);
    }
    webkit_script_message_reply_unref(reply->reply);
    g_object_unref(reply->context);
    g_free(reply);
}

// The view

static void on_load(WebKitWebView *web, WebKitLoadEvent event, gpointer data) {
    openpatch_view *view = data;
    if (event == WEBKIT_LOAD_STARTED) g_clear_pointer(&view->failure, g_free);
    if (event == WEBKIT_LOAD_COMMITTED) {
        view->callbacks.committed(view->callbacks.context, webkit_web_view_get_uri(web));
    }
    if (event != WEBKIT_LOAD_FINISHED) return;
    view->callbacks.loaded(
        view->callbacks.context, webkit_web_view_get_uri(web), view->failure);
}

static gboolean on_failure(
    WebKitWebView *web, WebKitLoadEvent event, const char *uri, GError *error, gpointer data) {
    (void)web;
    (void)event;
    (void)uri;
    openpatch_view *view = data;
    // Another load took its place; that is no failure of the page.
    if (g_error_matches(error, WEBKIT_NETWORK_ERROR, WEBKIT_NETWORK_ERROR_CANCELLED)) return FALSE;
    g_free(view->failure);
    view->failure = g_strdup(error->message);
    return FALSE;
}

static void on_crash(WebKitWebView *web, WebKitWebProcessTerminationReason reason, gpointer data) {
    openpatch_view *view = data;
    if (reason == WEBKIT_WEB_PROCESS_TERMINATED_BY_API) return;
    const char *uri = webkit_web_view_get_uri(web);
    view->callbacks.loaded(view->callbacks.context, uri ? uri : "", "the web process ended");
}

openpatch_view *openpatch_view_new(
    const char *const *schemes, size_t count, const char *handler, const char *page_script,
    const char *relay_script, openpatch_callbacks callbacks) {
    openpatch_view *view = g_new0(openpatch_view, 1);
    view->callbacks = callbacks;
    view->responder = g_rc_box_new0(struct responder);
    view->responder->view = view;
    view->web_context = webkit_web_context_new();
    view->session = webkit_network_session_new_ephemeral();
    view->content = webkit_user_content_manager_new();
    WebKitSecurityManager *security = webkit_web_context_get_security_manager(view->web_context);
    for (size_t index = 0; index < count; index++) {
        webkit_web_context_register_uri_scheme(
            view->web_context, schemes[index], on_request, g_rc_box_acquire(view->responder),
            g_rc_box_release);
        // Secure contexts have crypto.subtle, workers and the like; CORS makes fetch possible.
        webkit_security_manager_register_uri_scheme_as_secure(security, schemes[index]);
        webkit_security_manager_register_uri_scheme_as_cors_enabled(security, schemes[index]);
    }
    webkit_user_content_manager_register_script_message_handler_with_reply(
        view->content, handler, RELAY_WORLD);
    char *signal = g_strconcat("script-message-with-reply-received::", handler, NULL);
    g_signal_connect(view->content, signal, G_CALLBACK(on_message), view);
    g_free(signal);
    WebKitUserScript *relay = webkit_user_script_new_for_world(
        relay_script, WEBKIT_USER_CONTENT_INJECT_TOP_FRAME,
        WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, RELAY_WORLD, NULL, NULL);
    WebKitUserScript *page = webkit_user_script_new(
        page_script, WEBKIT_USER_CONTENT_INJECT_TOP_FRAME,
        WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, NULL, NULL);
    webkit_user_content_manager_add_script(view->content, relay);
    webkit_user_content_manager_add_script(view->content, page);
    webkit_user_script_unref(relay);
    webkit_user_script_unref(page);
    view->web = g_object_new(
        WEBKIT_TYPE_WEB_VIEW, "web-context", view->web_context, "network-session", view->session,
        "user-content-manager", view->content, NULL);
    g_object_ref_sink(view->web);
    g_signal_connect(view->web, "load-changed", G_CALLBACK(on_load), view);
    g_signal_connect(view->web, "load-failed", G_CALLBACK(on_failure), view);
    g_signal_connect(view->web, "web-process-terminated", G_CALLBACK(on_crash), view);
    return view;
}

void openpatch_view_free(openpatch_view *view) {
    g_signal_handlers_disconnect_by_data(view->content, view);
    g_signal_handlers_disconnect_by_data(view->web, view);
    if (view->window) {
        // Only the user's closing of the window ends the main loop.
        g_signal_handlers_disconnect_by_data(view->window, view);
        gtk_window_destroy(view->window);
    }
    g_object_unref(view->web);
    g_object_unref(view->content);
    g_object_unref(view->session);
    g_object_unref(view->web_context);
    view->responder->view = NULL;
    g_rc_box_release(view->responder);
    g_free(view->failure);
    g_free(view);
}

void *openpatch_view_widget(openpatch_view *view) { return view->web; }

static void on_window_closed(GtkWidget *widget, gpointer data) {
    (void)widget;
    openpatch_view *view = data;
    view->window = NULL;
    openpatch_quit();
}

void openpatch_view_show(openpatch_view *view, const char *title, int width, int height) {
    view->window = GTK_WINDOW(gtk_window_new());
    gtk_window_set_title(view->window, title);
    gtk_window_set_default_size(view->window, width, height);
    gtk_window_set_child(view->window, GTK_WIDGET(view->web));
    g_signal_connect(view->window, "destroy", G_CALLBACK(on_window_closed), view);
    gtk_window_present(view->window);
}

void openpatch_view_load(openpatch_view *view, const char *uri) {
    webkit_web_view_load_uri(view->web, uri);
}

const char *openpatch_view_uri(openpatch_view *view) { return webkit_web_view_get_uri(view->web); }

void openpatch_view_reload(openpatch_view *view) { webkit_web_view_reload(view->web); }

struct waiting {
    openpatch_text_fn done;
    void *context;
    char *path;
};

static struct waiting *new_waiting(openpatch_text_fn done, void *context, const char *path) {
    struct waiting *waiting = g_new0(struct waiting, 1);
    waiting->done = done;
    waiting->context = context;
    waiting->path = g_strdup(path);
    return waiting;
}

static void free_waiting(struct waiting *waiting) {
    g_free(waiting->path);
    g_free(waiting);
}

static void on_evaluated(GObject *source, GAsyncResult *result, gpointer data) {
    struct waiting *waiting = data;
    GError *error = NULL;
    JSCValue *value =
        webkit_web_view_evaluate_javascript_finish(WEBKIT_WEB_VIEW(source), result, &error);
    if (value) {
        char *json = jsc_value_to_json(value, 0);
        waiting->done(waiting->context, json, NULL);
        g_free(json);
        g_object_unref(value);
    } else {
        waiting->done(waiting->context, NULL, error ? error->message : "no result");
        g_clear_error(&error);
    }
    free_waiting(waiting);
}

void openpatch_view_evaluate(
    openpatch_view *view, const char *script, bool apart, openpatch_text_fn done, void *context) {
    webkit_web_view_evaluate_javascript(
        view->web, script, -1, apart ? RELAY_WORLD : NULL, NULL, NULL, on_evaluated,
        new_waiting(done, context, NULL));
}

static void on_snapshot(GObject *source, GAsyncResult *result, gpointer data) {
    struct waiting *waiting = data;
    GError *error = NULL;
    GdkTexture *texture =
        webkit_web_view_get_snapshot_finish(WEBKIT_WEB_VIEW(source), result, &error);
    if (texture && gdk_texture_save_to_png(texture, waiting->path)) {
        waiting->done(waiting->context, waiting->path, NULL);
    } else {
        waiting->done(
            waiting->context, NULL, error ? error->message : "the file cannot be written");
    }
    if (texture) g_object_unref(texture);
    g_clear_error(&error);
    free_waiting(waiting);
}

void openpatch_view_snapshot(
    openpatch_view *view, const char *path, openpatch_text_fn done, void *context) {
    webkit_web_view_get_snapshot(
        view->web, WEBKIT_SNAPSHOT_REGION_VISIBLE, WEBKIT_SNAPSHOT_OPTIONS_NONE, NULL, on_snapshot,
        new_waiting(done, context, path));
}
