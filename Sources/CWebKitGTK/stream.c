#include "stream.h"

#include <stdint.h>
#include <string.h>

// WebKit sends each piece that it reads as one message to the page's process. A message above 4 KB
// travels in shared memory that is made for it alone, which costs more than a second message; its
// head needs some room too.
#define PIECE 3840u
// Pieces that are handed over in one turn of the main loop, so that a large file does not hold up
// the window.
#define PIECES_A_TURN 16u

typedef struct {
    GInputStream parent;
    GBytes *bytes;
    gsize position;
    guint handed; // Pieces of this turn.
    gboolean is_done; // Whether `count` is the result of a read that has ended.
    gssize count;
    gpointer user_data;
} OpenPatchStream;

typedef struct {
    GInputStreamClass parent;
} OpenPatchStreamClass;

GType openpatch_stream_get_type(void);

static GSource *make_source(GPollableInputStream *stream, GCancellable *cancellable) {
    GSource *ready = g_timeout_source_new(0);
    GSource *source = g_pollable_source_new_full(stream, ready, cancellable);
    g_source_set_dummy_callback(ready);
    g_source_unref(ready);
    return source;
}

static gboolean is_readable(GPollableInputStream *stream) {
    (void)stream;
    return TRUE;
}

static void init_pollable(GPollableInputStreamInterface *interface) {
    interface->is_readable = is_readable;
    interface->create_source = make_source;
}

static gpointer get_user_data(GAsyncResult *result) {
    return ((OpenPatchStream *)result)->user_data;
}

static GObject *get_source_object(GAsyncResult *result) { return g_object_ref(G_OBJECT(result)); }

// The stream is the result of its own reads, of which there is one at a time.
static void init_result(GAsyncResultIface *interface) {
    interface->get_user_data = get_user_data;
    interface->get_source_object = get_source_object;
}

G_DEFINE_TYPE_WITH_CODE(
    OpenPatchStream, openpatch_stream, G_TYPE_INPUT_STREAM,
    G_IMPLEMENT_INTERFACE(G_TYPE_POLLABLE_INPUT_STREAM, init_pollable)
        G_IMPLEMENT_INTERFACE(G_TYPE_ASYNC_RESULT, init_result))

static gssize stream_read(
    GInputStream *input, void *buffer, gsize most, GCancellable *cancellable, GError **error) {
    OpenPatchStream *stream = (OpenPatchStream *)input;
    if (g_cancellable_set_error_if_cancelled(cancellable, error)) return -1;
    gsize size;
    const uint8_t *bytes = g_bytes_get_data(stream->bytes, &size);
    gsize count = MIN(MIN(size - stream->position, most), PIECE);
    if (count > 0) memcpy(buffer, bytes + stream->position, count);
    stream->position += count;
    return (gssize)count;
}

// The bytes are there, so the callback is called at once: a turn of the main loop for each piece
// would make a page of many files wait longer than its files take.
static void stream_read_async(
    GInputStream *input, void *buffer, gsize most, int priority, GCancellable *cancellable,
    GAsyncReadyCallback callback, gpointer user_data) {
    OpenPatchStream *stream = (OpenPatchStream *)input;
    if (stream->handed == PIECES_A_TURN || g_cancellable_is_cancelled(cancellable)) {
        stream->handed = 0;
        G_INPUT_STREAM_CLASS(openpatch_stream_parent_class)
            ->read_async(input, buffer, most, priority, cancellable, callback, user_data);
        return;
    }
    stream->handed++;
    stream->count = stream_read(input, buffer, most, NULL, NULL);
    stream->is_done = TRUE;
    stream->user_data = user_data;
    callback(G_OBJECT(stream), G_ASYNC_RESULT(stream), user_data);
}

static gssize stream_read_finish(GInputStream *input, GAsyncResult *result, GError **error) {
    OpenPatchStream *stream = (OpenPatchStream *)input;
    if (stream->is_done) {
        stream->is_done = FALSE;
        return stream->count;
    }
    return G_INPUT_STREAM_CLASS(openpatch_stream_parent_class)->read_finish(input, result, error);
}

static void stream_finalize(GObject *object) {
    g_bytes_unref(((OpenPatchStream *)object)->bytes);
    G_OBJECT_CLASS(openpatch_stream_parent_class)->finalize(object);
}

static void openpatch_stream_class_init(OpenPatchStreamClass *class) {
    class->parent.read_fn = stream_read;
    class->parent.read_async = stream_read_async;
    class->parent.read_finish = stream_read_finish;
    G_OBJECT_CLASS(class)->finalize = stream_finalize;
}

static void openpatch_stream_init(OpenPatchStream *stream) { (void)stream; }

GInputStream *openpatch_stream_new(GBytes *bytes) {
    OpenPatchStream *stream = g_object_new(openpatch_stream_get_type(), NULL);
    stream->bytes = g_bytes_ref(bytes);
    return G_INPUT_STREAM(stream);
}
