#include "plugin/launch/runner/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int peg_program_preload(char *path, size_t size)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return 0;
    self[length] = 0;
    *strrchr(self, '/') = 0;
    const char *const folder[] = {"", "/../" PEG_LIBRARY_FOLDER "/ode-peg"};
    for (int i = 0; i < 2; i++) {
        int n = snprintf(path, size, "%s%s/%s", self, folder[i], PEG_PROGRAM_PRELOAD);
        if (n > 0 && (size_t)n < size && access(path, R_OK) == 0) return 1;
    }
    return 0;
}

/* The program's file, looked for in PATH as execvp does. */
static int find(const char *name, char path[PATH_MAX])
{
    if (strchr(name, '/')) {
        snprintf(path, PATH_MAX, "%s", name);
        return access(path, F_OK) == 0;
    }
    const char *list = getenv("PATH") ? getenv("PATH") : "/bin:/usr/bin";
    for (const char *end; *list; list = *end ? end + 1 : end) {
        end = list + strcspn(list, ":");
        snprintf(path, PATH_MAX, "%.*s/%s", (int)(end - list), list, name);
        if (end > list && access(path, X_OK) == 0) return 1;
    }
    return 0;
}

/* ---- what the file says ---------------------------------------------------------------------- */

typedef struct image {
    const unsigned char *bytes;
    size_t size;
} image;

static const void *part(const image *f, size_t offset, size_t length)
{
    return offset <= f->size && length <= f->size - offset ? f->bytes + offset : NULL;
}

/* Program header of the type, or null. */
static const Elf64_Phdr *segment(const image *f, Elf64_Word type)
{
    const Elf64_Ehdr *head = part(f, 0, sizeof *head);
    for (size_t i = 0; head && i < head->e_phnum; i++) {
        const Elf64_Phdr *p = part(f, head->e_phoff + i * sizeof *p, sizeof *p);
        if (p && p->p_type == type) return p;
    }
    return NULL;
}

/* Whether a part of the program that is to be loaded, or the table of parts, is not in the file. */
static int is_cut(const image *f)
{
    const Elf64_Ehdr *head = part(f, 0, sizeof *head);
    for (size_t i = 0; head && i < head->e_phnum; i++) {
        const Elf64_Phdr *p = part(f, head->e_phoff + i * sizeof *p, sizeof *p);
        if (!p || (p->p_type == PT_LOAD && !part(f, p->p_offset, p->p_filesz))) return 1;
    }
    return !head;
}

static int holds(const image *f, const char *text)
{
    size_t n = strlen(text) + 1;
    for (size_t i = 0; i + n <= f->size; i++) {
        const unsigned char *at = memchr(f->bytes + i, text[0], f->size - i - n + 1);
        if (!at) return 0;
        i = (size_t)(at - f->bytes);
        if (!memcmp(at, text, n)) return 1;
    }
    return 0;
}

static const char *judge(const image *f)
{
    static const unsigned char magic[] = {0x7f, 'E', 'L', 'F', sizeof(void *) == 8 ? 2 : 1};
    if (f->size >= 2 && !memcmp(f->bytes, "#!", 2)) return NULL; /* its interpreter decides */
    if (f->size < sizeof(Elf64_Ehdr) || memcmp(f->bytes, magic, 4))
        return "is no program that this system runs";
    if (memcmp(f->bytes, magic, sizeof magic))
        return "is made for another processor than ode-peg: its ODE cannot be taken over";
    if (is_cut(f)) return "is cut off: build it anew";
    if (!segment(f, PT_INTERP))
        return "is linked statically: its ODE cannot be taken over. Link it with the shared libode";
    /* ODE's own code is in the file: it holds what ODE says when it gives up */
    if (holds(f, "ODE INTERNAL ERROR"))
        return "has ODE linked in statically: it cannot be taken over. Link it with the shared "
               "libode";
    return NULL;
}

int peg_program_check(const char *name, char *reason, size_t size)
{
    char path[PATH_MAX];
    struct stat info;
    const char *why = NULL;
    if (!find(name, path)) {
        snprintf(reason, size, "there is no program '%s'", name);
        return 0;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || access(path, X_OK) != 0)
        why = "is no executable file";
    else if (info.st_mode & (S_ISUID | S_ISGID))
        why = "runs with the rights of another user: nothing can be preloaded into it";
    else if (info.st_size == 0)
        why = "is empty";
    if (!why && file >= 0) {
        void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            why = judge(&(image){bytes, (size_t)info.st_size});
            munmap(bytes, (size_t)info.st_size);
        }
    }
    if (file >= 0) close(file);
    if (why) snprintf(reason, size, "'%s' %s", path, why);
    return !why;
}
