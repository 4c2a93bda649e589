/* Launches of CUDA sources that clang refuses: those in device code, and spellings that the vendor's compiler takes (k << <1, 32>> >(), braces).
 * clang's messages say where they are, and clang runs again. Lines stay where they are. In device code kernel<<<...>>>(...) becomes
 * heddle::__child<kernel>(...)(...) of lib/cuda/heddle_children.h.
 *
 * A kernel template whose arguments clang would deduce from the call gets them by the types of the call's arguments, which then must be exactly the
 * kernel's. This is tried where naming the kernel was refused. */
#ifndef HD_CHILDREN_H
#define HD_CHILDREN_H

#include "front/memory_files.h"

/* A launch in a file: where <<< is. */
typedef struct hd_child_site {
	size_t at;
	unsigned attempt; /* 1: by the kernel's name; 2: by the types of the arguments */
} hd_child_site;

/* A file that has such launches: as it is, and as clang is to see it. */
typedef struct hd_child_file {
	char *path;                  /* as clang's messages have it */
	char *text, *code, *changed; /* `code`: the text as plain code */
	size_t size, changed_size;
	HD_VEC(hd_child_site) sites;
	bool respelled;        /* a launch in the text was */
	HD_VEC(size_t) braces; /* where a launch has a grid or a block in braces: in front of them the type is missing; ascending */
	HD_VEC(size_t) edits;  /* pairs: an offset in `text`, and the one in `changed` of the same byte; ascending */
} hd_child_file;

/* Zeroed = empty. */
typedef struct hd_children {
	HD_VEC(hd_child_file) files;
} hd_children;

/* Learns from the messages of a run of clang. True if there is something new, so that clang should run again. */
bool hd_children_learn(hd_children *children, const char *messages);
/* The changed files under all names that clang may have for them, for hd_memory_files_open. Names are of the arena. */
typedef HD_VEC(hd_memory_file) hd_memory_file_list;
void hd_children_list(const hd_children *children, hd_arena *arena, hd_memory_file_list *list);
void hd_children_free(hd_children *children);

#endif
