// The guest's heap: a segregated good-fit allocator with boundary tags.
//
// Every chunk starts with an 8-byte header, so payloads are 16-byte aligned and the smallest
// chunk has 16 bytes. Sizes and links are 32-bit offsets on both targets, because a guest's
// memory stays below 4 GiB (pointers cross the boundary as i32). Free chunks are coalesced with
// both neighbours at once and kept in bins; a bitmap finds the next non-empty bin, so malloc and
// free take constant time whatever the heap looks like: a patch has a time limit.
//
// Swift gives most objects back soon and asks for the same size again. Small chunks therefore wait
// in lists of their own, unjoined, and are taken from there at once; all of them are joined before
// the heap grows, so that waiting never costs memory.
//
// Exhaustion traps. Swift does not look at the result of an allocation, and address 0 is valid
// memory in wasm: writing through a null pointer would destroy the stack silently.
#include "guest.h"

#define PAGE 65536u
#define IN_USE 1u
#define WAITING 2u // in use for its neighbours, and in a quick list
#define HEADER 8u
#define SMALL_BINS 16u  // one for each multiple of 16 below 256
#define SUBDIVISIONS 8u // of each power of two from 256 up
#define BINS (SMALL_BINS + 24u * SUBDIVISIONS)

typedef struct {
    uint32_t previous; // size of the chunk physically before this one; 0 for the first
    uint32_t size;     // of this chunk with its header; bit 0: in use, bit 1: waiting
    uint32_t next;     // of a free chunk: its neighbours in the bin, as addresses
    uint32_t back;
} Chunk;

extern char __heap_base;

static uint32_t bins[BINS];
static uint32_t occupied[(BINS + 31) / 32];
static uint32_t quick[SMALL_BINS]; // chunks that wait, by size
static uint32_t heap_start;
static uint32_t heap_end; // address of the closing sentinel; 0 before the first allocation

static Chunk *at(uint32_t address) { return (Chunk *)(uintptr_t)address; }
static uint32_t address_of(const Chunk *chunk) { return (uint32_t)(uintptr_t)chunk; }
static uint32_t size_of(const Chunk *chunk) { return chunk->size & ~15u; }
static Chunk *after(Chunk *chunk) { return at(address_of(chunk) + size_of(chunk)); }

// The bin whose chunks have at least `size` bytes lower bound <= size.
static uint32_t bin_of(uint32_t size) {
    if (size < 256) return size / 16;
    uint32_t power = 31u - (uint32_t)__builtin_clz(size);
    return SMALL_BINS + (power - 8) * SUBDIVISIONS + ((size >> (power - 3)) & 7);
}

static void insert(Chunk *chunk) {
    uint32_t bin = bin_of(chunk->size);
    uint32_t first = bins[bin];
    chunk->next = first;
    chunk->back = 0;
    if (first) at(first)->back = address_of(chunk);
    bins[bin] = address_of(chunk);
    occupied[bin / 32] |= 1u << (bin % 32);
}

static void take_out(Chunk *chunk) {
    if (chunk->next) at(chunk->next)->back = chunk->back;
    if (chunk->back) {
        at(chunk->back)->next = chunk->next;
        return;
    }
    uint32_t bin = bin_of(chunk->size);
    bins[bin] = chunk->next;
    if (!chunk->next) occupied[bin / 32] &= ~(1u << (bin % 32));
}

// Marks `chunk` free, joins it with free neighbours and puts it into a bin.
static void release(Chunk *chunk) {
    uint32_t size = size_of(chunk);
    Chunk *following = after(chunk);
    if (!(following->size & IN_USE)) {
        take_out(following);
        size += following->size;
    }
    if (chunk->previous) {
        Chunk *before = at(address_of(chunk) - chunk->previous);
        if (!(before->size & IN_USE)) {
            take_out(before);
            size += before->size;
            chunk = before;
        }
    }
    chunk->size = size;
    after(chunk)->previous = size;
    insert(chunk);
}

// Cuts an in-use chunk down to `size` and gives the rest back.
static void trim(Chunk *chunk, uint32_t size) {
    uint32_t rest = size_of(chunk) - size;
    if (rest < 16) return;
    chunk->size = size | IN_USE;
    Chunk *tail = after(chunk);
    tail->previous = size;
    tail->size = rest | IN_USE;
    after(tail)->previous = rest;
    release(tail);
}

static void close_heap(uint32_t end, uint32_t previous) {
    heap_end = end - HEADER;
    at(heap_end)->previous = previous;
    at(heap_end)->size = IN_USE; // a sentinel of size 0 that is never freed
}

// Asks the engine for memory so that a chunk of `size` bytes exists.
static bool grow(uint32_t size) {
    if (!heap_end) {
        // What the linker left between the data and the end of the last page.
        uint64_t end = (uint64_t)__builtin_wasm_memory_size(0) * PAGE;
        uint32_t start = ((uint32_t)(uintptr_t)&__heap_base + HEADER + 15u) & ~15u;
        heap_start = start - HEADER;
        if (heap_start + 64u > end) {
            if (__builtin_wasm_memory_grow(0, 1) == (size_t)-1) return false;
            end += PAGE;
        }
        if (end > 0xffff0000u) return false;
        Chunk *first = at(heap_start);
        uint32_t whole = ((uint32_t)end - HEADER - heap_start) & ~15u;
        first->previous = 0;
        first->size = whole | IN_USE;
        close_heap(heap_start + whole + HEADER, whole);
        release(first);
        if (whole >= size) return true;
    }
    // A quarter of the heap at a time keeps the number of grows logarithmic.
    uint32_t wanted = size + HEADER + 16u;
    uint32_t quarter = (heap_end - heap_start) / 4;
    uint64_t old_end = (uint64_t)__builtin_wasm_memory_size(0) * PAGE;
    uint32_t pages = 0;
    for (int attempt = 0; attempt < 2; attempt++) {
        uint32_t bytes = attempt == 0 && quarter > wanted ? quarter : wanted;
        pages = bytes / PAGE + 1;
        if (old_end + (uint64_t)pages * PAGE > 0xffff0000u) continue;
        if (__builtin_wasm_memory_grow(0, pages) != (size_t)-1) break;
        pages = 0;
    }
    if (!pages) return false;
    uint32_t new_end = (uint32_t)old_end + pages * PAGE;
    uint32_t start = heap_end;
    uint32_t previous = at(heap_end)->previous;
    if (old_end - heap_end >= HEADER + 16u) {
        // Somebody else grew the memory in between: leave their pages alone. The old sentinel
        // stays; the new region starts a chain of its own.
        start = (uint32_t)old_end + 8u;
        previous = 0;
    }
    uint32_t whole = (new_end - HEADER - start) & ~15u;
    Chunk *chunk = at(start);
    chunk->previous = previous;
    chunk->size = whole | IN_USE;
    close_heap(start + whole + HEADER, whole);
    release(chunk);
    return true;
}

// Joins all that wait. Says whether there was any.
static bool settle(void) {
    bool any = false;
    for (uint32_t bin = 0; bin < SMALL_BINS; bin++) {
        uint32_t next = quick[bin];
        quick[bin] = 0;
        while (next) {
            Chunk *chunk = at(next);
            next = chunk->next;
            release(chunk);
            any = true;
        }
    }
    return any;
}

static void *find(size_t wanted) {
    if (wanted > 0x7fffff00u) return NULL;
    uint32_t size = ((uint32_t)wanted + HEADER + 15u) & ~15u;
    // Round up to a bin's lower bound: then any chunk of that bin fits.
    uint32_t bin = bin_of(size);
    if (size >= 256) {
        uint32_t step = 1u << (31 - __builtin_clz(size) - 3);
        bin = bin_of(size + step - 1);
    }
    for (int attempt = 0; attempt < 3; attempt++) {
        uint32_t word = bin / 32;
        uint32_t bits = occupied[word] & (~0u << (bin % 32));
        while (!bits && ++word < sizeof(occupied) / sizeof(*occupied)) bits = occupied[word];
        if (bits) {
            Chunk *chunk = at(bins[word * 32 + (uint32_t)__builtin_ctz(bits)]);
            take_out(chunk);
            chunk->size |= IN_USE;
            trim(chunk, size);
            return (char *)chunk + HEADER;
        }
        if (attempt == 0 && settle()) continue;
        // An eighth more, so that the new chunk reaches the bin that is searched.
        if (attempt == 2 || !grow(size + size / 8)) break;
        attempt = 1;
    }
    return NULL;
}

// A chunk that waits, for the sizes that do.
static inline void *waiting(size_t wanted) {
    if (wanted > 16u * SMALL_BINS - 16u - HEADER) return NULL;
    uint32_t bin = ((uint32_t)wanted + HEADER + 15u) / 16;
    if (!quick[bin]) return NULL;
    Chunk *chunk = at(quick[bin]);
    quick[bin] = chunk->next;
    chunk->size -= WAITING;
    return (char *)chunk + HEADER;
}

void *op_try_malloc(size_t wanted) {
    void *pointer = waiting(wanted);
    return pointer ? pointer : find(wanted);
}

void *malloc(size_t size) {
    void *pointer = op_try_malloc(size);
    if (!pointer) __builtin_trap();
    return pointer;
}

// The chunk that `pointer` was given for; traps for anything but a live allocation, as far as
// the header tells.
static Chunk *chunk_of(void *pointer) {
    uintptr_t address = (uintptr_t)pointer;
    if (address & 15 || address < heap_start + HEADER || address >= heap_end) __builtin_trap();
    Chunk *chunk = at((uint32_t)address - HEADER);
    if ((chunk->size & 15u) != IN_USE || after(chunk)->previous != size_of(chunk))
        __builtin_trap();
    return chunk;
}

void free(void *pointer) {
    if (!pointer) return;
    Chunk *chunk = chunk_of(pointer);
    uint32_t bin = chunk->size / 16;
    if (bin >= SMALL_BINS) return release(chunk);
    chunk->next = quick[bin];
    chunk->size |= WAITING;
    quick[bin] = address_of(chunk);
}

void *aligned_alloc(size_t alignment, size_t size) {
    if (alignment <= 16) return malloc(size);
    if (alignment & (alignment - 1) || alignment > 0x10000000u || size > 0x7fffff00u - alignment)
        __builtin_trap();
    char *payload = malloc(size + alignment);
    uintptr_t aligned = ((uintptr_t)payload + alignment - 1) & ~(uintptr_t)(alignment - 1);
    uint32_t lead = (uint32_t)(aligned - (uintptr_t)payload);
    Chunk *chunk = at((uint32_t)(uintptr_t)payload - HEADER);
    if (lead) {
        // `lead` is a multiple of 16: the front becomes a free chunk of its own.
        Chunk *rest = at(address_of(chunk) + lead);
        rest->size = (size_of(chunk) - lead) | IN_USE;
        rest->previous = lead;
        after(rest)->previous = size_of(rest);
        chunk->size = lead | IN_USE;
        release(chunk);
        chunk = rest;
    }
    uint32_t needed = ((uint32_t)size + HEADER + 15u) & ~15u;
    trim(chunk, needed < 16 ? 16 : needed);
    return (char *)chunk + HEADER;
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    void *pointer = alignment <= 16 ? waiting(size) : NULL;
    *out = pointer ? pointer : aligned_alloc(alignment, size);
    return 0;
}

void *calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) __builtin_trap();
    void *pointer = malloc(bytes);
    __builtin_memset(pointer, 0, bytes);
    return pointer;
}

void *realloc(void *pointer, size_t size) {
    if (!pointer) return malloc(size);
    size_t held = size_of(chunk_of(pointer)) - HEADER;
    if (size <= held) return pointer;
    void *larger = malloc(size);
    __builtin_memcpy(larger, pointer, held);
    free(pointer);
    return larger;
}
