// Textures and surfaces.
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name) extern "C" __global__ void name
typedef cudaTextureObject_t tex;
typedef cudaSurfaceObject_t surf;

K(texture_linear)(float *o, tex t) { o[I] = tex1Dfetch<float>(t, I); }
K(texture_linear_quad)(float4 *o, tex t) { float4 v = tex1Dfetch<float4>(t, I); o[I] = make_float4(v.w, v.z, v.y, v.x); }
K(texture_1d)(float *o, tex t) { o[I] = tex1D<float>(t, I * .5f); }
K(texture_2d)(float *o, tex t, float x) { o[I] = tex2D<float>(t, x + threadIdx.x, threadIdx.y * .5f); }
K(texture_2d_quad)(float4 *o, tex t) { o[I] = tex2D<float4>(t, threadIdx.x, threadIdx.y); }
K(texture_2d_bytes)(uchar4 *o, tex t) { o[I] = tex2D<uchar4>(t, threadIdx.x, threadIdx.y); }
K(texture_3d)(float2 *o, tex t) { o[I] = tex3D<float2>(t, threadIdx.x, threadIdx.y, threadIdx.z); }
K(texture_layers)(float *o, tex t) { o[I] = tex2DLayered<float>(t, threadIdx.x * .1f, threadIdx.y * .1f, blockIdx.x); }
K(texture_cube)(float *o, tex t) { o[I] = texCubemap<float>(t, threadIdx.x, 1.f, 2.f); }
K(texture_cube_layers)(float *o, tex t) { o[I] = texCubemapLayered<float>(t, 1.f, threadIdx.x, 2.f, 3); }
K(texture_level)(float *o, tex t, float l) { o[I] = tex2DLod<float>(t, threadIdx.x, threadIdx.y, l); }
K(texture_gradient)(float *o, tex t) { o[I] = tex2DGrad<float>(t, threadIdx.x, threadIdx.y, make_float2(.1f, .2f), make_float2(.3f, .4f)); }
K(texture_gather)(float4 *o, tex t) { o[I] = tex2Dgather<float4>(t, threadIdx.x, threadIdx.y, 2); }
K(texture_two_samples)(float4 *o, tex t, tex u) { float4 a = tex2D<float4>(t, I, 1), b = tex2D<float4>(u, 2, I); o[I] = make_float4(a.x * b.x, a.y + b.y, a.z - b.z, a.w); }
K(texture_blur)(float *o, tex t, int w) { float s = 0; _Pragma("unroll") for (int y = -1; y < 2; y++) _Pragma("unroll") for (int x = -1; x < 2; x++) s += tex2D<float>(t, threadIdx.x + x, blockIdx.x + y); o[blockIdx.x * w + threadIdx.x] = s / 9; }
K(texture_dependent)(float *o, tex t, int n) { float x = I; for (int i = 0; i < n; i++) x = tex1D<float>(t, x); o[I] = x; }
K(texture_query)(int *o, tex t) { int w, h; asm("txq.width.b32 %0, [%2]; txq.height.b32 %1, [%2];" : "=r"(w), "=r"(h) : "l"(t)); o[I] = w * h; }
K(surface_read)(float *o, surf s) { o[I] = surf2Dread<float>(s, threadIdx.x * 4, threadIdx.y); }
K(surface_write)(surf s, const float *a) { surf2Dwrite(a[I], s, threadIdx.x * 4, threadIdx.y); }
K(surface_quad)(surf s, surf t) { float4 v = surf2Dread<float4>(s, threadIdx.x * 16, threadIdx.y); v.x += v.w; surf2Dwrite(v, t, threadIdx.x * 16, threadIdx.y); }
K(surface_1d)(surf s) { int x = surf1Dread<int>(s, I * 4); surf1Dwrite(x + 1, s, I * 4); }
K(surface_3d)(surf s) { short x = surf3Dread<short>(s, threadIdx.x * 2, threadIdx.y, threadIdx.z, cudaBoundaryModeClamp); surf3Dwrite(x, s, threadIdx.x * 2, threadIdx.y, threadIdx.z + 1, cudaBoundaryModeZero); }
K(surface_layers)(surf s) { float2 x = surf2DLayeredread<float2>(s, threadIdx.x * 8, threadIdx.y, 3); surf2DLayeredwrite(x, s, threadIdx.x * 8, threadIdx.y, 4); }
K(surface_bytes)(surf s) { unsigned char x = surf2Dread<unsigned char>(s, threadIdx.x, threadIdx.y); surf2Dwrite((unsigned char)(255 - x), s, threadIdx.x, threadIdx.y); }
K(surface_reduction)(surf s, int x) { asm volatile("sured.b.2d.add.s32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(threadIdx.x * 4), "r"(threadIdx.y), "r"(x)); }
