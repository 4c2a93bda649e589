/* Textures and surfaces: named, so that a program that has one is told what is missing. */
#ifndef __TEXTURE_TYPES_H__
#define __TEXTURE_TYPES_H__

#include "driver_types.h"

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C

#ifdef __cplusplus
template <class __T, int kind = cudaTextureType1D, enum cudaTextureReadMode __mode = cudaReadModeElementType> struct texture {
	static_assert(sizeof(__T) == 0, "texture references are not part of this machine: read the array through a pointer");
};
template <class __T, int kind = cudaTextureType1D> struct surface {
	static_assert(sizeof(__T) == 0, "surface references are not part of this machine: write the array through a pointer");
};
/* An error where a kernel calls one. */
#define HEDDLE_NO_TEXTURE(name, what)                                                \
	template <class __T = float, class... __More> __device__ __T name(__More...) \
	    __attribute__((unavailable(what " are not part of this machine: use a pointer to the array instead")));
HEDDLE_NO_TEXTURE(tex1Dfetch, "textures")
HEDDLE_NO_TEXTURE(tex1D, "textures")
HEDDLE_NO_TEXTURE(tex2D, "textures")
HEDDLE_NO_TEXTURE(tex3D, "textures")
HEDDLE_NO_TEXTURE(texCubemap, "textures")
HEDDLE_NO_TEXTURE(tex1DLayered, "textures")
HEDDLE_NO_TEXTURE(tex2DLayered, "textures")
HEDDLE_NO_TEXTURE(texCubemapLayered, "textures")
HEDDLE_NO_TEXTURE(tex1DLod, "textures")
HEDDLE_NO_TEXTURE(tex2DLod, "textures")
HEDDLE_NO_TEXTURE(tex3DLod, "textures")
HEDDLE_NO_TEXTURE(tex1DGrad, "textures")
HEDDLE_NO_TEXTURE(tex2DGrad, "textures")
HEDDLE_NO_TEXTURE(tex3DGrad, "textures")
HEDDLE_NO_TEXTURE(tex2Dgather, "textures")
HEDDLE_NO_TEXTURE(surf1Dread, "surfaces")
HEDDLE_NO_TEXTURE(surf2Dread, "surfaces")
HEDDLE_NO_TEXTURE(surf3Dread, "surfaces")
HEDDLE_NO_TEXTURE(surf1Dwrite, "surfaces")
HEDDLE_NO_TEXTURE(surf2Dwrite, "surfaces")
HEDDLE_NO_TEXTURE(surf3Dwrite, "surfaces")
HEDDLE_NO_TEXTURE(surf2DLayeredread, "surfaces")
HEDDLE_NO_TEXTURE(surf2DLayeredwrite, "surfaces")
#endif

#endif
