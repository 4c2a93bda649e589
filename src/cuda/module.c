/* Modules: texts of PTX that are compiled when something in them is used, their kernels and variables, and the addresses of the program that stand
 * for these. */
#include "cuda/state.h"

#include "api/build.h"
#include "base/demangle.h"
#include "cuda/fatbin.h"
#include "interp/interp.h"
#include "runtime/cache.h"
#include "runtime/mapped.h"

struct hu_variable {
	char *name;
	const void *host; /* NULL: found by name only */
	void **managed;   /* the program's pointer to a managed variable, or NULL */
	uint64_t size, address;
	uint8_t *own; /* memory of a variable that the code does not have */
};

struct CUmod_st {
	hr_object object;
	const void *fatbin; /* NULL: `text` */
	size_t fatbin_size;
	uint64_t owner;           /* number of the context that it ends with; 0: none */
	const void *const *units; /* fat binaries of units that are linked (-rdc=true), NULL-terminated; NULL: there is one alone */
	char *text;
	hd_text *log; /* receives messages while it is built; NULL: they go to standard error */
	HD_VEC(hu_function *) functions;
	HD_VEC(hu_variable *) variables;
	pthread_mutex_t building;
	bool built; /* under `building`, as all below */
	cudaError_t error;
	char *source;
	hd_object *code;
	hd_program *loaded;
	uint8_t *managed;         /* mapped memory of the data segment, of which a variable is managed; or NULL */
	struct hd_oracle *interp; /* the context's memory_lock */
};

/* Addresses of the program and what they stand for: a hash table, at most half full. */
typedef struct known {
	const void *host;
	hu_function *function;
	hu_module *module; /* of a variable */
	hu_variable *variable;
} known;

static pthread_mutex_t names = PTHREAD_MUTEX_INITIALIZER; /* guards all below and the lists of functions and variables of modules */
static struct {
	known *at;
	size_t n, size;
} table;
static HD_VEC(hu_module *) modules;
static struct {
	uint8_t *begin, *end;
} managed_range;

static known *slot(const void *host)
{
	size_t i = (size_t)((uintptr_t)host * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (table.size - 1);
	while (table.at[i].host && table.at[i].host != host)
		i = (i + 1) & (table.size - 1);
	return &table.at[i];
}

static void know(const known *one)
{
	if (2 * (table.n + 1) > table.size) {
		known *old = table.at;
		size_t n = table.size;
		table.size = n ? 2 * n : 64;
		table.at = hd_xcalloc(table.size, sizeof *table.at);
		for (size_t i = 0; i < n; i++)
			if (old[i].host)
				*slot(old[i].host) = old[i];
		free(old);
	}
	known *place = slot(one->host);
	table.n += place->host == NULL;
	*place = *one;
}

static known look_up(const void *host)
{
	pthread_mutex_lock(&names);
	known found = table.size && host ? *slot(host) : (known){0};
	pthread_mutex_unlock(&names);
	return found.host ? found : (known){0};
}

/* -- beginning and end -------------------------------------------------------------------------------------------------------------------------- */
static void destroy_nothing(void *object) { (void)object; }

static hu_module *module_new(uint64_t owner)
{
	hu_module *module = hr_new(NULL, HU_MODULE_KIND, sizeof *module, destroy_nothing);
	module->owner = owner;
	pthread_mutex_init(&module->building, NULL);
	pthread_mutex_lock(&names);
	hd_vec_push(&modules, module);
	pthread_mutex_unlock(&names);
	return module;
}

hu_module *hu_module_new(const void *fatbin, size_t size)
{
	hu_module *module = module_new(0);
	module->fatbin = fatbin;
	module->fatbin_size = size;
	return module;
}

void hu_module_link(hu_module *module, const void *const *units) { module->units = units; }

cudaError_t hu_module_load(const void *image, size_t size, bool of_context, char **log, hu_module **module)
{
	char *text;
	*module = NULL;
	cudaError_t error = hu_image_text(image, size, &text, log);
	if (error != cudaSuccess)
		return error;
	hd_text messages = {0};
	hu_module *made = module_new(of_context ? hu_owner() : 0);
	made->text = text;
	made->log = &messages;
	error = hu_module_build(made);
	made->log = NULL;
	*log = messages.at;
	if (error == cudaSuccess)
		*module = made;
	else
		hu_module_free(made);
	return error;
}

bool hu_module_is(const void *module) { return hr_is(module, HU_MODULE_KIND); }

/* Takes the block of variables out of the table. */
static void forget_block(uint64_t address)
{
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < hu.blocks.n; i++) {
		if (hu.blocks.at[i].address != address || hu.blocks.at[i].kind != HU_MODULE)
			continue;
		hu.used -= hu.blocks.at[i].size;
		memmove(&hu.blocks.at[i], &hu.blocks.at[i + 1], (--hu.blocks.n - i) * sizeof *hu.blocks.at);
		break;
	}
	pthread_mutex_unlock(&hr_lock);
}

static void release_data(uint64_t address)
{
	forget_block(address);
	hd_memory_release(hu_memory_take(HR_PRIORITY_HIGH), address);
	hu_memory_leave();
}

static void unload(hu_module *module)
{
	if (module->loaded) {
		if (module->loaded->data_base)
			release_data(module->loaded->data_base);
		hd_interp_free(module->interp);
		hd_program_free(module->loaded);
	}
	for (size_t i = 0; i < module->variables.n; i++) {
		hu_variable *v = module->variables.at[i];
		if (v->own)
			release_data(v->address);
		v->own = NULL;
		v->address = 0;
	}
	for (size_t i = 0; i < module->functions.n; i++)
		module->functions.at[i]->kernel = NULL;
	if (module->managed)
		hr_unmap(module->managed, module->code->data.n);
	hd_object_free(module->code);
	free(module->source);
	module->source = NULL;
	module->managed = NULL;
	module->loaded = NULL;
	module->interp = NULL;
	module->code = NULL;
	module->built = false;
}

static void forget_names(hu_module *module)
{
	for (size_t i = 0; i < table.size; i++)
		if (table.at[i].host && ((table.at[i].function && table.at[i].function->module == module) || table.at[i].module == module))
			table.at[i] = (known){.host = table.at[i].host};
	for (size_t i = 0; i < modules.n; i++)
		if (modules.at[i] == module)
			modules.at[i] = modules.at[--modules.n];
	if (!modules.n) {
		free(table.at);
		table.at = NULL;
		table.n = table.size = 0;
		hd_vec_free(&modules);
	}
}

void hu_module_free(hu_module *module)
{
	if (!hr_is(module, HU_MODULE_KIND))
		return;
	pthread_mutex_lock(&names);
	forget_names(module);
	pthread_mutex_unlock(&names);
	if (module->built)
		hu_wait_all();
	unload(module);
	for (size_t i = 0; i < module->functions.n; i++) {
		free(module->functions.at[i]->name);
		hr_release(module->functions.at[i], HU_FUNCTION_KIND);
	}
	for (size_t i = 0; i < module->variables.n; i++) {
		free(module->variables.at[i]->name);
		free(module->variables.at[i]);
	}
	hd_vec_free(&module->functions);
	hd_vec_free(&module->variables);
	free(module->text);
	pthread_mutex_destroy(&module->building);
	hr_unuse(module);
}

void hu_modules_forget(void)
{
	HD_VEC(hu_module *) all = {0};
	pthread_mutex_lock(&names);
	for (size_t i = 0; i < modules.n; i++)
		if (!modules.at[i]->owner)
			hd_vec_push(&all, modules.at[i]);
	pthread_mutex_unlock(&names);
	for (size_t i = 0; i < all.n; i++) {
		pthread_mutex_lock(&all.at[i]->building);
		unload(all.at[i]);
		pthread_mutex_unlock(&all.at[i]->building);
	}
	hd_vec_free(&all);
}

void hu_modules_free_of(uint64_t owner)
{
	HD_VEC(hu_module *) all = {0};
	pthread_mutex_lock(&names);
	for (size_t i = 0; i < modules.n; i++)
		if (modules.at[i]->owner == owner)
			hd_vec_push(&all, modules.at[i]);
	pthread_mutex_unlock(&names);
	for (size_t i = 0; i < all.n; i++)
		hu_module_free(all.at[i]);
	hd_vec_free(&all);
}

/* -- registration ------------------------------------------------------------------------------------------------------------------------------- */
static hu_function *function_new(hu_module *module, const char *name)
{
	hu_function *function = hr_new(NULL, HU_FUNCTION_KIND, sizeof *function, destroy_nothing);
	function->module = module;
	function->name = hd_xstrdup(name);
	hd_vec_push(&module->functions, function);
	return function;
}

void hu_register_function(hu_module *module, const void *host, const char *name)
{
	pthread_mutex_lock(&names);
	hu_function *function = function_new(module, name);
	function->host = host;
	know(&(known){.host = host, .function = function});
	pthread_mutex_unlock(&names);
}

static hu_variable *variable_new(hu_module *module, const void *host, const char *name, uint64_t size)
{
	hu_variable *v = hd_xcalloc(1, sizeof *v);
	v->name = hd_xstrdup(name);
	v->host = host;
	v->size = size;
	hd_vec_push(&module->variables, v);
	return v;
}

void hu_register_variable(hu_module *module, const void *host, void **managed, const char *name, uint64_t size)
{
	pthread_mutex_lock(&names);
	hu_variable *v = variable_new(module, host, name, size);
	v->managed = managed;
	know(&(known){.host = host, .module = module, .variable = v});
	pthread_mutex_unlock(&names);
}

void hu_register_managed(void *begin, void *end)
{
	HD_VEC(hu_module *) all = {0};
	pthread_mutex_lock(&names);
	managed_range.begin = begin;
	managed_range.end = end;
	for (size_t i = 0; i < modules.n; i++)
		hd_vec_push(&all, modules.at[i]);
	pthread_mutex_unlock(&names);
	for (size_t i = 0; i < all.n; i++)
		hu_module_begin(all.at[i]);
	hd_vec_free(&all);
}

/* -- building ----------------------------------------------------------------------------------------------------------------------------------- */
/* Several texts one after the other, in which the reader tells what each has for itself. */
static bool is_linked(const char *text)
{
	const char *first = strstr(text, ".version");
	return first && strstr(first + 1, "\n.version");
}

/* The text with its variables visible: nvcc leaves the word out in programs of one unit, though the host asks for them by name. */
static char *with_visible(const char *text)
{
	hd_text out = {0};
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");
		n += line[n] == '\n';
		if (strncmp(line, ".global ", 8) == 0 || strncmp(line, ".const ", 7) == 0)
			hd_text_printf(&out, ".visible ");
		hd_text_put(&out, line, n);
		line += n;
	}
	return out.at ? out.at : hd_xstrdup("");
}

/* True for the vendor's libcudadevrt.a. Heddle has its functions itself (lib/heddle_children.cu). */
static bool is_device_runtime(const char *text) { return strstr(text, "__CNPRT_VERSION_NUMBER__"); }

/* Appends the text of a fat binary for this device. cudaErrorNoKernelImageForDevice: it has none. */
static cudaError_t take_text(const void *bytes, size_t size, hd_text *out)
{
	hu_fatbin fatbin;
	hd_diag diag = {0};
	bool good = hu_fatbin_read(&fatbin, bytes, size, "program", &diag);
	const hu_ptx *best = good ? hu_fatbin_choose(&fatbin, HU_MAJOR * 10 + HU_MINOR) : NULL;
	if (!good)
		fputs(diag.text.at, stderr);
	if (best && best->text.at && !is_device_runtime(best->text.at))
		hd_text_printf(out, "%s\n", best->text.at);
	hu_fatbin_free(&fatbin);
	hd_diag_free(&diag);
	return !good ? cudaErrorInvalidKernelImage : best ? cudaSuccess : cudaErrorNoKernelImageForDevice;
}

/* The text to compile: that of one unit, or of several, one after the other. NULL: there is none for this device, and standard error has a line that
 * says so. */
static char *choose_text(hu_module *module, cudaError_t *error)
{
	hd_text text = {0};
	*error = cudaSuccess;
	if (module->text)
		return is_linked(module->text) ? hd_xstrdup(module->text) : with_visible(module->text);
	if (!module->units)
		*error = take_text(module->fatbin, module->fatbin_size, &text);
	for (size_t i = 0; module->units && module->units[i] && *error == cudaSuccess; i++)
		*error = take_text(module->units[i], SIZE_MAX, &text);
	if (*error == cudaErrorNoKernelImageForDevice)
		fprintf(stderr,
		        "heddle: error: the program has machine code of another device and no PTX, build it with PTX (-arch=compute_75 or clang's "
		        "default)\n");
	if (module->units && *error == cudaSuccess)
		return text.at ? text.at : hd_xstrdup("");
	char *chosen = *error == cudaSuccess ? with_visible(text.n ? text.at : "") : NULL;
	hd_text_free(&text);
	return chosen;
}

static hd_object *compile(const char *text, hd_diag *diag)
{
	hd_text key = {0}, log = {0};
	bool keyed = hr_cache_key(&key);
	if (keyed) {
		hd_machine_print(&hr_device.machine, &key);
		hd_text_printf(&key, "ptx\n%s", text);
	}
	hd_object *code = keyed ? hr_cache_load(&key, &log) : NULL;
	if (!code) {
		hd_build_options options = {.machine = &hr_device.machine, .text = text, .text_size = strlen(text)};
		code = hd_build("program.ptx", &options, diag);
		size_t n;
		unsigned char *bytes = keyed && code ? hd_object_write(code, &n) : NULL;
		if (bytes)
			hr_cache_store(&key, &log, bytes, n);
		free(bytes);
	}
	hd_text_free(&key);
	hd_text_free(&log);
	return code;
}

static const hd_variable *variable_of(const hd_object *code, const char *name)
{
	for (size_t i = 0; i < code->variables.n; i++)
		if (strcmp(code->variables.at[i].name, name) == 0)
			return &code->variables.at[i];
	return NULL;
}

/* Memory for a data segment with a managed variable: host and device see it at one address. 0: there is none such, or no room. */
static uint64_t map_managed(hu_module *module)
{
	const hd_object *code = module->code;
	bool any = false;
	for (size_t i = 0; i < code->variables.n; i++)
		any = any || code->variables.at[i].managed;
	if (!any)
		return 0;
	pthread_mutex_lock(&hr_lock);
	module->managed = hr_map(&hu.hint, code->data.n);
	pthread_mutex_unlock(&hr_lock);
	if (!module->managed)
		return 0;
	bool shared = hd_memory_share(hu_memory_take(HR_PRIORITY_HIGH), module->managed, code->data.n, "the module's variables");
	hu_memory_leave();
	if (shared)
		return (uintptr_t)module->managed;
	hr_unmap(module->managed, code->data.n);
	module->managed = NULL;
	return 0;
}

/* Gives a registered variable its address. What no kernel uses may not be in the code: it has memory of its own. */
static bool place_variable(hu_module *module, hu_variable *v)
{
	const hd_variable *in_code = variable_of(module->code, v->name);
	if (in_code) {
		v->address = module->loaded->data_base + in_code->offset;
		v->size = v->size && v->size < in_code->size ? v->size : in_code->size;
	} else if (v->size) {
		hd_memory *memory = hu_memory_take(HR_PRIORITY_HIGH);
		v->address = hd_memory_alloc(memory, v->size, "a variable");
		v->own = v->address ? hd_memory_at(memory, v->address, v->size) : NULL;
		hu_memory_leave();
		if (!v->own)
			return false;
		hu_note(&(hu_block){.kind = HU_MODULE, .address = v->address, .size = v->size, .bytes = v->own});
	}
	if (v->managed && in_code)
		*v->managed = (void *)(uintptr_t)v->address;
	return true;
}

/* `names` is held, as it guards the lists. */
static bool place_all(hu_module *module)
{
	bool good = true;
	hd_program *loaded = module->loaded;
	if (loaded->data_base) {
		uint8_t *bytes = hd_memory_at(hu_memory_take(HR_PRIORITY_HIGH), loaded->data_base, module->code->data.n);
		hu_memory_leave();
		hu_note(&(hu_block){.kind = HU_MODULE, .address = loaded->data_base, .size = module->code->data.n, .bytes = bytes});
	}
	for (size_t i = 0; i < module->variables.n && good; i++)
		good = place_variable(module, module->variables.at[i]);
	for (size_t i = 0; i < module->functions.n; i++)
		module->functions.at[i]->kernel = hd_object_kernel(module->code, module->functions.at[i]->name);
	return good;
}

static cudaError_t build(hu_module *module)
{
	cudaError_t error;
	hd_diag diag = {0};
	module->source = choose_text(module, &error);
	if (!module->source)
		return error;
	module->code = compile(module->source, &diag);
	if (module->code) {
		uint64_t base = map_managed(module);
		module->loaded = hd_program_new_at(module->code, hu_memory_take(HR_PRIORITY_HIGH), base, &diag);
		hu_memory_leave();
	}
	if (diag.text.n && module->log)
		hd_text_put(module->log, diag.text.at, diag.text.n);
	else if (diag.text.n)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	if (!module->code)
		return cudaErrorInvalidPtx;
	if (!module->loaded)
		return cudaErrorMemoryAllocation;
	pthread_mutex_lock(&names);
	bool placed = place_all(module);
	pthread_mutex_unlock(&names);
	return placed ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t hu_module_build(hu_module *module)
{
	pthread_mutex_lock(&module->building);
	if (!module->built) {
		module->error = build(module);
		module->built = true;
	}
	cudaError_t error = module->error;
	pthread_mutex_unlock(&module->building);
	return error;
}

/* -- look-ups ----------------------------------------------------------------------------------------------------------------------------------- */
cudaError_t hu_function_handle(const void *host, hu_function **function)
{
	/* A command that has ended may use the function of a module that is gone for a moment more. */
	if (hr_is(host, HU_FUNCTION_KIND) && atomic_load(&((const hu_function *)host)->object.refs)) {
		*function = (hu_function *)host;
		return cudaSuccess;
	}
	*function = look_up(host).function;
	return *function ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t hu_function_of(const void *host, hu_function **function)
{
	cudaError_t error = hu_function_handle(host, function);
	if (error == cudaSuccess)
		error = hu_module_build((*function)->module);
	return error == cudaSuccess && !(*function)->kernel ? cudaErrorInvalidDeviceFunction : error;
}

static cudaError_t function_named(hu_module *module, const char *name, hu_function **function)
{
	cudaError_t error = hu_module_build(module);
	*function = NULL;
	if (error != cudaSuccess)
		return error;
	const hd_kernel *kernel = hd_object_kernel(module->code, name);
	if (!kernel)
		return cudaErrorSymbolNotFound;
	pthread_mutex_lock(&names);
	for (size_t i = 0; i < module->functions.n && !*function; i++)
		if (strcmp(module->functions.at[i]->name, name) == 0)
			*function = module->functions.at[i];
	if (!*function)
		*function = function_new(module, name);
	(*function)->kernel = kernel;
	pthread_mutex_unlock(&names);
	return cudaSuccess;
}

/* Whether something can be asked of what the program takes for a module. */
static cudaError_t can_ask(const void *module, bool complete)
{
	return !complete ? cudaErrorInvalidValue : hu_module_is(module) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t hu_module_find(const void *module, const char *name, void *to)
{
	hu_function *function;
	cudaError_t error = can_ask(module, to && name);
	if (error == cudaSuccess)
		error = function_named((hu_module *)module, name, &function);
	if (error == cudaSuccess)
		memcpy(to, &function, sizeof function);
	return error;
}

cudaError_t hu_module_count(const void *module, unsigned *n)
{
	cudaError_t error = can_ask(module, n);
	if (error == cudaSuccess)
		*n = (unsigned)((const hu_module *)module)->code->kernels.n;
	return error;
}

cudaError_t hu_module_list(const void *module, void *list, unsigned n)
{
	hu_module *m = (hu_module *)module;
	hu_function *function;
	cudaError_t error = can_ask(module, list);
	for (unsigned i = 0; error == cudaSuccess && i < n && i < m->code->kernels.n; i++) {
		if (function_named(m, m->code->kernels.at[i].name, &function) != cudaSuccess)
			break;
		memcpy((char *)list + i * sizeof function, &function, sizeof function);
	}
	return error;
}

cudaError_t hu_module_unload(const void *module)
{
	cudaError_t error = can_ask(module, true);
	if (error == cudaSuccess)
		hu_module_free((hu_module *)module);
	return error;
}

hu_module *hu_module_of(const hu_function *function) { return function->module; }

/* A managed variable of the program that lies in its own memory. */
static bool in_managed(const void *host)
{
	pthread_mutex_lock(&names);
	bool in = managed_range.begin && (const uint8_t *)host >= managed_range.begin && (const uint8_t *)host < managed_range.end;
	pthread_mutex_unlock(&names);
	return in;
}

cudaError_t hu_symbol(const void *host, uint64_t *address, uint64_t *size)
{
	known found = look_up(host);
	if (!found.variable)
		return cudaErrorInvalidSymbol;
	cudaError_t error = hu_module_build(found.module);
	if (error != cudaSuccess)
		return error;
	*address = in_managed(host) ? (uintptr_t)host : found.variable->address;
	*size = found.variable->size;
	return *address ? cudaSuccess : cudaErrorInvalidSymbol;
}

cudaError_t hu_module_find_variable(const void *module, const char *name, void *at, size_t *bytes)
{
	hu_module *m = (hu_module *)module;
	cudaError_t error = can_ask(module, name && (at || bytes));
	if (error == cudaSuccess)
		error = hu_module_build(m);
	if (error != cudaSuccess)
		return error;
	const hd_variable *v = variable_of(m->code, name);
	if (!v)
		return cudaErrorSymbolNotFound;
	uint64_t address = m->loaded->data_base + v->offset;
	if (at)
		memcpy(at, &address, sizeof address);
	if (bytes)
		*bytes = v->size;
	return cudaSuccess;
}

/* -- managed variables that lie in the program's memory --------------------------------------------------------------------------------------- */
static void move_managed(const hu_module *module, bool to_device)
{
	pthread_mutex_lock(&names);
	for (size_t i = 0; managed_range.begin && i < module->variables.n; i++) {
		const hu_variable *v = module->variables.at[i];
		uint8_t *host = (uint8_t *)(uintptr_t)v->host;
		const hd_variable *in_code = variable_of(module->code, v->name);
		if (!in_code || host < managed_range.begin || host >= managed_range.end)
			continue;
		uint8_t *device = hu_find(v->address).bytes + in_code->offset;
		memcpy(to_device ? device : host, to_device ? host : device, v->size);
	}
	pthread_mutex_unlock(&names);
}

void hu_module_begin(hu_module *module)
{
	bool any = false;
	pthread_mutex_lock(&names);
	for (size_t i = 0; i < module->variables.n && managed_range.begin; i++) {
		const uint8_t *host = module->variables.at[i]->host;
		any = any || (host >= managed_range.begin && host < managed_range.end);
	}
	pthread_mutex_unlock(&names);
	if (any && hu_start() == cudaSuccess && hu_module_build(module) == cudaSuccess)
		move_managed(module, false);
}

/* -- what a launch needs ------------------------------------------------------------------------------------------------------------------------ */
const hd_program *hu_program_of(const hu_function *function) { return function->module->loaded; }
struct hd_oracle **hu_oracle_of(const hu_function *function) { return &function->module->interp; }
const char *hu_source_of(const hu_function *function) { return function->module->source; }

void hu_managed_move(const hu_function *function, bool to_device) { move_managed(function->module, to_device); }
