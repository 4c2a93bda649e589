/* A picture in three stages (LU-18): vertices, a rasteriser in software, fragments with a texture. All four are kernels of one item an element. */
#include <heddle_vector.h>

enum { SUBPIXELS = 16, TEXTURE = 64 };

/* A corner on the screen: position in sixteenths of a pixel, depth, and what perspective divides by. */
typedef struct corner {
	int x, y;
	float z, over_w;
} corner;

/* The vertex stage: a matrix of 4 x 4 as four dot products, the division by w, and the place on the screen. */
__kernel void vertex(__global const float4 *rows, __global const float4 *position, __global float4 *clip, __global corner *out, float width,
                     float height, uint n)
{
	uint i = get_global_id(0);
	if (i >= n)
		return;
	float4 p = position[i];
	float4 c = heddle_transform4(rows[0], rows[1], rows[2], rows[3], p);
	float over_w = 1.0f / c.w;
	clip[i] = c;
	out[i].x = convert_int_rtn((c.x * over_w * 0.5f + 0.5f) * width * SUBPIXELS);
	out[i].y = convert_int_rtn((0.5f - c.y * over_w * 0.5f) * height * SUBPIXELS);
	out[i].z = c.z * over_w;
	out[i].over_w = over_w;
}

/* Twice the area of a triangle, in square subpixels; positive if its corners go clockwise on the screen. */
static int twice_area(int ax, int ay, int bx, int by, int px, int py) { return (bx - ax) * (py - ay) - (by - ay) * (px - ax); }

/* A point on an edge belongs to one of the two triangles that share it: to that of which the edge is a left or an upper one. */
static int edge_bias(int ax, int ay, int bx, int by) { return (ay == by && bx > ax) || by < ay ? 0 : -1; }

/* The rasteriser: each item finds the nearest triangle at the centre of its pixel. 0 = none, otherwise its number from 1, and the weights of its second
 * and third corner. */
__kernel void raster(__global const corner *corners, __global const uint *triangles, __global uint *covers, __global float2 *weights, uint n,
                     uint width, uint height)
{
	uint x = get_global_id(0), y = get_global_id(1);
	if (x >= width || y >= height)
		return;
	int px = (int)x * SUBPIXELS + SUBPIXELS / 2, py = (int)y * SUBPIXELS + SUBPIXELS / 2;
	uint nearest = 0;
	float depth = 2;
	float2 weight = (float2)(0, 0);
	for (uint i = 0; i < n; i++) {
		corner a = corners[triangles[i * 3]], b = corners[triangles[i * 3 + 1]], c = corners[triangles[i * 3 + 2]];
		int area = twice_area(a.x, a.y, b.x, b.y, c.x, c.y);
		int of_a = twice_area(b.x, b.y, c.x, c.y, px, py), of_b = twice_area(c.x, c.y, a.x, a.y, px, py),
		    of_c = twice_area(a.x, a.y, b.x, b.y, px, py);
		if (area <= 0 || of_a + edge_bias(b.x, b.y, c.x, c.y) < 0 || of_b + edge_bias(c.x, c.y, a.x, a.y) < 0 ||
		    of_c + edge_bias(a.x, a.y, b.x, b.y) < 0)
			continue;
		float scale = 1.0f / (float)area, wb = (float)of_b * scale, wc = (float)of_c * scale;
		float z = (1 - wb - wc) * a.z + wb * b.z + wc * c.z;
		if (z >= depth)
			continue;
		depth = z;
		nearest = i + 1;
		weight = (float2)(wb, wc);
	}
	covers[y * width + x] = nearest;
	weights[y * width + x] = weight;
}

static float4 texel(__global const uint *texture, int x, int y)
{
	uint t = texture[(y & (TEXTURE - 1)) * TEXTURE + (x & (TEXTURE - 1))];
	return (float4)((float)(t & 255), (float)(t >> 8 & 255), (float)(t >> 16 & 255), 255);
}

/* The texture at a place, between its four neighbours, from 0 to 255. */
static float4 sample(__global const uint *texture, float2 at)
{
	float u = at.x * TEXTURE - 0.5f, v = at.y * TEXTURE - 0.5f;
	float down_u = floor(u), down_v = floor(v), part_u = u - down_u, part_v = v - down_v;
	int x = (int)down_u, y = (int)down_v;
	float4 above = mix(texel(texture, x, y), texel(texture, x + 1, y), part_u);
	float4 below = mix(texel(texture, x, y + 1), texel(texture, x + 1, y + 1), part_u);
	return mix(above, below, part_v);
}

/* The fragment stage: coordinates and normal with perspective, the texture, and a lamp far away. */
__kernel void fragment(__global const uint *covers, __global const float2 *weights, __global const corner *corners,
                       __global const uint *triangles, __global const float4 *normals, __global const float2 *places,
                       __global const uint *texture, __global float4 *colours, __global uint *picture, float4 lamp, uint width, uint height)
{
	uint x = get_global_id(0), y = get_global_id(1), i = y * width + x;
	if (x >= width || y >= height)
		return;
	uint triangle = covers[i];
	float4 colour = (float4)(30 + 40 * (float)y / (float)height, 40, 60, 255);
	if (triangle) {
		uint a = triangles[triangle * 3 - 3], b = triangles[triangle * 3 - 2], c = triangles[triangle * 3 - 1];
		float wb = weights[i].x * corners[b].over_w, wc = weights[i].y * corners[c].over_w;
		float wa = (1 - weights[i].x - weights[i].y) * corners[a].over_w, whole = 1.0f / (wa + wb + wc);
		float2 place = (places[a] * wa + places[b] * wb + places[c] * wc) * whole;
		float4 up = normals[a] * wa + normals[b] * wb + normals[c] * wc;
		float3 normal = heddle_normalize3(up.xyz);
		float light = 0.2f + 0.8f * fmax(heddle_dot3(normal, lamp.xyz), 0.0f);
		colour = sample(texture, place) * light;
		colour.w = 255;
	}
	colours[i] = colour;
	picture[i] = (uint)colour.x | (uint)colour.y << 8 | (uint)colour.z << 16 | 255u << 24;
}
