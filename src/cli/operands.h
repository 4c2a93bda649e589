/* The --arg options of `heddle run`: values, arrays from and to .npy files, local memory. */
#ifndef HD_CLI_OPERANDS_H
#define HD_CLI_OPERANDS_H

#include "api/npy.h"
#include "cli/cli.h"

typedef struct hd_operand {
	const char *text; /* as given, for messages */
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
bool hd_operand_parse(const char *text, hd_operand *operand, hd_diag *diag);
/* Reads or makes the array; puts it in device memory as `number` (from 1). */
bool hd_operand_place(hd_operand *operand, unsigned number, heddle *h);
/* Copies an output back from device memory, and writes its file. */
bool hd_operand_fetch(hd_operand *operand, heddle *h);
bool hd_operand_save(const hd_operand *operand, hd_output_set *outputs, hd_diag *diag);
void hd_operand_free(hd_operand *operand);

#endif
