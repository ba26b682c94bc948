/* Paths and folders of what a run writes. */
#ifndef LAB_FILES_H
#define LAB_FILES_H

char *lab_path(const char *dir, const char *name); /* DIR/name, to be freed; null: no memory */
/* Makes a folder and those above it. 0, or 1 if there is none then. */
int lab_make_folder(const char *dir);

#endif
