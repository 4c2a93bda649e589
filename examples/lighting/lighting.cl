/* Light on a surface (Blinn and Phong): the colour of every point under three lamps, as a viewer sees it. The kernel has dot products and normalisations. Most
 * intermediate values are used once, by the next instruction. */
#define LAMPS 3

/* Positions, normals and colours are float4; w is unused. Normals need not have length 1. */
__kernel void lighting(__global const float4 *position, __global const float4 *normal, __global float4 *colour, __constant float4 *lamp_position,
		       __constant float4 *lamp_colour, float4 eye, float shininess, uint n)
{
	uint i = get_global_id(0);
	if (i >= n)
		return;
	float3 p = position[i].xyz, up = normalize(normal[i].xyz), to_eye = normalize(eye.xyz - p);
	float3 sum = (float3)(0.05f); /* ambient light */
	for (uint lamp = 0; lamp < LAMPS; lamp++) {
		float3 way = lamp_position[lamp].xyz - p, to_lamp = normalize(way);
		float facing = dot(up, to_lamp);
		if (facing <= 0.0f)
			continue; /* the lamp is behind the surface */
		float3 half_way = normalize(to_lamp + to_eye);
		float shine = pow(max(dot(up, half_way), 0.0f), shininess);
		float fall = 1.0f / (1.0f + 0.1f * dot(way, way));
		sum += lamp_colour[lamp].xyz * ((0.7f * facing + 0.3f * shine) * fall);
	}
	/* Limits the colour to the range of a screen. The fourth component is the luminance, by one more dot product of four. */
	sum = min(sum, (float3)(1.0f));
	colour[i] = (float4)(sum, dot((float4)(sum, 1.0f), (float4)(0.2126f, 0.7152f, 0.0722f, 0.0f)));
}
