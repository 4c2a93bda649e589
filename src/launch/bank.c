#include "launch/launch.h"

enum { MAX_THREADS = 1024, MAX_WARPS = 32 /* of a CTA: its barriers have a bit for each */, MAX_LOCAL = 512 * 1024 };

static void put32(uint8_t *to, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static void put64(uint8_t *to, uint64_t value)
{
	put32(to, (uint32_t)value);
	put32(to + 4, (uint32_t)(value >> 32));
}

static bool check_shape(const hd_launch *launch, hd_diag *diag)
{
	const hd_kernel *kernel = launch->kernel;
	uint64_t threads = 1, ctas = 1;
	for (unsigned i = 0; i < 3; i++) {
		if (launch->grid[i] == 0 || launch->block[i] == 0) {
			hd_error(diag, (hd_pos){0}, "kernel '%s': grid %ux%ux%u of blocks %ux%ux%u is empty, expected at least 1 in each dimension",
			         hd_kernel_name(kernel), launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0], launch->block[1],
			         launch->block[2]);
			return false;
		}
		threads = threads > MAX_THREADS ? threads : threads * launch->block[i];
		ctas = ctas > UINT64_C(1) << 32 ? ctas : ctas * launch->grid[i];
	}
	if (threads > MAX_THREADS)
		hd_error(diag, (hd_pos){0}, "kernel '%s': a block of %ux%ux%u threads is too large, expected at most %d", hd_kernel_name(kernel),
		         launch->block[0], launch->block[1], launch->block[2], MAX_THREADS);
	else if (kernel->max_threads && threads > kernel->max_threads)
		hd_error(diag, (hd_pos){0}, "kernel '%s': a block of %u threads is too large, expected at most %u, as the kernel declares",
		         hd_kernel_name(kernel), (unsigned)threads, kernel->max_threads);
	if (ctas > UINT64_C(1) << 32)
		hd_error(diag, (hd_pos){0}, "kernel '%s': a grid of %ux%ux%u CTAs is too large, expected at most 2^32", hd_kernel_name(kernel),
		         launch->grid[0], launch->grid[1], launch->grid[2]);
	if (threads <= MAX_THREADS && hd_launch_warps(launch) > MAX_WARPS)
		hd_error(diag, (hd_pos){0}, "kernel '%s': a block of %u threads is %u warps of %u (machine.lanes), expected at most %d",
		         hd_kernel_name(kernel), hd_launch_threads(launch), hd_launch_warps(launch), hd_launch_lanes(launch), MAX_WARPS);
	if (launch->program->crosses && hd_launch_lanes(launch) != HD_LANES)
		hd_error(diag, (hd_pos){0}, "kernel '%s': the program moves values across lanes, machine.lanes is %u, expected %d",
		         hd_kernel_name(kernel), hd_launch_lanes(launch), HD_LANES);
	const uint32_t *required = kernel->required_block, *block = launch->range ? launch->range->block : launch->block;
	if (required[0] && memcmp(required, block, sizeof launch->block) != 0)
		hd_error(diag, (hd_pos){0}, "kernel '%s': a block of %ux%ux%u threads, expected %ux%ux%u, as the kernel requires",
		         hd_kernel_name(kernel), launch->block[0], launch->block[1], launch->block[2], required[0], required[1], required[2]);
	return diag->errors == 0;
}

static bool check_memory(const hd_launch *launch, hd_diag *diag)
{
	const hd_kernel *kernel = launch->kernel;
	uint64_t shared = ((uint64_t)kernel->shared_bytes + 15) / 16 * 16 + launch->dynamic_shared;
	uint64_t literals = launch->program->object->literals.n;
	if (shared > HD_WINDOW_BYTES)
		hd_error(diag, (hd_pos){0}, "kernel '%s': %llu bytes of shared memory, expected at most %llu", hd_kernel_name(kernel),
		         (unsigned long long)shared, (unsigned long long)HD_WINDOW_BYTES);
	if (kernel->local_bytes > MAX_LOCAL)
		hd_error(
		    diag, (hd_pos){0},
		    "kernel '%s': its stack, the arrays and frames of its functions, takes %u bytes of local memory a thread, expected at most %d",
		    hd_kernel_name(kernel), kernel->local_bytes, MAX_LOCAL);
	_Static_assert(HD_BANK_PARAMS + HD_PARAM_BYTES_MAX <= HD_BANK_RANGE, "the range is behind the parameters");
	if (kernel->param_bytes > HD_PARAM_BYTES_MAX)
		hd_error(diag, (hd_pos){0}, "kernel '%s': %u bytes of parameters, expected at most %d", hd_kernel_name(kernel), kernel->param_bytes,
		         HD_PARAM_BYTES_MAX);
	else if (literals > HD_CONST_WORDS - HD_BANK_PARAMS / 4)
		hd_error(diag, (hd_pos){0}, "kernel '%s': %llu literals, expected at most %d", hd_kernel_name(kernel), (unsigned long long)literals,
		         HD_CONST_WORDS - HD_BANK_PARAMS / 4);
	else if (literals && HD_BANK_PARAMS + kernel->param_bytes > (HD_CONST_WORDS - literals) * 4)
		hd_error(diag, (hd_pos){0},
		         "kernel '%s': its %u bytes of parameters run into the program's %llu literals, expected at most %llu bytes",
		         hd_kernel_name(kernel), kernel->param_bytes, (unsigned long long)literals,
		         (unsigned long long)((HD_CONST_WORDS - literals) * 4 - HD_BANK_PARAMS));
	return diag->errors == 0;
}

bool hd_launch_check(const hd_launch *launch, hd_diag *diag)
{
	unsigned before = diag->errors;
	hd_diag own = {0};
	if (check_shape(launch, &own) && check_memory(launch, &own))
		return true;
	hd_text_put(&diag->text, own.text.at, own.text.n);
	diag->errors = before + own.errors;
	hd_diag_free(&own);
	return false;
}

uint64_t hd_shared_argument(const hd_param *param, uint64_t end, uint64_t size)
{
	enum { LEAST = 16, LARGEST_VECTOR = 128, MOST = 4096 };
	uint64_t align = hd_max_u64(hd_min_u64(size & (~size + 1), LARGEST_VECTOR), LEAST), own = param->align;
	if ((own & (own - 1)) == 0)
		align = hd_max_u64(align, hd_min_u64(own, MOST));
	return (end + align - 1) & ~(align - 1);
}

hd_bank *hd_bank_new(const hd_launch *launch, hd_diag *diag)
{
	if (!hd_launch_check(launch, diag))
		return NULL;
	hd_bank *bank = hd_xaligned(sizeof *bank);
	hd_bank_fill(bank, launch);
	return bank;
}

static void put_range(uint8_t *raw, const hd_launch *launch)
{
	const hd_range *range = launch->range;
	for (unsigned i = 0; i < 3; i++) {
		put64(raw + HD_BANK_RANGE + 8 * i, range ? range->offset[i] : launch->offset[i]);
		put64(raw + HD_BANK_RANGE_SIZE + 8 * i, range ? range->size[i] : (uint64_t)launch->grid[i] * launch->block[i]);
		put32(raw + HD_BANK_RANGE_GROUPS + 4 * i, range ? range->groups[i] : launch->grid[i]);
		put32(raw + HD_BANK_RANGE_FIRST + 4 * i, range ? range->first[i] : 0);
		put32(raw + HD_BANK_RANGE_BLOCK + 4 * i, range ? range->block[i] : launch->block[i]);
	}
}

void hd_bank_fill(hd_bank *bank, const hd_launch *launch)
{
	const hd_object *object = launch->program->object;
	uint32_t literals = (uint32_t)object->literals.n, end = HD_BANK_PARAMS + launch->kernel->param_bytes;
	memset(bank->raw, 0, sizeof bank->raw);
	bank->id = launch->handle;
	bank->bytes = launch->program->prints || launch->program->ranges ? HD_BANK_MAX
	              : literals && end < HD_CONST_WORDS * 4             ? HD_CONST_WORDS * 4
	                                                                 : end;
	if (launch->program->ranges)
		put_range(bank->raw, launch);
	put64(bank->raw + HD_BANK_PRINT, launch->print_buffer);
	put64(bank->raw + HD_BANK_PRINT + 8, launch->print_bytes);
	for (unsigned i = 0; i < 3; i++) {
		put32(bank->raw + HD_BANK_NTID + 4 * i, launch->block[i]);
		put32(bank->raw + HD_BANK_NCTAID + 4 * i, launch->grid[i]);
		put64(bank->raw + HD_BANK_OFFSET + 8 * i, launch->offset[i]);
	}
	put32(bank->raw + HD_BANK_WORK_DIM, launch->work_dim);
	put32(bank->raw + HD_BANK_DYNAMIC_SHARED, launch->dynamic_shared);
	put64(bank->raw + HD_BANK_DATA, launch->program->data_base);
	if (launch->kernel->param_bytes)
		memcpy(bank->raw + HD_BANK_PARAMS, launch->params, launch->kernel->param_bytes);
	for (uint32_t i = 0; i < literals; i++)
		put32(bank->raw + 4 * (HD_CONST_WORDS - literals + i), object->literals.at[i]);
	for (unsigned i = 0; i < HD_CONST_WORDS; i++) {
		uint32_t word = hd_load_word(bank->raw + 4 * i);
		if (bank->words[i].v[0] == word) /* and all lanes */
			continue;
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			bank->words[i].v[lane] = word;
	}
}

uint32_t hd_warp_lanes(const hd_launch *launch, uint32_t warp)
{
	uint32_t threads = hd_launch_threads(launch), lanes = hd_launch_lanes(launch), first = warp * lanes;
	if (first >= threads)
		return 0;
	return UINT32_MAX >> (HD_LANES - hd_min_u32(threads - first, lanes));
}

/* One coordinate of the threads from `first` on. */
static void thread_coordinates(const hd_launch *launch, uint32_t first, hd_sreg which, hd_vec32 *out)
{
	const uint32_t *block = launch->block;
	uint32_t x = first % block[0], y = first / block[0] % block[1], z = first / block[0] / block[1];
	for (uint32_t lane = 0; lane < HD_LANES; lane++) {
		out->v[lane] = which == HD_SREG_TIDX ? x : which == HD_SREG_TIDY ? y : z;
		if (++x < block[0])
			continue;
		x = 0;
		if (++y < block[1])
			continue;
		y = 0;
		z++;
	}
}

void hd_special(const hd_launch *launch, const uint32_t cta[3], uint32_t warp, hd_sreg which, hd_vec32 *out)
{
	if (which == HD_SREG_TIDX || which == HD_SREG_TIDY || which == HD_SREG_TIDZ) {
		thread_coordinates(launch, warp * hd_launch_lanes(launch), which, out);
		return;
	}
	for (uint32_t lane = 0; lane < HD_LANES; lane++) {
		uint32_t value = 0;
		switch (which) {
		case HD_SREG_CTAIDX:
			value = cta[0];
			break;
		case HD_SREG_CTAIDY:
			value = cta[1];
			break;
		case HD_SREG_CTAIDZ:
			value = cta[2];
			break;
		case HD_SREG_LANEID:
			value = lane;
			break;
		case HD_SREG_WARPID:
			value = warp;
			break;
		case HD_SREG_NWARPID:
			value = hd_launch_warps(launch);
			break;
		case HD_SREG_GRIDID:
			value = launch->grid_id;
			break;
		case HD_SREG_TASK:
			value = launch->handle;
			break;
		case HD_SREG_LANEMASK_EQ:
			value = 1u << lane;
			break;
		case HD_SREG_LANEMASK_LE:
			value = UINT32_MAX >> (31 - lane);
			break;
		case HD_SREG_LANEMASK_LT:
			value = (1u << lane) - 1;
			break;
		case HD_SREG_LANEMASK_GE:
			value = UINT32_MAX << lane;
			break;
		case HD_SREG_LANEMASK_GT:
			value = lane == 31 ? 0 : UINT32_MAX << (lane + 1);
			break;
		default:
			break; /* zero here; the caller supplies clock, core number and similar registers */
		}
		out->v[lane] = value;
	}
}

void hd_stats_add(hd_stats *into, const hd_stats *from)
{
	uint64_t deepest = hd_max_u64(into->divergence_max_depth, from->divergence_max_depth);
	uint64_t nested = hd_max_u64(into->grids_deepest, from->grids_deepest);
	uint64_t tokens = hd_max_u64(into->divergence_max_tokens, from->divergence_max_tokens);
#define STAT(group, name, doc) into->group##_##name += from->group##_##name;
#include "launch/stats.def"
#undef STAT
	into->divergence_max_depth = deepest;
	into->grids_deepest = nested;
	into->divergence_max_tokens = tokens;
}
