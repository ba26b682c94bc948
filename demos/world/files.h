/* Paths and folders of what a run writes. */
#ifndef LAB_FILES_H
#define LAB_FILES_H

char *lab_path(const char *dir, const char *name); /* DIR/name, to be freed; null: no memory */
/* Makes a folder and those above it. 0, or 1 if there is none then. */
int lab_make_folder(const char *dir);
int lab_is_folder(const char *path);
/* What keeps a file from being read, or null: it cannot be opened, is a folder, or is empty. */
const char *lab_file_fault(const char *path);
/* Whether a file can be written: what it holds stays, and it is not made. */
int lab_can_write(const char *path);

#endif
