/* The --arg options of `heddle run`: values, arrays from and to .npy files, local memory. */
#ifndef HD_CLI_OPERANDS_H
#define HD_CLI_OPERANDS_H

#include "api/npy.h"
#include "cli/cli.h"

typedef struct hd_operand {
	const char *text; /* as given, for messages */
	hd_pos pos;       /* in a file of launches; .file NULL: on the command line */
	heddle_arg arg;
	uint8_t value[128]; /* of bytes: */
	bool array;         /* arg is the address of the array, once hd_operand_place was called */
	const char *input;  /* file that the array is read from */
	char *output;       /* file that it is written to at the end; owned */
	hd_npy content;     /* the array at the start (no data: zeros, or random numbers); after hd_operand_fetch, as it is then */
	bool random;        /* hd_operand_place makes the elements from `seed`, once there is room for them in device memory */
	uint64_t seed;
} hd_operand;

/* Understands `text` without touching files. False and an error in diag. */
bool hd_operand_parse(const char *text, hd_pos pos, hd_operand *operand, hd_diag *diag);
/* Reads or makes the array; puts it in device memory as argument `number` (from 1), for the parameter of that name (NULL: unknown). */
bool hd_operand_place(hd_operand *operand, unsigned number, const char *parameter, heddle *h);
/* False and an error in diag when the operand is an array whose elements are not what the parameter points to. An array of another sign matches, and
 * everything matches a parameter of bytes or of unknown elements. Needs hd_operand_place, which reads the type of a file. */
bool hd_operand_matches(const hd_operand *operand, const hd_kernel *kernel, const hd_param *param, hd_diag *diag);
/* Copies an output back from device memory, and writes its file. */
bool hd_operand_fetch(hd_operand *operand, heddle *h);
bool hd_operand_save(const hd_operand *operand, hd_output_set *outputs, hd_diag *diag);
void hd_operand_free(hd_operand *operand);

#endif
