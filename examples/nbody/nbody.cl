/* Gravity between n bodies: all bodies attract each body. A work-group loads the bodies in tiles into local memory. Every work-item adds up the attraction of the
 * tile on its own body. A body is a float4: position in xyz, mass in w. SOFTENING keeps the force finite when two bodies meet. It also lets a body meet itself:
 * the difference of the positions is zero, and so is the force. */
#define SOFTENING 0.01f

__kernel void nbody(__global const float4 *bodies, __global float4 *acceleration, uint n, __local float4 *tile)
{
	uint i = get_global_id(0), id = get_local_id(0), items = get_local_size(0);
	float4 me = i < n ? bodies[i] : (float4)(0.0f);
	float3 sum = (float3)(0.0f);
	for (uint first = 0; first < n; first += items) {
		/* Past the end there is a body without mass. */
		tile[id] = first + id < n ? bodies[first + id] : (float4)(0.0f);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint j = 0; j < items; j++) {
			float4 other = tile[j];
			float3 way = other.xyz - me.xyz;
			float inverse = rsqrt(fma(way.x, way.x, fma(way.y, way.y, fma(way.z, way.z, SOFTENING))));
			float pull = other.w * inverse * inverse * inverse;
			sum = fma(way, (float3)(pull), sum);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (i < n)
		acceleration[i] = (float4)(sum, 0.0f);
}

/* Moves the bodies: velocity first, then position with the new velocity. */
__kernel void nbody_move(__global float4 *bodies, __global float4 *velocity, __global const float4 *acceleration, float step, uint n)
{
	uint i = get_global_id(0);
	if (i >= n)
		return;
	float4 v = fma(acceleration[i], (float4)(step), velocity[i]);
	velocity[i] = v;
	bodies[i] = fma((float4)(v.xyz, 0.0f), (float4)(step), bodies[i]);
}
