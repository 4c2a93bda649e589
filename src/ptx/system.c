/* Functions that CUDA's compilers leave to the device. lib/heddle_system.cu, lib/heddle_children.cu and lib/heddle_copies.cu have them, as PTX that
 * Heddle's build makes of these files. A program that declares one of them gets the text of its file, and the name becomes another one of ours
 * (`.alias`). */
#include "ptx/parser.h"

#define SYSTEM(name, ptx) ptx
static const char system_text[] =
#include "ptx/system_text.h"
    ;
static const char children_text[] =
#include "ptx/children_text.h"
    ;
static const char copies_text[] =
#include "ptx/copies_text.h"
    ;
#undef SYSTEM

/* A file, and the functions that programs want of it. Files call functions of those that follow. */
typedef struct library {
	const char *text;
	size_t size;
	const char *names; /* each with a space behind it */
} library;

static const library libraries[] = {
    {copies_text, sizeof copies_text - 1, "cudaMemcpyAsync cudaMemcpyAsync_ptsz cudaMemsetAsync cudaMemsetAsync_ptsz "},
    {children_text, sizeof children_text - 1,
     "child cudaGetParameterBuffer cudaGetParameterBufferV2 cudaLaunchDevice cudaLaunchDevice_ptsz cudaLaunchDeviceV2 cudaLaunchDeviceV2_ptsz "
     "cudaDeviceSynchronize cudaPeekAtLastError cudaGetLastError cudaGetErrorName cudaGetErrorString cudaStreamCreateWithFlags cudaStreamDestroy "
     "cudaEventCreateWithFlags cudaEventDestroy cudaEventRecord cudaEventRecord_ptsz cudaEventRecordWithFlags cudaStreamWaitEvent "
     "cudaStreamWaitEvent_ptsz cudaMalloc cudaFree cudaGetDevice cudaGetDeviceCount cudaRuntimeGetVersion "},
    {system_text, sizeof system_text - 1, "vprintf malloc free assertfail cxa_pure_virtual cxa_deleted_virtual "},
};

enum { NAME_MAX = 64 };

static ptx_func *function_of(ptx_module *module, const char *name)
{
	const ptx_symbol *symbol = ptx_intern(module, name, strlen(name))->symbol;
	return symbol && symbol->kind == PTX_SYM_FUNC ? (ptx_func *)symbol : NULL;
}

static bool listed(const char *names, const char *name)
{
	size_t n = strlen(name);
	for (const char *at = names; *at; at += strcspn(at, " ") + 1)
		if (strncmp(at, name, n) == 0 && at[n] == ' ')
			return true;
	return false;
}

/* The name of a function as the lists have it: __cudaCDP2Malloc is cudaMalloc. NULL: it is none of them. */
static const char *plain_name(const char *name, char buffer[NAME_MAX])
{
	static const char versioned[] = "__cudaCDP2", avoided[] = "__cudaDeviceSynchronizeDeprecationAvoidance";
	static const char *const reserved[] = {"__assertfail", "__cxa_pure_virtual", "__cxa_deleted_virtual"}, ours[] = "__heddle_child";
	if (strlen(name) >= NAME_MAX)
		return NULL;
	if (strcmp(name, avoided) == 0)
		return "cudaDeviceSynchronize";
	if (strcmp(name, ours) == 0)
		return "child";
	for (size_t i = 0; i < HD_COUNT(reserved); i++)
		if (strcmp(name, reserved[i]) == 0)
			return name + 2;
	if (strncmp(name, versioned, sizeof versioned - 1) != 0)
		return name;
	memcpy(buffer, "cuda", 4);
	strcpy(buffer + 4, name + sizeof versioned - 1);
	return buffer;
}

/* Whether the module wants a function of the library. `links`: gives those functions their names. */
static bool wants(ptx_module *module, const library *l, bool links)
{
	bool any = false;
	for (size_t i = 0; i < module->funcs.n; i++) {
		ptx_func *func = module->funcs.at[i];
		char buffer[NAME_MAX], own[NAME_MAX + 16];
		const char *name = func->defined || func->alias ? NULL : plain_name(func->proto.sym.name->text, buffer);
		if (!name || !listed(l->names, name))
			continue;
		any = true;
		if (links) {
			snprintf(own, sizeof own, "__heddle_%s", name);
			ptx_func *target = function_of(module, own);
			func->alias = target == func ? NULL : target;
		}
	}
	return any;
}

void ptx_add_system(ptx_module *module, hd_diag *diag)
{
	for (size_t i = 0; i < HD_COUNT(libraries); i++) {
		const library *l = &libraries[i];
		if (!wants(module, l, false))
			continue;
		ptx_parse(module, l->text, l->size, diag);
		wants(module, l, true);
	}
}
