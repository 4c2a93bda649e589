/* Accesses outside of every buffer that warn instead of ending the run (HEDDLE_BOUNDS=warn): a load reads zeros, a store writes nothing. Each place
 * of a program is reported once. */
#ifndef HD_BOUNDS_H
#define HD_BOUNDS_H

#include "launch/launch.h"

typedef struct hd_bounds hd_bounds;

hd_bounds *hd_bounds_new(void);
void hd_bounds_free(hd_bounds *bounds);
/* Notes an access. Each instruction of a kernel gets one warning: the text of the trap that the access of the first thread of the first CTA would be,
 * whatever the order of the calls. Any thread may call it. */
void hd_bounds_note(hd_bounds *bounds, const hd_trap *trap, const hd_launch *launch, hd_memory *memory);
/* Moves the warnings of instructions that no earlier call has reported to the end of `out`, by the kernel's name and the word address. */
void hd_bounds_take(hd_bounds *bounds, hd_text *out);

/* From now on accesses outside of every buffer of this memory are noted; NULL: they are traps, as at first. `bounds` must outlive the memory's use.
 * An access to a page that nothing maps (PD-38) stays a trap. */
void hd_memory_set_bounds(hd_memory *memory, hd_bounds *bounds);
/* NULL: such an access is a trap. */
hd_bounds *hd_memory_bounds(const hd_memory *memory);

#endif
