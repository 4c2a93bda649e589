/* PTX text -> tokens. */
#ifndef HD_PTX_LEXER_H
#define HD_PTX_LEXER_H

#include "ptx/ast.h"

typedef enum ptx_token_kind {
	PTX_T_END,
	PTX_T_WORD,   /* identifier, also with % $ _ */
	PTX_T_DOT,    /* .word; text without the dot */
	PTX_T_INT,    /* value; a sign is a token of its own */
	PTX_T_F32,    /* 0fXXXXXXXX: bits in value */
	PTX_T_F64,    /* 0dXXXXXXXXXXXXXXXX or decimal: bits in value */
	PTX_T_STRING, /* text without the quotes */
	PTX_T_PUNCT,  /* one character, in `punct` */
	PTX_T_BAD,    /* an unknown character, or a malformed number or string; `why` says which */
} ptx_token_kind;

typedef struct ptx_token {
	uint8_t kind; /* ptx_token_kind */
	char punct;   /* 0 unless PUNCT */
	bool first;   /* first of its line */
	ptx_place pos;
	const char *text;
	uint32_t length;
	uint64_t value;
	const char *why;
} ptx_token;

typedef struct ptx_lexer {
	const char *at, *end, *line_start;
	uint32_t line;
	bool fresh; /* no token of this line was returned yet */
} ptx_lexer;

void ptx_lexer_init(ptx_lexer *lexer, const char *text, size_t size);
/* The next token. After the last one, END on every call. */
void ptx_lex(ptx_lexer *lexer, ptx_token *token);

#endif
