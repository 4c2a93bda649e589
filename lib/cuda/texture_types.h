/* Texture references: named, so that a program that has one is told what is missing. */
#ifndef HEDDLE_CUDA_TEXTURE_TYPES_H
#define HEDDLE_CUDA_TEXTURE_TYPES_H

#include "driver_types.h"

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C

#ifdef __cplusplus
template <class T, int kind = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType> struct texture {
	static_assert(sizeof(T) == 0, "texture references are not part of this machine: read the array through a pointer");
};
template <class T, int kind = cudaTextureType1D> struct surface {
	static_assert(sizeof(T) == 0, "surface references are not part of this machine: write the array through a pointer");
};
#endif

#endif
