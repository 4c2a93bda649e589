/* The objects that a program holds handles of: reference counts, and handles that can be told from any other value.
 *
 * Counts. `refs` counts what the program retains and releases. `uses` keeps the object alive: all refs together count as one use, and each other
 * object or command that points to the object is one use. So the program may release objects in any order. */
#ifndef HR_OBJECT_H
#define HR_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HR_DEAD /* the kind of an object that has died */, HR_KINDS = 16 /* kinds are below; an interface numbers its own from 1 */ };

/* The head of every object. The loader of OpenCL requires its table of functions first; other interfaces have none. */
typedef struct hr_object {
	const void *dispatch;
	atomic_uint kind;
	atomic_uint refs, uses;
	uint64_t number; /* of this life: no two objects have the same */
	void (*destroy)(void *object);
	size_t bytes; /* of the whole object */
} hr_object;

/* A zeroed object with one reference, whose first member is an hr_object. `destroy` frees what the object owns, not the object. */
void *hr_new(const void *dispatch, unsigned kind, size_t bytes, void (*destroy)(void *object));
/* True when the handle is that of a live object of this kind. Any value may be asked for: a handle of another kind, one that was released, or no
 * handle at all. (A released handle is told until HR_DEAD_MIN further objects of its kind have been released, and another one has been created.) */
enum { HR_DEAD_MIN = 1024 };
bool hr_is(const void *object, unsigned kind);
void *hr_use(void *object); /* hr_use and hr_unuse ignore NULL */
/* Uses the object if it still lives the life with this number. False: it has died, and its memory may serve for another object. For references that
 * do not keep an object alive. */
bool hr_use_if_alive(void *object, uint64_t number);
void hr_unuse(void *object);
/* False when the handle is none of this kind, or the program has released it. */
bool hr_retain(void *object, unsigned kind);
bool hr_release(void *object, unsigned kind);

#endif
