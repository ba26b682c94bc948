/* Arrays of numbers in a page: gzip in base64, after what makes them pack well. */
#ifndef LAB_PAGE_PACK_H
#define LAB_PAGE_PACK_H

#include <stddef.h>
#include <stdio.h>

/* Writes n values of `size` bytes each as {"type":..,"n":..,"stride":..,"data":..}: words become
 * differences to the word `stride` before, their bytes are sorted by significance. The values are
 * overwritten. 0, or 1 without memory. */
int page_put_array(FILE *file, const char *type, void *values, size_t n, size_t size,
                   size_t stride);

#endif
