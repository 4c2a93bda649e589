/* SHA-256 (FIPS 180-4): the names of contents. Equal bytes have equal names on every host. */
#ifndef HD_STUDY_DIGEST_H
#define HD_STUDY_DIGEST_H

#include "base/base.h"

enum { HD_DIGEST_BYTES = 32, HD_DIGEST_TEXT = 65 };

typedef struct hd_digest {
	uint32_t state[8];
	uint64_t bytes;
	unsigned char block[64];
} hd_digest;

void hd_digest_begin(hd_digest *digest);
void hd_digest_add(hd_digest *digest, const void *bytes, size_t n);
/* Adds a text with its length in front, so that two lists of texts have one digest only if they are equal text by text. NULL counts as "". */
void hd_digest_text(hd_digest *digest, const char *text);
void hd_digest_number(hd_digest *digest, uint64_t number);
/* Ends the digest: 64 hexadecimal digits and a NUL. */
void hd_digest_end(hd_digest *digest, char text[HD_DIGEST_TEXT]);
/* The digest of one piece of bytes. */
void hd_digest_of(const void *bytes, size_t n, char text[HD_DIGEST_TEXT]);
/* The digest of the content of a regular file. False and an error in diag if it is none or cannot be read. */
bool hd_digest_file(const char *path, char text[HD_DIGEST_TEXT], hd_diag *diag);

#endif
