// SHA-256 (FIPS 180-4) of many messages as a CUDA program, a message a thread. Host and device call the same function; the first message is "abc",
// whose digest is in the standard. The host computes the constants of the rounds and copies them to constant memory.
#include "../example.cuh"

enum { BLOCK = 64, ROUNDS = 64, WORDS = 8 };

__constant__ unsigned device_rounds[ROUNDS];

__host__ __device__ inline unsigned right(unsigned x, unsigned n) { return x >> n | x << (32 - n); }

// Byte i of a padded message: the text, 0x80, zeros, and in the last 8 bytes of the last block the length in bits, most significant byte first.
__host__ __device__ inline unsigned padded_byte(const unsigned char *text, unsigned length, unsigned blocks, unsigned i)
{
	if (i < length)
		return text[i];
	if (i == length)
		return 0x80;
	unsigned from_end = blocks * 64 - 1 - i;
	return from_end < 4 ? length * 8 >> from_end * 8 & 0xff : 0;
}

__host__ __device__ inline void digest_of(const unsigned *rounds, const unsigned char *text, unsigned length, unsigned *digest)
{
	unsigned h[WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	unsigned blocks = (length + 9 + 63) / 64;
	for (unsigned block = 0; block < blocks; block++) {
		unsigned w[16], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7];
		for (unsigned t = 0; t < 16; t++) {
			w[t] = 0;
			for (unsigned i = 0; i < 4; i++)
				w[t] = w[t] << 8 | padded_byte(text, length, blocks, block * 64 + t * 4 + i);
		}
		for (unsigned t = 0; t < ROUNDS; t++) {
			// A ring of 16 words holds the message schedule.
			unsigned word = w[t & 15];
			if (t >= 16) {
				unsigned w15 = w[(t + 1) & 15], w2 = w[(t + 14) & 15];
				word += (right(w15, 7) ^ right(w15, 18) ^ w15 >> 3) + w[(t + 9) & 15] + (right(w2, 17) ^ right(w2, 19) ^ w2 >> 10);
				w[t & 15] = word;
			}
			unsigned t1 = k + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) | (~e & g)) + rounds[t] + word;
			unsigned t2 = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
			k = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
		}
		h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e, h[5] += f, h[6] += g, h[7] += k;
	}
	for (unsigned i = 0; i < WORDS; i++)
		digest[i] = h[i];
}

// Message m is text[first[m]] .. text[first[m + 1] - 1].
__global__ void sha256(const unsigned char *text, const unsigned *first, unsigned *digest, unsigned n)
{
	unsigned m = blockIdx.x * blockDim.x + threadIdx.x;
	if (m < n)
		digest_of(device_rounds, text + first[m], first[m + 1] - first[m], digest + m * WORDS);
}

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
static std::vector<unsigned> round_constants()
{
	std::vector<unsigned> rounds;
	for (unsigned candidate = 2; rounds.size() < ROUNDS; candidate++) {
		bool prime = true;
		for (unsigned d = 2; d * d <= candidate; d++)
			prime = prime && candidate % d;
		double root = std::cbrt((double)candidate);
		if (prime)
			rounds.push_back((unsigned)((root - std::floor(root)) * 4294967296.0));
	}
	return rounds;
}

static void run(Outputs &outputs, unsigned n)
{
	Random random(13);
	std::vector<unsigned char> text = {'a', 'b', 'c'};
	std::vector<unsigned> first = {0}, expected(n * WORDS);
	const std::vector<unsigned> rounds = round_constants();
	for (unsigned m = 1; m <= n; m++) {
		first.push_back((unsigned)text.size());
		for (unsigned length = random.below(256); length; length--)
			text.push_back((unsigned char)random.next());
	}
	for (unsigned m = 0; m < n; m++)
		digest_of(rounds.data(), text.data() + first[m], first[m + 1] - first[m], &expected[m * WORDS]);
	outputs.right = expected[0] == 0xba7816bf && expected[7] == 0xf20015ad;

	CHECK(cudaMemcpyToSymbol(device_rounds, rounds.data(), sizeof device_rounds));
	unsigned char *device_text = to_device(text);
	unsigned *device_first = to_device(first), *digest = zeros_on_device<unsigned>(n * WORDS);
	sha256<<<blocks_for(n, BLOCK), BLOCK>>>(device_text, device_first, digest, n);
	CHECK(cudaGetLastError());
	outputs.equal("digest", to_host(digest, n * WORDS), expected);
	CHECK(cudaFree(device_text));
	CHECK(cudaFree(device_first));
	CHECK(cudaFree(digest));
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {1, 33, 400};
	return run_sizes(argc, argv, sizes, run);
}
