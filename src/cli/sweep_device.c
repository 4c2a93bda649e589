/* The digest of all that decides about the device of a study's application, beside its machine (ST-2). */
#define _DEFAULT_SOURCE
#include "cli/sweep_launch.h"

#include <dirent.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ICD_MAX = 4096, LIBRARIES_MAX = 256, DYNAMIC_MAX = 4096 };

bool hd_sweep_digest_word(hd_digest *digest, const char *word, hd_diag *diag)
{
	char content[HD_DIGEST_TEXT];
	struct stat status;
	hd_digest_text(digest, word);
	if (stat(word, &status) != 0 || !S_ISREG(status.st_mode))
		return true;
	if (!hd_digest_file(word, content, diag))
		return false;
	hd_digest_text(digest, content);
	return true;
}

/* -- OpenCL: drivers -------------------------------------------------------------------------------------------------------------------------- */

/* The driver that the file NAME.icd of the OpenCL loader names. A driver without a path counts by its name alone. */
static bool add_driver(hd_digest *digest, const char *icd, hd_diag *diag)
{
	size_t size;
	char *text = hd_read_file(icd, ICD_MAX, &size, diag);
	if (!text)
		return false;
	text[strcspn(text, "\r\n")] = '\0';
	bool ok = hd_sweep_digest_word(digest, text, diag);
	free(text);
	return ok;
}

static bool add_drivers(hd_digest *digest, hd_diag *diag)
{
	const char *vendors = getenv("OCL_ICD_VENDORS");
	struct dirent **files = NULL;
	bool ok = true;
	vendors = vendors && *vendors ? vendors : "/etc/OpenCL/vendors";
	if (hd_ends_with(vendors, ".icd"))
		return add_driver(digest, vendors, diag);
	int n = scandir(vendors, &files, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		hd_text path = {0};
		hd_text_printf(&path, "%s/%s", vendors, files[i]->d_name);
		if (ok && hd_ends_with(path.at, ".icd"))
			ok = add_driver(digest, path.at, diag);
		hd_text_free(&path);
		free(files[i]);
	}
	free(files);
	return ok;
}

/* -- CUDA and others: shared libraries --------------------------------------------------------------------------------------------------------- */

/* The libraries that were found. Each is looked at once, and the list ends. */
typedef struct libraries {
	hd_digest *digest;
	hd_diag *diag;
	hd_text folders; /* those of LD_LIBRARY_PATH, as the program will see it */
	HD_VEC(char *) paths;
	bool failed;
} libraries;

static void add_file(libraries *l, const char *name, const char *path)
{
	char content[HD_DIGEST_TEXT];
	for (size_t i = 0; i < l->paths.n; i++)
		if (strcmp(l->paths.at[i], path) == 0)
			return;
	if (l->paths.n == LIBRARIES_MAX || !hd_digest_file(path, content, l->diag)) {
		l->failed |= l->paths.n != LIBRARIES_MAX;
		return;
	}
	hd_digest_text(l->digest, name);
	hd_digest_text(l->digest, content);
	hd_vec_push(&l->paths, hd_xstrdup(path));
}

/* Looks for a library in "FOLDER:FOLDER", where $ORIGIN is the folder of the file that needs it. */
static bool find_in(libraries *l, const char *folders, const char *origin, const char *name)
{
	struct stat status;
	bool found = false;
	for (size_t n; !found && folders && *folders; folders += n + (folders[n] == ':')) {
		hd_text path = {0};
		n = strcspn(folders, ":");
		size_t variable = n >= 9 && strncmp(folders, "${ORIGIN}", 9) == 0 ? 9 : n >= 7 && strncmp(folders, "$ORIGIN", 7) == 0 ? 7 : 0;
		if (variable)
			hd_text_printf(&path, "%.*s", (int)(strrchr(origin, '/') ? strrchr(origin, '/') - origin : 1),
			               strrchr(origin, '/') ? origin : ".");
		hd_text_printf(&path, "%.*s/%s", (int)(n - variable), folders + variable, name);
		found = n && stat(path.at, &status) == 0 && S_ISREG(status.st_mode);
		if (found)
			add_file(l, name, path.at);
		hd_text_free(&path);
	}
	return found;
}

/* The dynamic section of an ELF file: false where there is none. */
static bool find_dynamic(Elf *elf, GElf_Shdr *header, Elf_Data **data)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
		if (gelf_getshdr(section, header) && header->sh_type == SHT_DYNAMIC && (*data = elf_getdata(section, NULL)))
			return true;
	return false;
}

/* Looks for the libraries that a file needs, in the order of the dynamic loader. Those of the system's own folders do not count: they are no part of
 * an application or a device. */
static void add_needed(libraries *l, Elf *elf, const char *path)
{
	GElf_Shdr header;
	GElf_Dyn entry;
	Elf_Data *data;
	const char *folders = NULL, *name;
	if (!find_dynamic(elf, &header, &data))
		return;
	for (int i = 0; i < DYNAMIC_MAX && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
		if (entry.d_tag == DT_RUNPATH || (entry.d_tag == DT_RPATH && !folders))
			folders = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
	for (int i = 0; i < DYNAMIC_MAX && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		if (entry.d_tag != DT_NEEDED || !(name = elf_strptr(elf, header.sh_link, entry.d_un.d_val)))
			continue;
		if (!find_in(l, l->folders.at, path, name))
			find_in(l, folders, path, name);
	}
}

static void look_at(libraries *l, const char *path)
{
	struct stat status;
	int file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	Elf *elf = file < 0 ? NULL : elf_begin(file, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		add_needed(l, elf, path);
	elf_end(elf);
	if (file >= 0)
		close(file);
}

static bool add_libraries(hd_digest *digest, const char *program, char *const *words, hd_diag *diag)
{
	libraries l = {.digest = digest, .diag = diag};
	const char *before = getenv("LD_LIBRARY_PATH");
	elf_version(EV_CURRENT);
	if (words[1] && strcmp(words[1], "cudart") == 0) /* `heddle cudart -- ./app` */
		hd_cudart_folders(&l.folders);
	hd_text_printf(&l.folders, ":%s", before ? before : "");
	look_at(&l, program);
	for (char *const *word = words + 1; *word; word++)
		look_at(&l, *word);
	/* A library that was found can need others: the list grows. */
	for (size_t i = 0; i < l.paths.n; i++)
		look_at(&l, l.paths.at[i]);
	hd_digest_number(digest, l.paths.n);
	for (size_t i = 0; i < l.paths.n; i++)
		free(l.paths.at[i]);
	hd_vec_free(&l.paths);
	hd_text_free(&l.folders);
	return !l.failed;
}

bool hd_sweep_device_digest(hd_digest *digest, const char *program, char *const *words, hd_diag *diag)
{
	static const char *const settings[][2] = {{"HEDDLE_MEMORY", ""}, {"HEDDLE_MAX_GROUP", ""}, {"HEDDLE_TYPE", "gpu"}, {"HEDDLE_BOUNDS", "trap"},
	                                          {"HEDDLE_CLANG", ""},  {"HEDDLE_UNPROVEN", ""},  {"HEDDLE_LIBCLC", ""},  {"HEDDLE_DATA", ""},
	                                          {"LD_PRELOAD", ""},    {"OCL_ICD_FILENAMES", ""}};
	for (size_t i = 0; i < HD_COUNT(settings); i++)
		hd_sweep_digest_setting(digest, settings[i][0], settings[i][1]);
	return add_drivers(digest, diag) && add_libraries(digest, program, words, diag);
}
