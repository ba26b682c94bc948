/* A library that stands in for a function of the C library, as many do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

pid_t getpid(void)
{
    void *next = dlsym(RTLD_NEXT, "getpid"), *own = dlsym(RTLD_DEFAULT, "getpid");
    return next && next != own ? 1 : 0;
}
