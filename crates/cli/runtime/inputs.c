/* Runs a program natively on the inputs of a test case, instead of in the model checker.

       selvedge check --emit-tests cases prog.c
       selvedge runtime > inputs.c
       clang -pthread prog.c inputs.c -o prog
       SELVEDGE_INPUTS=cases/test000001.ktest ./prog

   Each call of an input function takes the next object of its thread from the file; when there are no more, the bytes are
   zero. Threads have the names that the checker gives them: main is 0, and the k-th thread that T creates is T.k. A false
   assumption ends the process with exit code 99: the case is not one of this program. Objects named argv[...], stdin and
   file:... are not taken by calls: they are the arguments, the standard input and the files to run the program with. Nor
   are undefined value and uninitialised memory: what was never written is what it is in this run.

   All functions are weak: a program that defines some of them itself keeps its own. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#define WEAK __attribute__((weak))

#ifdef SELVEDGE_SCHEDULED
/* Not one of the program's calls. */
int selvedge_plain_once(pthread_once_t *, void (*)(void));
#define pthread_once selvedge_plain_once
#endif

struct object {
    char *name;
    const char *thread; /* behind the last @ of the name, or "0" */
    const unsigned char *bytes;
    size_t size;
};

static struct object *objects;
static size_t count;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static __thread char thread_name[256] = "0";
static __thread size_t position;

__attribute__((noreturn)) static void die(const char *what, const char *detail) {
    fprintf(stderr, "selvedge runtime: %s%s\n", what, detail);
    _exit(98);
}

/* ---- the file -------------------------------------------------------------------------------------------------- */

static const unsigned char *at, *end;

static size_t number(void) {
    if (end - at < 4)
        die("the file of inputs is cut off", "");
    size_t value = (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
    at += 4;
    return value;
}

static const unsigned char *block(size_t size) {
    if ((size_t)(end - at) < size)
        die("the file of inputs is cut off", "");
    const unsigned char *start = at;
    at += size;
    return start;
}

static int is_thread_name(const char *text) {
    return text[0] == '0' && strspn(text, "0123456789.") == strlen(text);
}

/* Of a program that was built for one test case: its file. */
WEAK extern const unsigned char selvedge_ktest[];
WEAK extern const size_t selvedge_ktest_size;

static const unsigned char *read_all(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file)
        die("cannot read ", path);
    unsigned char *data = NULL;
    size_t size = 0, room = 0, got;
    do {
        if (size == room) {
            room = room ? 2 * room : 4096;
            data = realloc(data, room);
            if (!data)
                die("out of memory", "");
        }
        got = fread(data + size, 1, room - size, file);
        size += got;
    } while (got);
    fclose(file);
    *length = size;
    return data;
}

static void load(void) {
    const char *path = getenv("SELVEDGE_INPUTS");
    size_t size;
    if (path) {
        at = read_all(path, &size);
    } else if (&selvedge_ktest_size) {
        path = "the program's own";
        at = selvedge_ktest;
        size = selvedge_ktest_size;
    } else {
        die("SELVEDGE_INPUTS names no file of inputs", "");
    }
    end = at + size;
    if (size < 5 || memcmp(block(5), "KTEST", 5) != 0)
        die("not a .ktest file: ", path);
    size_t version = number();
    if (version < 1 || version > 3)
        die("a .ktest file of another version: ", path);
    for (size_t args = number(); args > 0; args--)
        block(number());
    if (version >= 2) {
        number();
        number();
    }
    count = number();
    if (count > (size_t)(end - at))
        die("damaged: ", path);
    objects = calloc(count + 1, sizeof *objects);
    for (size_t i = 0; i < count; i++) {
        size_t length = number();
        char *name = calloc(length + 1, 1);
        memcpy(name, block(length), length);
        char *thread = strrchr(name, '@');
        objects[i].thread = "0";
        if (thread && is_thread_name(thread + 1)) {
            *thread = 0;
            objects[i].thread = thread + 1;
        }
        objects[i].name = name;
        objects[i].size = number();
        objects[i].bytes = block(objects[i].size);
    }
}

static int is_call(const struct object *object) {
    return strcmp(object->name, "stdin") != 0 && strncmp(object->name, "argv[", 5) != 0 &&
           strncmp(object->name, "file:", 5) != 0 && strncmp(object->name, "undefined value", 15) != 0 &&
           strncmp(object->name, "uninitialised memory", 20) != 0;
}

/* The next input of this thread, or NULL. */
static const struct object *next(void) {
    pthread_once(&loaded, load);
    while (position < count) {
        const struct object *object = &objects[position++];
        if (is_call(object) && strcmp(object->thread, thread_name) == 0)
            return object;
    }
    return NULL;
}

static void take(void *target, size_t size) {
    const struct object *object = next();
    size_t have = object ? object->size : 0;
    if (have > size)
        have = size;
    memset(target, 0, size);
    if (have)
        memcpy(target, object->bytes, have);
}

/* ---- threads have names ------------------------------------------------------------------------------------------ */

#ifdef SELVEDGE_SCHEDULED
/* What keeps the program to a schedule creates the threads, and says who they are (replay.c). */
void selvedge_name_thread(const char *name) {
    snprintf(thread_name, sizeof thread_name, "%s", name);
}
#else
static __thread unsigned children;

struct start {
    void *(*run)(void *);
    int (*run_c11)(void *);
    void *argument;
    char name[sizeof thread_name];
};

static struct start *named(void *argument) {
    struct start *start = malloc(sizeof *start);
    if (!start)
        die("out of memory", "");
    start->argument = argument;
    if (snprintf(start->name, sizeof start->name, "%s.%u", thread_name, ++children) >= (int)sizeof start->name)
        die("threads are nested too deeply", "");
    return start;
}

static struct start begin(void *data) {
    struct start start = *(struct start *)data;
    free(data);
    memcpy(thread_name, start.name, sizeof thread_name);
    return start;
}

static void *run(void *data) {
    struct start start = begin(data);
    return start.run(start.argument);
}

static int run_c11(void *data) {
    struct start start = begin(data);
    return start.run_c11(start.argument);
}

WEAK int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    struct start *start = named(argument);
    start->run = function;
    int error = real(thread, attributes, run, start);
    if (error) {
        children--;
        free(start);
    }
    return error;
}

WEAK int thrd_create(thrd_t *thread, thrd_start_t function, void *argument) {
    int (*real)(thrd_t *, thrd_start_t, void *);
    *(void **)&real = dlsym(RTLD_NEXT, "thrd_create");
    struct start *start = named(argument);
    start->run_c11 = function;
    int error = real(thread, run_c11, start);
    if (error != thrd_success) {
        children--;
        free(start);
    }
    return error;
}
#endif

/* What the program prints to its two streams comes out in that order. */
__attribute__((constructor)) static void unbuffered(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

#define INPUT(name, type)                                                                                             \
    WEAK type __VERIFIER_nondet_##name(void) {                                                                        \
        type value;                                                                                                   \
        take(&value, sizeof value);                                                                                   \
        return value;                                                                                                 \
    }                                                                                                                 \
    WEAK type nondet_##name(void) {                                                                                   \
        type value;                                                                                                   \
        take(&value, sizeof value);                                                                                   \
        return value;                                                                                                 \
    }

INPUT(char, char)
INPUT(schar, signed char)
INPUT(uchar, unsigned char)
INPUT(short, short)
INPUT(ushort, unsigned short)
INPUT(int, int)
INPUT(uint, unsigned)
INPUT(unsigned, unsigned)
INPUT(unsigned_int, unsigned)
INPUT(long, long)
INPUT(ulong, unsigned long)
INPUT(longlong, long long)
INPUT(ulonglong, unsigned long long)
INPUT(size_t, size_t)
INPUT(i8, int8_t)
INPUT(u8, uint8_t)
INPUT(i16, int16_t)
INPUT(u16, uint16_t)
INPUT(i32, int32_t)
INPUT(u32, uint32_t)
INPUT(i64, int64_t)
INPUT(u64, uint64_t)
INPUT(U8, uint8_t)
INPUT(U16, uint16_t)
INPUT(U32, uint32_t)
INPUT(U64, uint64_t)
INPUT(int128, __int128)
INPUT(uint128, unsigned __int128)
INPUT(float, float)
INPUT(double, double)
INPUT(pointer, void *)
INPUT(pchar, char *)
INPUT(loff_t, long)
INPUT(sector_t, unsigned long)
INPUT(pthread_t, unsigned long)

WEAK _Bool __VERIFIER_nondet_bool(void) {
    unsigned char value;
    take(&value, sizeof value);
    return value & 1;
}

WEAK _Bool nondet_bool(void) {
    return __VERIFIER_nondet_bool();
}

WEAK _Bool nondet__Bool(void) {
    return __VERIFIER_nondet_bool();
}

WEAK void __VERIFIER_nondet_memory(void *memory, size_t size) {
    take(memory, size);
}

WEAK void klee_make_symbolic(void *memory, size_t size, const char *name) {
    (void)name;
    take(memory, size);
}

WEAK int klee_int(const char *name) {
    (void)name;
    int value;
    take(&value, sizeof value);
    return value;
}

WEAK int klee_range(int first, int behind, const char *name) {
    int value = klee_int(name);
    if (value < first || value >= behind)
        _exit(99);
    return value;
}

WEAK uintptr_t klee_choose(uintptr_t number) {
    uintptr_t value;
    take(&value, sizeof value);
    if (value >= number)
        _exit(99);
    return value;
}

/* ---- assumptions and errors -------------------------------------------------------------------------------------- */

WEAK void __VERIFIER_assume(int condition) {
    if (!condition)
        _exit(99);
}

WEAK void klee_assume(uintptr_t condition) {
    if (!condition)
        _exit(99);
}

WEAK void __CPROVER_assume(int condition) {
    if (!condition)
        _exit(99);
}

WEAK void assume_abort_if_not(int condition) {
    if (!condition)
        _exit(99);
}

WEAK void __VERIFIER_assert(int condition) {
    if (!condition)
        abort();
}

WEAK void __CPROVER_assert(int condition, const char *text) {
    (void)text;
    if (!condition)
        abort();
}

WEAK void reach_error(void) {
    abort();
}

WEAK void __VERIFIER_error(void) {
    abort();
}

WEAK void klee_report_error(const char *file, int line, const char *message, const char *suffix) {
    fprintf(stderr, "%s:%d: %s (%s)\n", file, line, message, suffix);
    abort();
}

WEAK void klee_silent_exit(int code) {
    _exit(code);
}

static pthread_mutex_t atomic = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

WEAK void __VERIFIER_atomic_begin(void) {
    pthread_mutex_lock(&atomic);
}

WEAK void __VERIFIER_atomic_end(void) {
    pthread_mutex_unlock(&atomic);
}

/* ---- fuzz targets ------------------------------------------------------------------------------------------------ */

WEAK int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

WEAK int main(void) {
    const struct object *object = next();
    size_t size = object ? object->size : 0;
    uint8_t *data = malloc(size);
    if (size)
        memcpy(data, object->bytes, size);
    int result = LLVMFuzzerTestOneInput ? LLVMFuzzerTestOneInput(data, size) : 0;
    free(data);
    return result;
}
