/* Modules in SPIR-V, for OpenCL. The words are checked here. A process, llvm-spirv, translates them to LLVM's form (docs/install.md). */
#ifndef HD_SPIRV_H
#define HD_SPIRV_H

#include "base/base.h"
#include "front/front.h"

/* The versions all of whose operations the translator has, newest first, as a device reports them. hd_spirv_read takes 1.4, too, which compilers
 * write at the head of any module. */
#define HD_SPIRV_VERSIONS "SPIR-V_1.3 SPIR-V_1.2 SPIR-V_1.1 SPIR-V_1.0"
enum { HD_SPIRV_NEWEST_MINOR = 3, HD_SPIRV_NEWEST_READ = 4 };

typedef struct hd_spirv {
	HD_VEC(uint32_t) words; /* in this host's order of bytes */
} hd_spirv;

/* True when the translator is there. */
bool hd_spirv_available(void);
/* The path of llvm-spirv, which the caller frees; NULL if it is not there. */
char *hd_spirv_translator(void);

/* Takes `size` bytes from anywhere, in either order of bytes. The header, the length of every instruction, the range of ids and the memory model
 * (OpenCL's, pointers of 64 bits) are right afterwards; operands are not checked. False and an error at `pos` otherwise. The caller calls
 * hd_spirv_free in both cases. */
bool hd_spirv_read(hd_spirv *module, const void *bytes, size_t size, hd_pos pos, hd_diag *diag);
void hd_spirv_free(hd_spirv *module);

/* Bytes of the specialization constant with this number; a bool has 1. 0: there is none. */
size_t hd_spirv_constant_size(const hd_spirv *module, uint32_t id);
/* Gives it a value of hd_spirv_constant_size bytes. */
void hd_spirv_specialize(hd_spirv *module, uint32_t id, const void *value);

/* LLVM's text of the module for our target, with names of kernels' parameters: a unit that can be linked. The environment's bounds on clang hold for
 * each of the two programs that run. The caller frees; NULL and errors about `path` on failure. */
char *hd_spirv_translate(const hd_spirv *module, const char *path, hd_diag *diag);
/* PTX of a module of n bytes, which `path` only names, as hd_front_compile makes it of a source. options->files is not looked at. */
char *hd_spirv_compile(const char *path, const void *bytes, size_t n, const hd_front_options *options, size_t *size, hd_diag *diag);

#endif
