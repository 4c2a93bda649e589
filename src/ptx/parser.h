/* PTX text -> ptx_module. */
#ifndef HD_PTX_PARSER_H
#define HD_PTX_PARSER_H

#include "ptx/lexer.h"

enum {
	PTX_MAX_SCOPES = 60,       /* nested { } */
	PTX_MAX_LIST = 254,        /* elements of one operand list, as many as a call can carry */
	PTX_MAX_DEPTH = 4,         /* nested operand lists */
	PTX_MAX_BYTES = 128 << 20, /* of one variable, and of the data segment */
	PTX_MAX_ENTRIES = 1024,
};

/* Reads as much as possible: it leaves out a statement with an error and continues with the next one. The caller looks at diag->errors and
 * releases the module (its arena and the hash table of names). `text` must live as long as the module. */
void ptx_parse(ptx_module *module, const char *text, size_t size, hd_diag *diag);
void ptx_module_done(ptx_module *module);
/* system.c: defines the functions of the CUDA device library that the module declares. */
void ptx_add_system(ptx_module *module, hd_diag *diag);

/* -- shared by parser.c, declare.c and body.c --------------------------------------------------------------------------------------- */
typedef struct ptx_parser {
	ptx_module *module;
	hd_diag *diag;
	ptx_lexer lexer;
	ptx_token tok, next;
	ptx_func *func; /* the function whose body is read */
	unsigned depth; /* open scopes */
	ptx_symbol *scope[PTX_MAX_SCOPES + 2];
} ptx_parser;

void ptx_advance(ptx_parser *p);
void ptx_fail(ptx_parser *p, ptx_place at, const char *format, ...) HD_PRINTF(3, 4);
/* Reports "expected X, found Y" at the current token; returns false. */
bool ptx_expected(ptx_parser *p, const char *what);
static inline bool ptx_is(const ptx_parser *p, char punct) { return p->tok.punct == punct; }
bool ptx_is_dot(const ptx_parser *p, const char *word);
/* Takes the punctuation; otherwise reports an error and returns false. */
bool ptx_take(ptx_parser *p, char punct);
/* A non-negative integer up to limit. */
bool ptx_take_count(ptx_parser *p, uint64_t limit, uint64_t *value);
ptx_name *ptx_take_name(ptx_parser *p, const char *what); /* NULL with an error */
/* Reads "+ n", "- n", "+ -n", any number of them, and adds them to *offset. False with an error. */
bool ptx_parse_offset(ptx_parser *p, uint64_t *offset);
/* Skips to the end of a malformed statement: past `;`, or before a brace or the end. */
void ptx_skip_statement(ptx_parser *p);

void ptx_push_scope(ptx_parser *p);
void ptx_pop_scope(ptx_parser *p);
bool ptx_declare(ptx_parser *p, ptx_symbol *symbol, ptx_symbol_kind kind, ptx_name *name, ptx_place pos);
/* The current meaning of a name; creates the registers of a range at their first use. NULL if the name has no meaning. */
ptx_symbol *ptx_lookup(ptx_parser *p, ptx_name *name);

/* `.pragma "...", ... ;` of a function, before its body or in it. The current token is `pragma`. Of all pragmas Heddle knows one of its own, which
 * sets the priority of a kernel's warps (PD-31, docs/predecode.md): "heddle.priority BASE, STEP". */
bool ptx_parse_pragma(ptx_parser *p, ptx_func *func);

/* declare.c: variables, registers and parameters. The current token is the one after the space (.reg, .global, .param, ...). */
bool ptx_parse_registers(ptx_parser *p);
bool ptx_parse_variables(ptx_parser *p, const ptx_var *first);
ptx_var *ptx_parse_param(ptx_parser *p);                                                /* current token: .param; NULL with an error */
bool ptx_parse_proto(ptx_parser *p, ptx_proto *proto, ptx_name **name, ptx_place *pos); /* [(results)] name (params) */
bool ptx_space_of(const ptx_parser *p, ptx_space *space); /* true when the current token is a space that variables live in */

/* body.c: the text between the braces. The current token is the one after {. */
void ptx_parse_body(ptx_parser *p);
/* `.loc` and `.pragma` may stand anywhere; true when there was one. */
bool ptx_parse_loc(ptx_parser *p, ptx_stmt *stmt);

#endif
