/* The path of the shared library that holds this code. */
#ifndef HR_LIBRARY_FILE_H
#define HR_LIBRARY_FILE_H

/* NULL when it is unknown. Not owned. */
const char *hr_library_file(void);

#endif
