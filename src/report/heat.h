/* The cost of each source line of a run: the rows of a profile, joined by file and line, with the text of the source. */
#ifndef HD_HEAT_H
#define HD_HEAT_H

#include "report/profile.h"

/* A source line that has code. */
typedef struct hd_heat_line {
	const char *file; /* of the object */
	uint32_t line;
	char *text;         /* without its end; NULL: the source cannot be read */
	hd_profile_row sum; /* of its instructions, without waits */
} hd_heat_line;

/* Every slot of the run belongs to one of `lines`, to `no_line` or to `no_instruction`. */
typedef struct hd_heat {
	const hd_program *program;
	const hd_profile *profile;
	HD_VEC(hd_heat_line) lines;    /* by file name and number */
	hd_profile_row no_line;        /* instructions that have no source line */
	hd_profile_row no_instruction; /* slots that belong to no instruction */
	uint64_t slots, cycles;        /* of the run */
} hd_heat;

/* `profile` may be NULL: all counts are 0 then. `input` is what was built, `cycles` are those of the run. Program and profile outlive the heat.
 */
void hd_heat_make(hd_heat *heat, const hd_program *program, const hd_profile *profile, const hd_input *input, uint64_t cycles);
void hd_heat_free(hd_heat *heat);
/* The line, or NULL. */
const hd_heat_line *hd_heat_find(const hd_heat *heat, const char *file, uint32_t line);

#endif
