// Cooperative groups: blocks, tiles of a warp, lanes that are together, and the grid. Its barrier needs all blocks on the machine at the same time, which
// a cooperative launch makes sure of.
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

namespace cooperative_groups
{
#define HEDDLE_CG static __device__ __forceinline__
#define HEDDLE_CG_MEMBER __device__ __forceinline__

namespace heddle
{
HEDDLE_CG unsigned __block_size() { return blockDim.x * blockDim.y * blockDim.z; }
HEDDLE_CG unsigned block_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
HEDDLE_CG unsigned __lane() { return (unsigned)__nvvm_read_ptx_sreg_laneid(); }
// All n that meet at *count, which is zero at first, go on together. Each adds 1, the first one what sets the upper bit: all have come when it is another
// one than before.
HEDDLE_CG void __meet(unsigned *__count, bool __first, unsigned __n, bool __of_grid)
{
	unsigned __before, __now, __own = __first ? 0x80000000u - (__n - 1u) : 1u;
	if (__of_grid)
		asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(__before) : "l"(__count), "r"(__own) : "memory");
	else
		asm volatile("atom.add.release.cta.u32 %0, [%1], %2;" : "=r"(__before) : "l"(__count), "r"(__own) : "memory");
	do
		if (__of_grid)
			asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(__now) : "l"(__count) : "memory");
		else
			asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(__now) : "l"(__count) : "memory");
	while (!((__before ^ __now) & 0x80000000u));
}
// Values of any size that shuffles can carry, word by word.
template <class __T, class __F> HEDDLE_CG __T __by_words(const __T &value, __F __shuffle)
{
	constexpr unsigned __n = (sizeof(__T) + 3) / 4;
	unsigned __words[__n] = {};
	__builtin_memcpy(__words, &value, sizeof(__T));
	for (unsigned __i = 0; __i < __n; __i++)
		__words[__i] = __shuffle(__words[__i]);
	__T result;
	__builtin_memcpy(&result, __words, sizeof(__T));
	return result;
}
}

// Any group, by what it can do without knowing which it is.
class thread_group
{
      public:
	HEDDLE_CG_MEMBER void sync() const { __whole_block ? __syncthreads() : __syncwarp(__lanes); }
	HEDDLE_CG_MEMBER unsigned long long size() const { return __count; }
	HEDDLE_CG_MEMBER unsigned long long num_threads() const { return __count; }
	HEDDLE_CG_MEMBER unsigned long long thread_rank() const { return __rank; }
	HEDDLE_CG_MEMBER bool is_valid() const { return true; }

      protected:
	HEDDLE_CG_MEMBER thread_group(bool __block, unsigned __mask, unsigned __n, unsigned __own)
	    : __whole_block(__block), __lanes(__mask), __count(__n), __rank(__own)
	{
	}
	bool __whole_block;
	unsigned __lanes, __count, __rank;
	friend __device__ thread_group tiled_partition(const thread_group &__parent, unsigned size);
};

// Memory that tiles of several warps have of the program for devices before sm_80. Here they have their own.
template <unsigned __Most = 1024> struct block_tile_memory {
	unsigned __unused;
};

class thread_block : public thread_group
{
	HEDDLE_CG_MEMBER thread_block() : thread_group(true, 0xffffffffu, heddle::__block_size(), heddle::block_rank()) {}
	friend __device__ thread_block this_thread_block();
	template <unsigned __Most> friend __device__ thread_block this_thread_block(block_tile_memory<__Most> &);

      public:
	static HEDDLE_CG_MEMBER void sync() { __syncthreads(); }
	static HEDDLE_CG_MEMBER unsigned size() { return heddle::__block_size(); }
	static HEDDLE_CG_MEMBER unsigned num_threads() { return heddle::__block_size(); }
	static HEDDLE_CG_MEMBER unsigned thread_rank() { return heddle::block_rank(); }
	static HEDDLE_CG_MEMBER dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
	static HEDDLE_CG_MEMBER dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
	static HEDDLE_CG_MEMBER dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
	static HEDDLE_CG_MEMBER dim3 dim_threads() { return group_dim(); }
};
__device__ __forceinline__ thread_block this_thread_block() { return thread_block(); }
template <unsigned __Most> __device__ __forceinline__ thread_block this_thread_block(block_tile_memory<__Most> &) { return thread_block(); }

class grid_group
{
      public:
	static HEDDLE_CG_MEMBER void sync()
	{
		__syncthreads();
		if (heddle::block_rank() == 0)
			heddle::__meet(__workspace(), block_rank() == 0, (unsigned)num_blocks(), true);
		__syncthreads();
	}
	static HEDDLE_CG_MEMBER bool is_valid() { return true; }
	static HEDDLE_CG_MEMBER unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
	static HEDDLE_CG_MEMBER unsigned long long block_rank() { return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
	static HEDDLE_CG_MEMBER unsigned long long size() { return num_blocks() * heddle::__block_size(); }
	static HEDDLE_CG_MEMBER unsigned long long num_threads() { return size(); }
	static HEDDLE_CG_MEMBER unsigned long long thread_rank() { return block_rank() * heddle::__block_size() + heddle::block_rank(); }
	static HEDDLE_CG_MEMBER dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
	static HEDDLE_CG_MEMBER dim3 dim_blocks() { return group_dim(); }
	static HEDDLE_CG_MEMBER dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }

      private:
	static HEDDLE_CG_MEMBER unsigned *__workspace()
	{
		unsigned __low, __high;
		asm volatile("mov.u32 %0, %%envreg2;" : "=r"(__low));
		asm volatile("mov.u32 %0, %%envreg1;" : "=r"(__high));
		return (unsigned *)((unsigned long long)__high << 32 | __low) + 1;
	}
};
HEDDLE_CG grid_group this_grid() { return grid_group(); }

namespace heddle
{
// Size threads of a block that lie side by side: lanes of a warp, or several warps.
template <unsigned __Size, bool __Several> class __tile : public thread_group
{
	static_assert(__Size && (__Size & (__Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16, 32, 64, 128, 256 or 512 threads");

      public:
	HEDDLE_CG_MEMBER __tile() : thread_group(false, __mask(), __Size, thread_rank()) {}
	static HEDDLE_CG_MEMBER unsigned __mask()
	{
		return (__Size == 32 ? 0xffffffffu : (1u << (__Size & 31)) - 1) << (heddle::__lane() & ~(__Size - 1));
	}
	static HEDDLE_CG_MEMBER void sync() { __syncwarp(__mask()); }
	static constexpr HEDDLE_CG_MEMBER unsigned size() { return __Size; }
	static constexpr HEDDLE_CG_MEMBER unsigned num_threads() { return __Size; }
	static HEDDLE_CG_MEMBER unsigned thread_rank() { return heddle::__lane() & (__Size - 1); }
	template <class __T> HEDDLE_CG_MEMBER __T shfl(__T __v, int __from) const
	{
		return heddle::__by_words(__v, [=](unsigned w) { return __shfl_sync(__mask(), w, __from, __Size); });
	}
	template <class __T> HEDDLE_CG_MEMBER __T shfl_up(__T __v, unsigned __n) const
	{
		return heddle::__by_words(__v, [=](unsigned w) { return __shfl_up_sync(__mask(), w, __n, __Size); });
	}
	template <class __T> HEDDLE_CG_MEMBER __T shfl_down(__T __v, unsigned __n) const
	{
		return heddle::__by_words(__v, [=](unsigned w) { return __shfl_down_sync(__mask(), w, __n, __Size); });
	}
	template <class __T> HEDDLE_CG_MEMBER __T shfl_xor(__T __v, unsigned __n) const
	{
		return heddle::__by_words(__v, [=](unsigned w) { return __shfl_xor_sync(__mask(), w, (int)__n, __Size); });
	}
	HEDDLE_CG_MEMBER int any(int __p) const { return __any_sync(__mask(), __p); }
	HEDDLE_CG_MEMBER int all(int __p) const { return __all_sync(__mask(), __p); }
	HEDDLE_CG_MEMBER unsigned ballot(int __p) const { return (__ballot_sync(__mask(), __p) & __mask()) >> (heddle::__lane() & ~(__Size - 1)); }
	template <class __T> HEDDLE_CG_MEMBER unsigned match_any(__T __v) const
	{
		return __match_any_sync(__mask(), __v) >> (heddle::__lane() & ~(__Size - 1));
	}
	template <class __T> HEDDLE_CG_MEMBER unsigned match_all(__T __v, int &all) const
	{
		return __match_all_sync(__mask(), __v, &all) >> (heddle::__lane() & ~(__Size - 1));
	}
};

// One word for each tile of 64, 128, 256 and 512 threads, which are zero when a block begins.
__device__ __forceinline__ unsigned *__meetings()
{
	static __shared__ unsigned __words[16 + 8 + 4 + 2];
	return __words;
}
// A value of each warp of the block.
__device__ __forceinline__ unsigned long long *__of_warps()
{
	static __shared__ unsigned long long __values[32];
	return __values;
}
template <unsigned __Size> class __tile<__Size, true>
{
	static_assert(__Size <= 512 && (__Size & (__Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16, 32, 64, 128, 256 or 512 threads");

      public:
	static constexpr HEDDLE_CG_MEMBER unsigned __warps() { return __Size / 32; }
	static HEDDLE_CG_MEMBER void sync()
	{
		unsigned __first = __Size == 64 ? 0 : __Size == 128 ? 16 : __Size == 256 ? 24 : 28;
		__syncwarp();
		if (heddle::__lane() == 0)
			heddle::__meet(__meetings() + __first + block_rank() / __Size, thread_rank() == 0, __warps(), false);
		__syncwarp();
	}
	static constexpr HEDDLE_CG_MEMBER bool is_valid() { return true; }
	static constexpr HEDDLE_CG_MEMBER unsigned size() { return __Size; }
	static constexpr HEDDLE_CG_MEMBER unsigned num_threads() { return __Size; }
	static HEDDLE_CG_MEMBER unsigned thread_rank() { return block_rank() & (__Size - 1); }
	// Returns get(value_of), where value_of(w) is the value that the giving lane of warp w of the tile gave.
	template <class __T, class __F> static HEDDLE_CG_MEMBER auto __exchange(const __T &value, bool __gives, __F __get)
	{
		static_assert(sizeof(__T) <= 8, "tiles of more than 32 threads exchange values of at most 8 bytes");
		unsigned long long *__values = __of_warps() + block_rank() / __Size * __warps();
		if (__gives)
			__builtin_memcpy(__values + thread_rank() / 32, &value, sizeof(__T));
		sync();
		auto result = __get([=](unsigned __warp) {
			__T __other;
			__builtin_memcpy(&__other, __values + __warp, sizeof(__T));
			return __other;
		});
		sync();
		return result;
	}
	template <class __T> HEDDLE_CG_MEMBER __T shfl(__T __v, unsigned __from) const
	{
		return __exchange(__v, thread_rank() == __from % __Size, [=](auto __value_of) { return __value_of(__from % __Size / 32); });
	}
	HEDDLE_CG_MEMBER int any(int __p) const
	{
		return __exchange(__any_sync(0xffffffffu, __p), heddle::__lane() == 0, [](auto __value_of) {
			int __some = 0;
			for (unsigned __i = 0; __i < __warps(); __i++)
				__some |= __value_of(__i);
			return __some;
		});
	}
	HEDDLE_CG_MEMBER int all(int __p) const { return !any(!__p); }
};

// How many such tiles a parent has, and which one of them this is.
template <unsigned __Size, class __Parent> struct __place {
	static HEDDLE_CG_MEMBER unsigned __count() { return (__Parent::num_threads() + __Size - 1) / __Size; }
	static HEDDLE_CG_MEMBER unsigned __number() { return __Parent::thread_rank() / __Size; }
};
template <unsigned __Size> struct __place<__Size, void> : __place<__Size, thread_block> {
};
}

template <unsigned __Size, class __Parent = void> class thread_block_tile : public heddle::__tile<__Size, (__Size > 32)>
{
	unsigned __groups, __group;

      public:
	HEDDLE_CG_MEMBER thread_block_tile()
	    : __groups(heddle::__place<__Size, __Parent>::__count()), __group(heddle::__place<__Size, __Parent>::__number())
	{
	}
	// thread_block_tile<32> tile = tiled_partition<32>(block);
	template <class __Other>
	HEDDLE_CG_MEMBER thread_block_tile(const thread_block_tile<__Size, __Other> &__same)
	    : __groups(__same.meta_group_size()), __group(__same.meta_group_rank())
	{
	}
	HEDDLE_CG_MEMBER unsigned meta_group_size() const { return __groups; }
	HEDDLE_CG_MEMBER unsigned meta_group_rank() const { return __group; }
};
template <unsigned __Size, class __Parent> HEDDLE_CG thread_block_tile<__Size, __Parent> tiled_partition(const __Parent &) { return thread_block_tile<__Size, __Parent>(); }
__device__ __forceinline__ thread_group tiled_partition(const thread_group &__parent, unsigned size)
{
	unsigned __lane = heddle::__lane(), __mask = (size >= 32 ? 0xffffffffu : (1u << size) - 1) << (__lane & ~(size - 1));
	return thread_group(false, __mask, size, __lane & (size - 1));
}

// The lanes that execute this together. Ranks count them.
class coalesced_group : public thread_group
{
	HEDDLE_CG_MEMBER coalesced_group(unsigned __mask)
	    : thread_group(false, __mask, (unsigned)__popc(__mask), (unsigned)__popc(__mask & ((1u << heddle::__lane()) - 1)))
	{
	}
	friend __device__ coalesced_group coalesced_threads();
	template <unsigned __Size, class __Parent, class __T> friend __device__ coalesced_group labeled_partition(const thread_block_tile<__Size, __Parent> &, __T);
	template <class __T> friend __device__ coalesced_group labeled_partition(const coalesced_group &, __T);
	HEDDLE_CG_MEMBER unsigned __lane_of(unsigned __of) const { return __fns(__lanes, 0, (int)__of + 1); }
	HEDDLE_CG_MEMBER unsigned __packed(unsigned __set) const
	{
		unsigned __bits = 0;
		for (unsigned __at = 0, __rest = __lanes; __rest; __rest &= __rest - 1, __at++)
			__bits |= (__set & (__rest & (0u - __rest)) ? 1u : 0u) << __at;
		return __bits;
	}

      public:
	HEDDLE_CG_MEMBER void sync() const { __syncwarp(__lanes); }
	HEDDLE_CG_MEMBER unsigned size() const { return __count; }
	HEDDLE_CG_MEMBER unsigned num_threads() const { return __count; }
	HEDDLE_CG_MEMBER unsigned thread_rank() const { return __rank; }
	HEDDLE_CG_MEMBER unsigned meta_group_size() const { return 1; }
	HEDDLE_CG_MEMBER unsigned meta_group_rank() const { return 0; }
	template <class __T> HEDDLE_CG_MEMBER __T shfl(__T __v, unsigned __from) const
	{
		unsigned __lane = __lane_of(__from), __mask = __lanes;
		return heddle::__by_words(__v, [=](unsigned w) { return __shfl_sync(__mask, w, (int)__lane, 32); });
	}
	template <class __T> HEDDLE_CG_MEMBER __T shfl_up(__T __v, unsigned __n) const { return shfl(__v, __rank < __n ? __rank : __rank - __n); }
	template <class __T> HEDDLE_CG_MEMBER __T shfl_down(__T __v, unsigned __n) const
	{
		return shfl(__v, __rank + __n < __count ? __rank + __n : __rank);
	}
	HEDDLE_CG_MEMBER int any(int __p) const { return __any_sync(__lanes, __p); }
	HEDDLE_CG_MEMBER int all(int __p) const { return __all_sync(__lanes, __p); }
	HEDDLE_CG_MEMBER unsigned ballot(int __p) const { return __packed(__ballot_sync(__lanes, __p)); }
	template <class __T> HEDDLE_CG_MEMBER unsigned match_any(__T __v) const { return __packed(__match_any_sync(__lanes, __v)); }
	template <class __T> HEDDLE_CG_MEMBER unsigned match_all(__T __v, int &all) const { return __packed(__match_all_sync(__lanes, __v, &all)); }
};
__device__ __forceinline__ coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
template <unsigned __Size, class __Parent, class __T>
__device__ __forceinline__ coalesced_group labeled_partition(const thread_block_tile<__Size, __Parent> &, __T __label)
{
	return coalesced_group(__match_any_sync(thread_block_tile<__Size, __Parent>::__mask(), __label));
}
template <class __T> __device__ __forceinline__ coalesced_group labeled_partition(const coalesced_group &__group, __T __label)
{
	return coalesced_group(__match_any_sync(__group.__lanes, __label));
}
template <class __Group> __device__ __forceinline__ coalesced_group binary_partition(const __Group &__group, bool __side)
{
	return labeled_partition(__group, (int)__side);
}

// One thread of the group calls; with broadcast, all get what it returned.
template <class __Group, class __F, class... __A> HEDDLE_CG void invoke_one(const __Group &__group, __F &&__call, __A &&...__arguments)
{
	if (__group.thread_rank() == 0)
		__call(static_cast<__A &&>(__arguments)...);
}
template <class __Group, class __F, class... __A> HEDDLE_CG auto invoke_one_broadcast(const __Group &__group, __F &&__call, __A &&...__arguments)
{
	decltype(__call(static_cast<__A &&>(__arguments)...)) result{};
	if (__group.thread_rank() == 0)
		result = __call(static_cast<__A &&>(__arguments)...);
	return __group.shfl(result, 0);
}

template <class __Group> HEDDLE_CG void sync(const __Group &__group) { __group.sync(); }
template <class __Group> HEDDLE_CG unsigned thread_rank(const __Group &__group) { return (unsigned)__group.thread_rank(); }
template <class __Group> HEDDLE_CG unsigned group_size(const __Group &__group) { return (unsigned)__group.size(); }

#undef HEDDLE_CG
#undef HEDDLE_CG_MEMBER
}

#endif
