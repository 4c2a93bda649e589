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
HEDDLE_CG unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
HEDDLE_CG unsigned block_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
HEDDLE_CG unsigned lane() { return (unsigned)__nvvm_read_ptx_sreg_laneid(); }
// All n that meet at *count, which is zero at first, go on together. Each adds 1, the first one what sets the upper bit: all have come when it is another
// one than before.
HEDDLE_CG void meet(unsigned *count, bool first, unsigned n, bool of_grid)
{
	unsigned before, now, own = first ? 0x80000000u - (n - 1u) : 1u;
	if (of_grid)
		asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(count), "r"(own) : "memory");
	else
		asm volatile("atom.add.release.cta.u32 %0, [%1], %2;" : "=r"(before) : "l"(count), "r"(own) : "memory");
	do
		if (of_grid)
			asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(count) : "memory");
		else
			asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(now) : "l"(count) : "memory");
	while (!((before ^ now) & 0x80000000u));
}
// Values of any size that shuffles can carry, word by word.
template <class T, class F> HEDDLE_CG T by_words(const T &value, F shuffle)
{
	constexpr unsigned n = (sizeof(T) + 3) / 4;
	unsigned words[n] = {};
	__builtin_memcpy(words, &value, sizeof(T));
	for (unsigned i = 0; i < n; i++)
		words[i] = shuffle(words[i]);
	T result;
	__builtin_memcpy(&result, words, sizeof(T));
	return result;
}
}

// Any group, by what it can do without knowing which it is.
class thread_group
{
      public:
	HEDDLE_CG_MEMBER void sync() const { whole_block ? __syncthreads() : __syncwarp(lanes); }
	HEDDLE_CG_MEMBER unsigned long long size() const { return count; }
	HEDDLE_CG_MEMBER unsigned long long num_threads() const { return count; }
	HEDDLE_CG_MEMBER unsigned long long thread_rank() const { return rank; }
	HEDDLE_CG_MEMBER bool is_valid() const { return true; }

      protected:
	HEDDLE_CG_MEMBER thread_group(bool block, unsigned mask, unsigned n, unsigned own) : whole_block(block), lanes(mask), count(n), rank(own) {}
	bool whole_block;
	unsigned lanes, count, rank;
	friend __device__ thread_group tiled_partition(const thread_group &parent, unsigned size);
};

// Memory that tiles of several warps have of the program for devices before sm_80. Here they have their own.
template <unsigned Most = 1024> struct block_tile_memory {
	unsigned unused;
};

class thread_block : public thread_group
{
	HEDDLE_CG_MEMBER thread_block() : thread_group(true, 0xffffffffu, heddle::block_size(), heddle::block_rank()) {}
	friend __device__ thread_block this_thread_block();
	template <unsigned Most> friend __device__ thread_block this_thread_block(block_tile_memory<Most> &);

      public:
	static HEDDLE_CG_MEMBER void sync() { __syncthreads(); }
	static HEDDLE_CG_MEMBER unsigned size() { return heddle::block_size(); }
	static HEDDLE_CG_MEMBER unsigned num_threads() { return heddle::block_size(); }
	static HEDDLE_CG_MEMBER unsigned thread_rank() { return heddle::block_rank(); }
	static HEDDLE_CG_MEMBER dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
	static HEDDLE_CG_MEMBER dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
	static HEDDLE_CG_MEMBER dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
	static HEDDLE_CG_MEMBER dim3 dim_threads() { return group_dim(); }
};
__device__ __forceinline__ thread_block this_thread_block() { return thread_block(); }
template <unsigned Most> __device__ __forceinline__ thread_block this_thread_block(block_tile_memory<Most> &) { return thread_block(); }

class grid_group
{
      public:
	static HEDDLE_CG_MEMBER void sync()
	{
		__syncthreads();
		if (heddle::block_rank() == 0)
			heddle::meet(workspace(), block_rank() == 0, (unsigned)num_blocks(), true);
		__syncthreads();
	}
	static HEDDLE_CG_MEMBER bool is_valid() { return true; }
	static HEDDLE_CG_MEMBER unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
	static HEDDLE_CG_MEMBER unsigned long long block_rank() { return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
	static HEDDLE_CG_MEMBER unsigned long long size() { return num_blocks() * heddle::block_size(); }
	static HEDDLE_CG_MEMBER unsigned long long num_threads() { return size(); }
	static HEDDLE_CG_MEMBER unsigned long long thread_rank() { return block_rank() * heddle::block_size() + heddle::block_rank(); }
	static HEDDLE_CG_MEMBER dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
	static HEDDLE_CG_MEMBER dim3 dim_blocks() { return group_dim(); }
	static HEDDLE_CG_MEMBER dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }

      private:
	static HEDDLE_CG_MEMBER unsigned *workspace()
	{
		unsigned low, high;
		asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
		asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
		return (unsigned *)((unsigned long long)high << 32 | low) + 1;
	}
};
HEDDLE_CG grid_group this_grid() { return grid_group(); }

namespace heddle
{
// Size threads of a block that lie side by side: lanes of a warp, or several warps.
template <unsigned Size, bool Several> class tile : public thread_group
{
	static_assert(Size && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16, 32, 64, 128, 256 or 512 threads");

      public:
	HEDDLE_CG_MEMBER tile() : thread_group(false, mask(), Size, thread_rank()) {}
	static HEDDLE_CG_MEMBER unsigned mask() { return (Size == 32 ? 0xffffffffu : (1u << (Size & 31)) - 1) << (heddle::lane() & ~(Size - 1)); }
	static HEDDLE_CG_MEMBER void sync() { __syncwarp(mask()); }
	static constexpr HEDDLE_CG_MEMBER unsigned size() { return Size; }
	static constexpr HEDDLE_CG_MEMBER unsigned num_threads() { return Size; }
	static HEDDLE_CG_MEMBER unsigned thread_rank() { return heddle::lane() & (Size - 1); }
	template <class T> HEDDLE_CG_MEMBER T shfl(T v, int from) const
	{
		return heddle::by_words(v, [=](unsigned w) { return __shfl_sync(mask(), w, from, Size); });
	}
	template <class T> HEDDLE_CG_MEMBER T shfl_up(T v, unsigned n) const
	{
		return heddle::by_words(v, [=](unsigned w) { return __shfl_up_sync(mask(), w, n, Size); });
	}
	template <class T> HEDDLE_CG_MEMBER T shfl_down(T v, unsigned n) const
	{
		return heddle::by_words(v, [=](unsigned w) { return __shfl_down_sync(mask(), w, n, Size); });
	}
	template <class T> HEDDLE_CG_MEMBER T shfl_xor(T v, unsigned n) const
	{
		return heddle::by_words(v, [=](unsigned w) { return __shfl_xor_sync(mask(), w, (int)n, Size); });
	}
	HEDDLE_CG_MEMBER int any(int p) const { return __any_sync(mask(), p); }
	HEDDLE_CG_MEMBER int all(int p) const { return __all_sync(mask(), p); }
	HEDDLE_CG_MEMBER unsigned ballot(int p) const { return (__ballot_sync(mask(), p) & mask()) >> (heddle::lane() & ~(Size - 1)); }
	template <class T> HEDDLE_CG_MEMBER unsigned match_any(T v) const { return __match_any_sync(mask(), v) >> (heddle::lane() & ~(Size - 1)); }
	template <class T> HEDDLE_CG_MEMBER unsigned match_all(T v, int &all) const
	{
		return __match_all_sync(mask(), v, &all) >> (heddle::lane() & ~(Size - 1));
	}
};

// One word for each tile of 64, 128, 256 and 512 threads, which are zero when a block begins.
__device__ __forceinline__ unsigned *meetings()
{
	static __shared__ unsigned words[16 + 8 + 4 + 2];
	return words;
}
// A value of each warp of the block.
__device__ __forceinline__ unsigned long long *of_warps()
{
	static __shared__ unsigned long long values[32];
	return values;
}
template <unsigned Size> class tile<Size, true>
{
	static_assert(Size <= 512 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16, 32, 64, 128, 256 or 512 threads");

      public:
	static constexpr HEDDLE_CG_MEMBER unsigned warps() { return Size / 32; }
	static HEDDLE_CG_MEMBER void sync()
	{
		unsigned first = Size == 64 ? 0 : Size == 128 ? 16 : Size == 256 ? 24 : 28;
		__syncwarp();
		if (heddle::lane() == 0)
			heddle::meet(meetings() + first + block_rank() / Size, thread_rank() == 0, warps(), false);
		__syncwarp();
	}
	static constexpr HEDDLE_CG_MEMBER bool is_valid() { return true; }
	static constexpr HEDDLE_CG_MEMBER unsigned size() { return Size; }
	static constexpr HEDDLE_CG_MEMBER unsigned num_threads() { return Size; }
	static HEDDLE_CG_MEMBER unsigned thread_rank() { return block_rank() & (Size - 1); }
	// Returns get(value_of), where value_of(w) is the value that the giving lane of warp w of the tile gave.
	template <class T, class F> static HEDDLE_CG_MEMBER auto exchange(const T &value, bool gives, F get)
	{
		static_assert(sizeof(T) <= 8, "tiles of more than 32 threads exchange values of at most 8 bytes");
		unsigned long long *values = of_warps() + block_rank() / Size * warps();
		if (gives)
			__builtin_memcpy(values + thread_rank() / 32, &value, sizeof(T));
		sync();
		auto result = get([=](unsigned warp) {
			T other;
			__builtin_memcpy(&other, values + warp, sizeof(T));
			return other;
		});
		sync();
		return result;
	}
	template <class T> HEDDLE_CG_MEMBER T shfl(T v, unsigned from) const
	{
		return exchange(v, thread_rank() == from % Size, [=](auto value_of) { return value_of(from % Size / 32); });
	}
	HEDDLE_CG_MEMBER int any(int p) const
	{
		return exchange(__any_sync(0xffffffffu, p), heddle::lane() == 0, [](auto value_of) {
			int some = 0;
			for (unsigned i = 0; i < warps(); i++)
				some |= value_of(i);
			return some;
		});
	}
	HEDDLE_CG_MEMBER int all(int p) const { return !any(!p); }
};

// How many such tiles a parent has, and which one of them this is.
template <unsigned Size, class Parent> struct place {
	static HEDDLE_CG_MEMBER unsigned count() { return (Parent::num_threads() + Size - 1) / Size; }
	static HEDDLE_CG_MEMBER unsigned number() { return Parent::thread_rank() / Size; }
};
template <unsigned Size> struct place<Size, void> : place<Size, thread_block> {
};
}

template <unsigned Size, class Parent = void> class thread_block_tile : public heddle::tile<Size, (Size > 32)>
{
	unsigned groups, group;

      public:
	HEDDLE_CG_MEMBER thread_block_tile() : groups(heddle::place<Size, Parent>::count()), group(heddle::place<Size, Parent>::number()) {}
	// thread_block_tile<32> tile = tiled_partition<32>(block);
	template <class Other>
	HEDDLE_CG_MEMBER thread_block_tile(const thread_block_tile<Size, Other> &same) : groups(same.meta_group_size()), group(same.meta_group_rank())
	{
	}
	HEDDLE_CG_MEMBER unsigned meta_group_size() const { return groups; }
	HEDDLE_CG_MEMBER unsigned meta_group_rank() const { return group; }
};
template <unsigned Size, class Parent> HEDDLE_CG thread_block_tile<Size, Parent> tiled_partition(const Parent &) { return thread_block_tile<Size, Parent>(); }
__device__ __forceinline__ thread_group tiled_partition(const thread_group &parent, unsigned size)
{
	unsigned lane = heddle::lane(), mask = (size >= 32 ? 0xffffffffu : (1u << size) - 1) << (lane & ~(size - 1));
	return thread_group(false, mask, size, lane & (size - 1));
}

// The lanes that execute this together. Ranks count them.
class coalesced_group : public thread_group
{
	HEDDLE_CG_MEMBER coalesced_group(unsigned mask)
	    : thread_group(false, mask, (unsigned)__popc(mask), (unsigned)__popc(mask & ((1u << heddle::lane()) - 1)))
	{
	}
	friend __device__ coalesced_group coalesced_threads();
	template <unsigned Size, class Parent, class T> friend __device__ coalesced_group labeled_partition(const thread_block_tile<Size, Parent> &, T);
	template <class T> friend __device__ coalesced_group labeled_partition(const coalesced_group &, T);
	HEDDLE_CG_MEMBER unsigned lane_of(unsigned of) const { return __fns(lanes, 0, (int)of + 1); }
	HEDDLE_CG_MEMBER unsigned packed(unsigned set) const
	{
		unsigned bits = 0;
		for (unsigned at = 0, rest = lanes; rest; rest &= rest - 1, at++)
			bits |= (set & (rest & (0u - rest)) ? 1u : 0u) << at;
		return bits;
	}

      public:
	HEDDLE_CG_MEMBER void sync() const { __syncwarp(lanes); }
	HEDDLE_CG_MEMBER unsigned size() const { return count; }
	HEDDLE_CG_MEMBER unsigned num_threads() const { return count; }
	HEDDLE_CG_MEMBER unsigned thread_rank() const { return rank; }
	HEDDLE_CG_MEMBER unsigned meta_group_size() const { return 1; }
	HEDDLE_CG_MEMBER unsigned meta_group_rank() const { return 0; }
	template <class T> HEDDLE_CG_MEMBER T shfl(T v, unsigned from) const
	{
		unsigned lane = lane_of(from), mask = lanes;
		return heddle::by_words(v, [=](unsigned w) { return __shfl_sync(mask, w, (int)lane, 32); });
	}
	template <class T> HEDDLE_CG_MEMBER T shfl_up(T v, unsigned n) const { return shfl(v, rank < n ? rank : rank - n); }
	template <class T> HEDDLE_CG_MEMBER T shfl_down(T v, unsigned n) const { return shfl(v, rank + n < count ? rank + n : rank); }
	HEDDLE_CG_MEMBER int any(int p) const { return __any_sync(lanes, p); }
	HEDDLE_CG_MEMBER int all(int p) const { return __all_sync(lanes, p); }
	HEDDLE_CG_MEMBER unsigned ballot(int p) const { return packed(__ballot_sync(lanes, p)); }
	template <class T> HEDDLE_CG_MEMBER unsigned match_any(T v) const { return packed(__match_any_sync(lanes, v)); }
	template <class T> HEDDLE_CG_MEMBER unsigned match_all(T v, int &all) const { return packed(__match_all_sync(lanes, v, &all)); }
};
__device__ __forceinline__ coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
template <unsigned Size, class Parent, class T>
__device__ __forceinline__ coalesced_group labeled_partition(const thread_block_tile<Size, Parent> &, T label)
{
	return coalesced_group(__match_any_sync(thread_block_tile<Size, Parent>::mask(), label));
}
template <class T> __device__ __forceinline__ coalesced_group labeled_partition(const coalesced_group &group, T label)
{
	return coalesced_group(__match_any_sync(group.lanes, label));
}
template <class Group> __device__ __forceinline__ coalesced_group binary_partition(const Group &group, bool side)
{
	return labeled_partition(group, (int)side);
}

// One thread of the group calls; with broadcast, all get what it returned.
template <class Group, class F, class... A> HEDDLE_CG void invoke_one(const Group &group, F &&call, A &&...arguments)
{
	if (group.thread_rank() == 0)
		call(static_cast<A &&>(arguments)...);
}
template <class Group, class F, class... A> HEDDLE_CG auto invoke_one_broadcast(const Group &group, F &&call, A &&...arguments)
{
	decltype(call(static_cast<A &&>(arguments)...)) result{};
	if (group.thread_rank() == 0)
		result = call(static_cast<A &&>(arguments)...);
	return group.shfl(result, 0);
}

template <class Group> HEDDLE_CG void sync(const Group &group) { group.sync(); }
template <class Group> HEDDLE_CG unsigned thread_rank(const Group &group) { return (unsigned)group.thread_rank(); }
template <class Group> HEDDLE_CG unsigned group_size(const Group &group) { return (unsigned)group.size(); }

#undef HEDDLE_CG
#undef HEDDLE_CG_MEMBER
}

#endif
