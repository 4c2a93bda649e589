#include "graphics/graphics.h"

#include <math.h>

enum { RINGS = 8, SEGMENTS = 12, TEXTURE = 64, SUBPIXELS = 16, CORNERS = (RINGS + 1) * (SEGMENTS + 1) + 4, TRIANGLES = RINGS * SEGMENTS * 2 + 2 };

/* As in graphics.cl. */
typedef struct corner {
	int32_t x, y;
	float z, over_w;
} corner;

typedef struct scene {
	float rows[4][4], position[CORNERS][4], normal[CORNERS][4], place[CORNERS][2];
	uint32_t triangle[TRIANGLES][3], texture[TEXTURE * TEXTURE];
	uint32_t n_triangles;
} scene;

static const float lamp[4] = {0.45f, 0.8f, 0.4f, 0}; /* about one long */

void ex_graphics_extent(unsigned size, uint32_t *width, uint32_t *height)
{
	static const uint32_t extents[][2] = {{23, 17}, {48, 36}, {128, 96}};
	*width = extents[size][0];
	*height = extents[size][1];
}

/* -- the scene: a ball above a floor -------------------------------------------------------------------------------------------------------- */

static void put_corner(scene *s, unsigned at, double x, double y, double z, const double up[3], double u, double v)
{
	const double p[4] = {x, y, z, 1};
	for (unsigned k = 0; k < 4; k++) {
		s->position[at][k] = (float)p[k];
		s->normal[at][k] = k < 3 ? (float)up[k] : 0;
	}
	s->place[at][0] = (float)u;
	s->place[at][1] = (float)v;
}

static void put_triangle(scene *s, uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t corners[3] = {a, b, c};
	memcpy(s->triangle[s->n_triangles++], corners, sizeof corners);
}

static void make_ball(scene *s)
{
	const double pi = acos(-1);
	for (unsigned ring = 0; ring <= RINGS; ring++) {
		for (unsigned segment = 0; segment <= SEGMENTS; segment++) {
			double u = (double)segment / SEGMENTS, v = (double)ring / RINGS;
			double up[3] = {sin(pi * v) * cos(2 * pi * u), cos(pi * v), sin(pi * v) * sin(2 * pi * u)};
			put_corner(s, ring * (SEGMENTS + 1) + segment, up[0], up[1] - 0.05, up[2], up, 3 * u, 2 * v);
		}
	}
	for (uint32_t ring = 0; ring < RINGS; ring++) {
		for (uint32_t segment = 0; segment < SEGMENTS; segment++) {
			uint32_t a = ring * (SEGMENTS + 1) + segment, below = a + SEGMENTS + 1;
			put_triangle(s, a, a + 1, below);
			put_triangle(s, a + 1, below + 1, below);
		}
	}
}

static void make_floor(scene *s)
{
	static const double up[3] = {0, 1, 0};
	const uint32_t first = CORNERS - 4;
	for (uint32_t i = 0; i < 4; i++) {
		double x = i & 1 ? 1.6 : -1.6, z = i & 2 ? 1.2 : -2.4;
		put_corner(s, first + i, x, -1.1, z, up, x + 2, z + 3);
	}
	put_triangle(s, first, first + 1, first + 2);
	put_triangle(s, first + 1, first + 3, first + 2);
}

/* Squares of two colours, each darker towards one side. */
static void make_texture(scene *s)
{
	for (uint32_t y = 0; y < TEXTURE; y++) {
		for (uint32_t x = 0; x < TEXTURE; x++) {
			uint32_t part = 255 - 3 * (x % 16), light = (x / 16 + y / 16) % 2;
			s->texture[y * TEXTURE + x] = light ? part | part << 8 | 200u << 16 : 160u | (part / 4) << 8 | 40u << 16;
		}
	}
}

/* Looks along -z from four units away, with a frame as wide as far away, in the picture's proportions. */
static void make_matrix(scene *s, uint32_t width, uint32_t height)
{
	const double near = 1, far = 10, away = 4, wide = 1.9;
	const double rows[4][4] = {{wide * height / width, 0, 0, 0},
	                           {0, wide, 0, 0},
	                           {0, 0, -(far + near) / (far - near), (far + near) / (far - near) * away - 2 * far * near / (far - near)},
	                           {0, 0, -1, away}};
	for (unsigned r = 0; r < 4; r++)
		for (unsigned k = 0; k < 4; k++)
			s->rows[r][k] = (float)rows[r][k];
}

/* -- the reference -------------------------------------------------------------------------------------------------------------------------- */

static bool near(double got, double expected, double most) { return fabs(got - expected) <= most; }

/* `got` where it is near enough, so that the stages behind can use the same numbers. A place on the screen may be one subpixel aside. */
static void expect_corners(ex_run *run, const scene *s, unsigned clip_buffer, unsigned corner_buffer, corner *corners, uint32_t width,
                           uint32_t height)
{
	static corner expected[CORNERS];
	double *clip = hd_xmalloc(CORNERS * 4 * sizeof *clip);
	ex_read(run, corner_buffer, corners, CORNERS * sizeof *corners);
	for (unsigned i = 0; i < CORNERS; i++) {
		double c[4] = {0};
		for (unsigned r = 0; r < 4; r++)
			for (unsigned k = 0; k < 4; k++)
				c[r] += (double)s->rows[r][k] * (double)s->position[i][k];
		memcpy(clip + (size_t)i * 4, c, sizeof c);
		double x = (c[0] / c[3] * 0.5 + 0.5) * width * SUBPIXELS, y = (0.5 - c[1] / c[3] * 0.5) * height * SUBPIXELS;
		expected[i] = corners[i];
		if (!near(corners[i].x + 0.5, x, 0.51))
			expected[i].x = (int32_t)floor(x);
		if (!near(corners[i].y + 0.5, y, 0.51))
			expected[i].y = (int32_t)floor(y);
		if (!near((double)corners[i].z, c[2] / c[3], 1e-5))
			expected[i].z = (float)(c[2] / c[3]);
		if (!near((double)corners[i].over_w, 1 / c[3], 1e-6))
			expected[i].over_w = (float)(1 / c[3]);
	}
	ex_expect_near(run, clip_buffer, clip, (size_t)CORNERS * 4, 1e-5, 1e-5);
	ex_expect_bytes(run, corner_buffer, expected, sizeof expected);
	free(clip);
}

static int32_t twice_area(corner a, corner b, int32_t x, int32_t y) { return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x); }

static bool inside(corner a, corner b, int32_t area) { return area > 0 || (area == 0 && ((a.y == b.y && b.x > a.x) || b.y < a.y)); }

/* The nearest triangle at a pixel, from 1, and the weights of its corners; 0 = none. */
static uint32_t cover(const scene *s, const corner *corners, int32_t x, int32_t y, double weight[3])
{
	uint32_t nearest = 0;
	double depth = 2;
	for (uint32_t i = 0; i < s->n_triangles; i++) {
		corner a = corners[s->triangle[i][0]], b = corners[s->triangle[i][1]], c = corners[s->triangle[i][2]];
		int32_t area = twice_area(a, b, c.x, c.y), of[3] = {twice_area(b, c, x, y), twice_area(c, a, x, y), twice_area(a, b, x, y)};
		if (area <= 0 || !inside(b, c, of[0]) || !inside(c, a, of[1]) || !inside(a, b, of[2]))
			continue;
		double w[3] = {(double)of[0] / area, (double)of[1] / area, (double)of[2] / area};
		double z = w[0] * (double)a.z + w[1] * (double)b.z + w[2] * (double)c.z;
		if (z >= depth)
			continue;
		depth = z;
		nearest = i + 1;
		memcpy(weight, w, sizeof w);
	}
	return nearest;
}

static double mixed(double a, double b, double part) { return a + (b - a) * part; }

static double texel(const scene *s, int x, int y, unsigned channel)
{
	return s->texture[(y & (TEXTURE - 1)) * TEXTURE + (x & (TEXTURE - 1))] >> 8 * channel & 255;
}

static double sample(const scene *s, double u, double v, unsigned channel)
{
	double at_x = floor(u * TEXTURE - 0.5), at_y = floor(v * TEXTURE - 0.5), part = u * TEXTURE - 0.5 - at_x;
	int x = (int)at_x, y = (int)at_y;
	double above = mixed(texel(s, x, y, channel), texel(s, x + 1, y, channel), part),
	       below = mixed(texel(s, x, y + 1, channel), texel(s, x + 1, y + 1, channel), part);
	return mixed(above, below, v * TEXTURE - 0.5 - at_y);
}

static void shade(const scene *s, const corner *corners, uint32_t triangle, const double weight[3], double colour[4])
{
	double w[3], whole = 0, place[2] = {0}, up[3] = {0}, length = 0, facing = 0;
	const uint32_t *corner_of = s->triangle[triangle - 1];
	for (unsigned k = 0; k < 3; k++) {
		w[k] = weight[k] * (double)corners[corner_of[k]].over_w;
		whole += w[k];
		for (unsigned i = 0; i < 3; i++)
			up[i] += w[k] * (double)s->normal[corner_of[k]][i];
		for (unsigned i = 0; i < 2; i++)
			place[i] += w[k] * (double)s->place[corner_of[k]][i];
	}
	for (unsigned i = 0; i < 3; i++) {
		length += up[i] * up[i];
		facing += up[i] * (double)lamp[i];
	}
	double light = 0.2 + 0.8 * fmax(facing / sqrt(length), 0);
	for (unsigned k = 0; k < 3; k++)
		colour[k] = sample(s, place[0] / whole, place[1] / whole, k) * light;
}

typedef struct picture {
	uint32_t width, height;
	uint32_t *covers, *pixels;
	float *colours;
	double *weights, *expected;
} picture;

static void reference(const scene *s, const corner *corners, picture *p)
{
	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t x = 0; x < p->width; x++) {
			size_t i = (size_t)y * p->width + x;
			double weight[3] = {1, 0, 0}, colour[4] = {30 + 40.0 * y / p->height, 40, 60, 255};
			p->covers[i] = cover(s, corners, (int32_t)x * SUBPIXELS + SUBPIXELS / 2, (int32_t)y * SUBPIXELS + SUBPIXELS / 2, weight);
			if (p->covers[i])
				shade(s, corners, p->covers[i], weight, colour);
			memcpy(p->weights + i * 2, weight + 1, 2 * sizeof *weight);
			memcpy(p->expected + i * 4, colour, sizeof colour);
		}
	}
}

/* -- the host program ----------------------------------------------------------------------------------------------------------------------- */

static void draw(ex_run *run, const scene *s, picture *p)
{
	size_t n = (size_t)p->width * p->height;
	corner corners[CORNERS];
	unsigned rows = ex_buffer(run, "matrix", sizeof s->rows, s->rows), position = ex_buffer(run, "positions", sizeof s->position, s->position);
	unsigned normal = ex_buffer(run, "normals", sizeof s->normal, s->normal), place = ex_buffer(run, "places", sizeof s->place, s->place);
	unsigned triangle = ex_buffer(run, "triangles", sizeof s->triangle, s->triangle),
	         texture = ex_buffer(run, "texture", sizeof s->texture, s->texture);
	unsigned clip = ex_buffer(run, "clip", CORNERS * 4 * sizeof(float), NULL), screen = ex_buffer(run, "corners", sizeof corners, NULL);
	unsigned covers = ex_buffer(run, "covers", n * sizeof *p->covers, NULL), weights = ex_buffer(run, "weights", n * 2 * sizeof(float), NULL);
	unsigned colours = ex_buffer(run, "colours", n * 4 * sizeof *p->colours, NULL),
	         pixels = ex_buffer(run, "picture", n * sizeof *p->pixels, NULL);
	ex_shape shape = ex_2d(ex_groups(p->width, 32), ex_groups(p->height, 4), 32, 4);
	ex_launch(run, "vertex", ex_1d(ex_groups(CORNERS, 64), 64), ex_buf(rows), ex_buf(position), ex_buf(clip), ex_buf(screen),
	          ex_f32((float)p->width), ex_f32((float)p->height), ex_u32(CORNERS));
	expect_corners(run, s, clip, screen, corners, p->width, p->height);
	ex_launch(run, "raster", shape, ex_buf(screen), ex_buf(triangle), ex_buf(covers), ex_buf(weights), ex_u32(s->n_triangles), ex_u32(p->width),
	          ex_u32(p->height));
	reference(s, corners, p);
	ex_expect_u32(run, covers, p->covers, n);
	ex_expect_near(run, weights, p->weights, n * 2, 1e-5, 1e-5);
	ex_launch(run, "fragment", shape, ex_buf(covers), ex_buf(weights), ex_buf(screen), ex_buf(triangle), ex_buf(normal), ex_buf(place),
	          ex_buf(texture), ex_buf(colours), ex_buf(pixels), ex_bytes(lamp, sizeof lamp), ex_u32(p->width), ex_u32(p->height));
	ex_expect_near(run, colours, p->expected, n * 4, 1e-4, 0.05);
	ex_read(run, colours, p->colours, n * 4 * sizeof *p->colours);
	for (size_t i = 0; i < n; i++) {
		const float *c = p->colours + i * 4;
		p->pixels[i] = (uint32_t)c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 | 255u << 24;
	}
	ex_expect_u32(run, pixels, p->pixels, n);
}

static void host(ex_run *run, unsigned size)
{
	scene *s = hd_xcalloc(1, sizeof *s);
	picture p;
	ex_graphics_extent(size, &p.width, &p.height);
	size_t n = (size_t)p.width * p.height;
	make_matrix(s, p.width, p.height);
	make_ball(s);
	make_floor(s);
	make_texture(s);
	p.covers = hd_xcalloc(n, sizeof *p.covers);
	p.pixels = hd_xcalloc(n, sizeof *p.pixels);
	p.colours = hd_xcalloc(n * 4, sizeof *p.colours);
	p.weights = hd_xcalloc(n * 2, sizeof *p.weights);
	p.expected = hd_xcalloc(n * 4, sizeof *p.expected);
	draw(run, s, &p);
	free(p.covers);
	free(p.pixels);
	free(p.colours);
	free(p.weights);
	free(p.expected);
	free(s);
}

const ex_example ex_graphics = {
    .name = "graphics",
    .source = "graphics/graphics.cl",
    .about = "a picture in three stages: vertices, a rasteriser, fragments with a texture",
    .host = host,
    .sizes = {"23 x 17", "48 x 36", "128 x 96"},
};
