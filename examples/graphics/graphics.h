/* A picture in three stages (LU-18): a vertex stage with a matrix as four dot products, a rasteriser in software, a fragment stage with a texture. It
 * is in ex_tested, and not in ex_examples, so the tables over all examples are without it; `heddle-graphics` (bench/graphics.c) runs it. */
#ifndef HEDDLE_EXAMPLE_GRAPHICS_H
#define HEDDLE_EXAMPLE_GRAPHICS_H

#include "example.h"

extern const ex_example ex_graphics;

/* The width and height of the picture in a size of ex_graphics. */
void ex_graphics_extent(unsigned size, uint32_t *width, uint32_t *height);
/* The contents of a PNG file of width x height pixels, each red, green, blue and alpha in that order: eight bits each, not compressed. The caller
 * frees the text. Requires: width and height > 0. */
hd_text ex_png(const uint8_t *pixels, uint32_t width, uint32_t height);

#endif
