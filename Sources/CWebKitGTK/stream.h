#ifndef OPENPATCH_STREAM_H
#define OPENPATCH_STREAM_H

#include <gio/gio.h>

/// A stream over `bytes` for WebKit to read the body of an answer from; the caller owns it.
GInputStream *openpatch_stream_new(GBytes *bytes);

#endif
