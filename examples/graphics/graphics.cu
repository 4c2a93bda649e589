// A picture in three stages as a CUDA program: vertices, a rasteriser in software, fragments with a texture. The scene is a ball above a floor. Host
// and device call the same templates, the device with floats and the host with doubles.
#include "../example.cuh"

enum { RINGS = 8, SEGMENTS = 12, CORNERS = (RINGS + 1) * (SEGMENTS + 1) + 4 };
enum { TEXTURE = 64, SUBPIXELS = 16, BLOCK = 64, BLOCK_X = 32, BLOCK_Y = 4 };

// -- vertices ------------------------------------------------------------------------------------------------------------------------------------

// On the screen: position in sixteenths of a pixel, depth, and what perspective divides by.
struct Corner {
	int x, y;
	float z, over_w;
};

struct Matrix {
	float4 rows[4];
};

// In two chains, as the machine computes a dot product of four for graphics.cl.
template <class Real> __host__ __device__ Real dot(float4 a, float4 b)
{
	return fma(Real(a.z), Real(b.z), Real(a.x) * Real(b.x)) + fma(Real(a.w), Real(b.w), Real(a.y) * Real(b.y));
}

__global__ void vertex(const float4 *position, float4 *clip, Corner *out, Matrix matrix, float width, float height, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float4 p = position[i];
	float4 c =
	    make_float4(dot<float>(matrix.rows[0], p), dot<float>(matrix.rows[1], p), dot<float>(matrix.rows[2], p), dot<float>(matrix.rows[3], p));
	float over_w = 1.0f / c.w;
	clip[i] = c;
	out[i].x = __float2int_rd(fmaf(times(c.x, over_w), 0.5f, 0.5f) * width * SUBPIXELS);
	out[i].y = __float2int_rd(fmaf(times(-c.y, over_w), 0.5f, 0.5f) * height * SUBPIXELS);
	out[i].z = c.z * over_w;
	out[i].over_w = over_w;
}

// -- rasteriser ----------------------------------------------------------------------------------------------------------------------------------

// Twice the area of a triangle, in square subpixels; positive if its corners go clockwise on the screen.
__host__ __device__ inline int twice_area(Corner a, Corner b, int x, int y) { return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x); }

// A point on an edge belongs to one of the two triangles that share it: to that of which the edge is a left or an upper one.
__host__ __device__ inline bool is_inside(Corner a, Corner b, int area)
{
	return area > 0 || (area == 0 && ((a.y == b.y && b.x > a.x) || b.y < a.y));
}

// The nearest triangle at the centre of a pixel: 0 = none, otherwise its number from 1, and the weights of its second and third corner.
template <class Real> struct Cover {
	unsigned triangle;
	Real b, c;
};

template <class Real> __host__ __device__ Cover<Real> cover_of(const Corner *corners, const uint3 *triangles, unsigned n, unsigned x, unsigned y)
{
	int px = (int)x * SUBPIXELS + SUBPIXELS / 2, py = (int)y * SUBPIXELS + SUBPIXELS / 2;
	Cover<Real> nearest = {0, 0, 0};
	Real depth = 2;
	for (unsigned i = 0; i < n; i++) {
		Corner a = corners[triangles[i].x], b = corners[triangles[i].y], c = corners[triangles[i].z];
		int area = twice_area(a, b, c.x, c.y), of_a = twice_area(b, c, px, py), of_b = twice_area(c, a, px, py),
		    of_c = twice_area(a, b, px, py);
		if (area <= 0 || !is_inside(b, c, of_a) || !is_inside(c, a, of_b) || !is_inside(a, b, of_c))
			continue;
		Real scale = 1 / Real(area), wb = times(Real(of_b), scale), wc = times(Real(of_c), scale);
		Real z = fma(wc, Real(c.z), fma(1 - wb - wc, Real(a.z), times(wb, Real(b.z))));
		if (z >= depth)
			continue;
		depth = z;
		nearest = {i + 1, wb, wc};
	}
	return nearest;
}

__global__ void raster(const Corner *corners, const uint3 *triangles, unsigned *covers, float2 *weights, unsigned n, unsigned width, unsigned height)
{
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	Cover<float> nearest = cover_of<float>(corners, triangles, n, x, y);
	covers[y * width + x] = nearest.triangle;
	weights[y * width + x] = make_float2(nearest.b, nearest.c);
}

// -- fragments -----------------------------------------------------------------------------------------------------------------------------------

// The part of the scene that fragments read; the pointers are all the host's or all the device's.
struct Surface {
	const Corner *corners;
	const uint3 *triangles;
	const float4 *normals;
	const float2 *places; // in the texture
	const unsigned *texture;
	float4 lamp;
};

template <class Real> struct Colour {
	Real red, green, blue;
};

template <class Real> __host__ __device__ Real mixed(Real a, Real b, Real part) { return fma(b - a, part, a); }

template <class Real> __host__ __device__ Colour<Real> mixed(Colour<Real> a, Colour<Real> b, Real part)
{
	return {mixed(a.red, b.red, part), mixed(a.green, b.green, part), mixed(a.blue, b.blue, part)};
}

template <class Real> __host__ __device__ Colour<Real> texel(const unsigned *texture, int x, int y)
{
	unsigned t = texture[(y & (TEXTURE - 1)) * TEXTURE + (x & (TEXTURE - 1))];
	return {Real(t & 255), Real(t >> 8 & 255), Real(t >> 16 & 255)};
}

// The texture at a place, between its four neighbours, from 0 to 255.
template <class Real> __host__ __device__ Colour<Real> sample(const unsigned *texture, Real at_x, Real at_y)
{
	Real u = fma(at_x, Real(TEXTURE), Real(-0.5)), v = fma(at_y, Real(TEXTURE), Real(-0.5)), part = u - floor(u);
	int x = (int)floor(u), y = (int)floor(v);
	Colour<Real> above = mixed(texel<Real>(texture, x, y), texel<Real>(texture, x + 1, y), part);
	Colour<Real> below = mixed(texel<Real>(texture, x, y + 1), texel<Real>(texture, x + 1, y + 1), part);
	return mixed(above, below, v - floor(v));
}

// A value of the three corners, weighted.
template <class Real> __host__ __device__ Real between(Real a, Real wa, Real b, Real wb, Real c, Real wc)
{
	return fma(c, wc, fma(a, wa, times(b, wb)));
}

// Coordinates and normal with perspective, the texture, and a lamp far away.
template <class Real> __host__ __device__ Colour<Real> shaded(const Surface &s, Cover<Real> cover, unsigned y, unsigned height)
{
	if (!cover.triangle)
		return {30 + times(Real(40), Real(y)) / Real(height), 40, 60};
	uint3 t = s.triangles[cover.triangle - 1];
	Real wb = times(cover.b, Real(s.corners[t.y].over_w)), wc = times(cover.c, Real(s.corners[t.z].over_w));
	Real wa = times(1 - cover.b - cover.c, Real(s.corners[t.x].over_w)), whole = 1 / (wa + wb + wc);
	Real place_x = times(between<Real>(s.places[t.x].x, wa, s.places[t.y].x, wb, s.places[t.z].x, wc), whole);
	Real place_y = times(between<Real>(s.places[t.x].y, wa, s.places[t.y].y, wb, s.places[t.z].y, wc), whole);
	float4 a = s.normals[t.x], b = s.normals[t.y], c = s.normals[t.z];
	Real up_x = between<Real>(a.x, wa, b.x, wb, c.x, wc), up_y = between<Real>(a.y, wa, b.y, wb, c.y, wc),
	     up_z = between<Real>(a.z, wa, b.z, wb, c.z, wc), scale = one_over_root(fma(up_z, up_z, fma(up_y, up_y, times(up_x, up_x))));
	Real facing = fma(times(up_z, scale), Real(s.lamp.z), fma(times(up_y, scale), Real(s.lamp.y), times(times(up_x, scale), Real(s.lamp.x))));
	Real light = fma(Real(0.8f), fmax(facing, Real(0)), Real(0.2f));
	Colour<Real> colour = sample(s.texture, place_x, place_y);
	return {times(colour.red, light), times(colour.green, light), times(colour.blue, light)};
}

__global__ void fragment(const unsigned *covers, const float2 *weights, Surface surface, float4 *colours, unsigned *picture, unsigned width,
                         unsigned height)
{
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * width + x;
	if (x >= width || y >= height)
		return;
	Colour<float> colour = shaded<float>(surface, {covers[i], weights[i].x, weights[i].y}, y, height);
	colours[i] = make_float4(colour.red, colour.green, colour.blue, 255);
	picture[i] = (unsigned)colour.red | (unsigned)colour.green << 8 | (unsigned)colour.blue << 16 | 255u << 24;
}

// -- the scene -----------------------------------------------------------------------------------------------------------------------------------

struct Scene {
	Matrix matrix;
	std::vector<float4> position, normal;
	std::vector<float2> place;
	std::vector<uint3> triangle;
	std::vector<unsigned> texture;

	void put(double x, double y, double z, const double (&up)[3], double u, double v)
	{
		position.push_back(make_float4((float)x, (float)y, (float)z, 1));
		normal.push_back(make_float4((float)up[0], (float)up[1], (float)up[2], 0));
		place.push_back(make_float2((float)u, (float)v));
	}
	void make_ball()
	{
		const double pi = acos(-1.0);
		for (unsigned ring = 0; ring <= RINGS; ring++) {
			for (unsigned segment = 0; segment <= SEGMENTS; segment++) {
				double u = (double)segment / SEGMENTS, v = (double)ring / RINGS;
				const double up[3] = {sin(pi * v) * cos(2 * pi * u), cos(pi * v), sin(pi * v) * sin(2 * pi * u)};
				put(up[0], up[1] - 0.05, up[2], up, 3 * u, 2 * v);
			}
		}
		for (unsigned ring = 0; ring < RINGS; ring++) {
			for (unsigned segment = 0; segment < SEGMENTS; segment++) {
				unsigned a = ring * (SEGMENTS + 1) + segment, below = a + SEGMENTS + 1;
				triangle.push_back(make_uint3(a, a + 1, below));
				triangle.push_back(make_uint3(a + 1, below + 1, below));
			}
		}
	}
	void make_floor()
	{
		static const double up[3] = {0, 1, 0};
		const unsigned first = (unsigned)position.size();
		for (unsigned i = 0; i < 4; i++) {
			double x = i & 1 ? 1.6 : -1.6, z = i & 2 ? 1.2 : -2.4;
			put(x, -1.1, z, up, x + 2, z + 3);
		}
		triangle.push_back(make_uint3(first, first + 1, first + 2));
		triangle.push_back(make_uint3(first + 1, first + 3, first + 2));
	}
	// Squares of two colours, each darker towards one side.
	void make_texture()
	{
		for (unsigned i = 0; i < TEXTURE * TEXTURE; i++) {
			unsigned x = i % TEXTURE, y = i / TEXTURE, part = 255 - 3 * (x % 16);
			texture.push_back((x / 16 + y / 16) % 2 ? part | part << 8 | 200u << 16 : 160u | (part / 4) << 8 | 40u << 16);
		}
	}
	// Looks along -z from four units away, with a frame as wide as far away, in the picture's proportions.
	Scene(unsigned width, unsigned height)
	{
		const double near = 1, far = 10, away = 4, wide = 1.9, deep = (far + near) / (far - near);
		matrix = {{make_float4((float)(wide * height / width), 0, 0, 0), make_float4(0, (float)wide, 0, 0),
		           make_float4(0, 0, (float)-deep, (float)(deep * away - 2 * far * near / (far - near))),
		           make_float4(0, 0, -1, (float)away)}};
		make_ball();
		make_floor();
		make_texture();
	}
};

// -- the host program ----------------------------------------------------------------------------------------------------------------------------

static bool is_near(double got, double expected, double most) { return std::fabs(got - expected) <= most; }

// The expected corner, or `got` where it is near enough. A place on the screen may be one subpixel aside.
static Corner corner_near(Corner got, const double (&clip)[4], unsigned width, unsigned height)
{
	double x = (clip[0] / clip[3] * 0.5 + 0.5) * width * SUBPIXELS, y = (0.5 - clip[1] / clip[3] * 0.5) * height * SUBPIXELS;
	return {is_near(got.x + 0.5, x, 0.51) ? got.x : (int)floor(x), is_near(got.y + 0.5, y, 0.51) ? got.y : (int)floor(y),
	        is_near(got.z, clip[2] / clip[3], 1e-5) ? got.z : (float)(clip[2] / clip[3]),
	        is_near(got.over_w, 1 / clip[3], 1e-6) ? got.over_w : (float)(1 / clip[3])};
}

struct Size {
	unsigned width, height;
};

static void run(Outputs &outputs, Size size)
{
	const Scene scene(size.width, size.height);
	const unsigned pixels = size.width * size.height, corners = (unsigned)scene.position.size(), triangles = (unsigned)scene.triangle.size();
	const float4 lamp = make_float4(0.45f, 0.8f, 0.4f, 0); // about one long
	float4 *position = to_device(scene.position), *normal = to_device(scene.normal);
	float2 *place = to_device(scene.place);
	uint3 *triangle = to_device(scene.triangle);
	unsigned *texture = to_device(scene.texture), *covers = zeros_on_device<unsigned>(pixels), *picture = zeros_on_device<unsigned>(pixels);
	float *clip = zeros_on_device<float>(corners * 4), *weights = zeros_on_device<float>(pixels * 2),
	      *colours = zeros_on_device<float>(pixels * 4);
	Corner *screen = zeros_on_device<Corner>(corners);
	dim3 block(BLOCK_X, BLOCK_Y), grid(blocks_for(size.width, BLOCK_X), blocks_for(size.height, BLOCK_Y));
	vertex<<<blocks_for(corners, BLOCK), BLOCK>>>(position, (float4 *)clip, screen, scene.matrix, (float)size.width, (float)size.height, corners);
	raster<<<grid, block>>>(screen, triangle, covers, (float2 *)weights, triangles, size.width, size.height);
	fragment<<<grid, block>>>(covers, (const float2 *)weights, {screen, triangle, normal, place, texture, lamp}, (float4 *)colours, picture,
	                          size.width, size.height);
	CHECK(cudaGetLastError());

	// Each stage's reference takes the numbers of the device's stage before it.
	std::vector<Corner> got_corners = to_host(screen, corners), expected_corners;
	std::vector<double> expected_clip, expected_weights, expected_colours;
	std::vector<unsigned> expected_covers, expected_picture;
	std::vector<float> got_colours = to_host(colours, pixels * 4);
	for (unsigned i = 0; i < corners; i++) {
		double c[4];
		for (unsigned k = 0; k < 4; k++)
			expected_clip.push_back(c[k] = dot<double>(scene.matrix.rows[k], scene.position[i]));
		expected_corners.push_back(corner_near(got_corners[i], c, size.width, size.height));
	}
	const Surface surface = {got_corners.data(), scene.triangle.data(), scene.normal.data(), scene.place.data(), scene.texture.data(), lamp};
	for (unsigned i = 0; i < pixels; i++) {
		Cover<double> cover = cover_of<double>(got_corners.data(), scene.triangle.data(), triangles, i % size.width, i / size.width);
		Colour<double> colour = shaded<double>(surface, cover, i / size.width, size.height);
		const float *got = &got_colours[i * 4];
		expected_covers.push_back(cover.triangle);
		expected_weights.insert(expected_weights.end(), {cover.b, cover.c});
		expected_colours.insert(expected_colours.end(), {colour.red, colour.green, colour.blue, 255});
		expected_picture.push_back((unsigned)got[0] | (unsigned)got[1] << 8 | (unsigned)got[2] << 16 | 255u << 24);
	}
	outputs.near("clip", to_host(clip, corners * 4), expected_clip, 1e-5, 1e-5);
	outputs.equal("corners", got_corners, expected_corners);
	outputs.equal("covers", to_host(covers, pixels), expected_covers);
	outputs.near("weights", to_host(weights, pixels * 2), expected_weights, 1e-5, 1e-5);
	outputs.near("colours", got_colours, expected_colours, 1e-4, 0.05);
	outputs.equal("picture", to_host(picture, pixels), expected_picture);
	for (void *memory : {(void *)position, (void *)normal, (void *)place, (void *)triangle, (void *)texture, (void *)covers, (void *)picture,
	                     (void *)clip, (void *)weights, (void *)colours, (void *)screen})
		CHECK(cudaFree(memory));
}

int main(int argc, char **argv)
{
	static const Size sizes[] = {{23, 17}, {48, 36}, {128, 96}};
	return run_sizes(argc, argv, sizes, run);
}
