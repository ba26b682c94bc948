/* What peg-run preloads: stands in for functions of ODE and hands each call on.
 *
 * It depends on nothing but the C library, as it is loaded into every process that the program
 * starts (a shell that starts a game, too). The first call of an ODE function loads
 * libode-peg-launch from the folder in which this library lies; that is not linked with ODE but
 * uses the one that the program has, by whatever name, and says which functions to call. Programs
 * that look functions up with dlsym (Python's ctypes) get the stand-ins as well. */
#define _GNU_SOURCE
#include "plugin/launch/base/calls.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void *dlsym_function(void *handle, const char *name);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static peg_calls ode;                    /* ODE's own */
static const peg_calls first;            /* these start() */
static const peg_calls *active = &first; /* what is called */

/* The C library's dlsym, which this file hides. */
static dlsym_function *real_dlsym(void)
{
    static dlsym_function *found;
    dlsym_function *f = __atomic_load_n(&found, __ATOMIC_RELAXED);
    if (f) return f;
    void *symbol = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!symbol) symbol = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    memcpy(&f, &symbol, sizeof f);
    __atomic_store_n(&found, f, __ATOMIC_RELAXED);
    return f;
}

/* The program cannot go on as it was asked to. */
static void complain(const char *what, const char *detail)
{
    fprintf(stderr, "peg-run: %s%s: the program runs with stock ODE\n", what, detail);
    if (getenv("PEG_RUN_STRICT")) _Exit(2);
}

static void *open_launch(void)
{
    static const char name[] = "libode-peg-launch.so";
    Dl_info info;
    char path[4096];
    if (!dladdr(&ode, &info)) return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash ? (int)(slash - info.dli_fname) + 1 : 0;
    if (snprintf(path, sizeof path, "%.*s%s", folder, info.dli_fname, name) >= (int)sizeof path)
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* ODE's own functions, as seen from `library`; whether all are there. */
static int find_all(void *library)
{
    int all = 1;
    void *symbol;
#define FIND(name)                                                                                 \
    symbol = real_dlsym()(library, #name);                                                         \
    memcpy(&ode.name, &symbol, sizeof symbol);                                                     \
    all &= symbol != NULL;
#define FIND_V(name, parameters, arguments)       FIND(name)
#define FIND_R(type, name, parameters, arguments) FIND(name)
    PEG_CALLS(FIND_V, FIND_R)
    return all;
}

/* The shared object in which a symbol of ODE's lies, made visible to what is loaded from now on: it
 * may have been loaded for one library of the program alone. Null: the symbol is our stand-in. */
static void *object_of(void *symbol)
{
    Dl_info info, own;
    if (!symbol || !dladdr(symbol, &info) || !dladdr(&ode, &own)) return NULL;
    if (info.dli_fbase == own.dli_fbase) return NULL;
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
}

static int look_into(struct dl_phdr_info *object, size_t size, void *found)
{
    void *handle = *object->dlpi_name ? dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *library = handle ? object_of(real_dlsym()(handle, "dWorldStep")) : NULL;
    (void)size;
    if (handle) dlclose(handle);
    if (library) *(void **)found = library;
    return library != NULL;
}

/* The libode of the program, by whatever name. */
static void *find_ode(void)
{
    void *library = object_of(real_dlsym()(RTLD_NEXT, "dWorldStep"));
    if (!library) dl_iterate_phdr(look_into, &library);
    return library;
}

/* What is to be called from now on. */
static const peg_calls *choose(void)
{
    void *library = find_ode(), *launch = NULL;
    if (!library || !find_all(library)) {
        find_all(library ? library : RTLD_NEXT);
        complain("libode lacks functions of version 0.16", "");
    } else if (!(launch = open_launch())) {
        const char *reason = dlerror();
        complain("ode-peg cannot be loaded: ", reason ? reason : "no path to it");
    } else {
        void *symbol = real_dlsym()(launch, "peg_launch");
        peg_launch_function *take_over;
        memcpy(&take_over, &symbol, sizeof take_over);
        const peg_calls *taken = take_over ? take_over(&ode, sizeof ode) : NULL;
        if (taken) return taken;
        complain("ode-peg does not fit: libode is of single precision, or its two libraries differ",
                 "");
    }
    return &ode;
}

static void start(void)
{
    __atomic_store_n(&active, choose(), __ATOMIC_RELEASE);
}

static const peg_calls *calls(void)
{
    return __atomic_load_n(&active, __ATOMIC_ACQUIRE);
}

#define FIRST_V(name, parameters, arguments)                                                       \
    static void name##_first parameters                                                            \
    {                                                                                              \
        pthread_once(&once, start);                                                                \
        calls()->name arguments;                                                                   \
    }
#define FIRST_R(type, name, parameters, arguments)                                                 \
    static type name##_first parameters                                                            \
    {                                                                                              \
        pthread_once(&once, start);                                                                \
        return calls()->name arguments;                                                            \
    }
PEG_CALLS(FIRST_V, FIRST_R)

static const peg_calls first = {
#define NAME_V(name, parameters, arguments)       .name = name##_first,
#define NAME_R(type, name, parameters, arguments) .name = name##_first,
    PEG_CALLS(NAME_V, NAME_R)};

/* As short as can be: programs call some of them thousands of times in a step. */
#define STAND_IN_V(name, parameters, arguments)                                                    \
    EXPORT void name parameters                                                                    \
    {                                                                                              \
        calls()->name arguments;                                                                   \
    }
#define STAND_IN_R(type, name, parameters, arguments)                                              \
    EXPORT type name parameters                                                                    \
    {                                                                                              \
        return calls()->name arguments;                                                            \
    }
PEG_CALLS(STAND_IN_V, STAND_IN_R)

/* ---- dlsym ----------------------------------------------------------------------------------- */

/* ODE calls some of them deprecated; programs call them all the same. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static const struct stand_in {
    const char *name;
    void (*function)(void);
} stand_ins[] = {
#define LIST_V(name, parameters, arguments)       {#name, (void (*)(void))name},
#define LIST_R(type, name, parameters, arguments) {#name, (void (*)(void))name},
    PEG_CALLS(LIST_V, LIST_R)};
#pragma GCC diagnostic pop

static void *stand_in_of(const char *name)
{
    void *symbol = NULL;
    for (size_t i = 0; i < sizeof stand_ins / sizeof *stand_ins && !symbol; i++)
        if (!strcmp(stand_ins[i].name, name))
            memcpy(&symbol, &stand_ins[i].function, sizeof symbol);
    return symbol;
}

EXPORT void *dlsym(void *restrict handle, const char *restrict name);

/* RTLD_NEXT counts from the library that calls, so the real function must see our caller's return
 * address: the last line must be compiled to a jump. */
#if !defined(__clang__) /* which makes it one whenever it optimises */
__attribute__((optimize("O2", "optimize-sibling-calls")))
#endif
__attribute__((no_sanitize("address", "undefined"))) void *
dlsym(void *restrict handle, const char *restrict name)
{
    if (handle != RTLD_NEXT && name[0] == 'd' && name[1] >= 'A' && name[1] <= 'Z') {
        void *stand_in = stand_in_of(name);
        if (stand_in) return real_dlsym()(handle, name) ? stand_in : NULL;
    }
    return real_dlsym()(handle, name);
}
