__attribute__((const)) ulong __heddle_global_offset_x(void);
__attribute__((const)) ulong __heddle_global_offset_y(void);
__attribute__((const)) float __heddle_dp4(float,float,float,float,float,float,float,float);
__attribute__((overloadable)) size_t get_global_offset(uint d){ return d==0? __heddle_global_offset_x(): d==1? __heddle_global_offset_y():0; }
__attribute__((overloadable)) size_t get_global_id(uint d){ return get_group_id(d)*get_local_size(d)+get_local_id(d)+get_global_offset(d); }
__attribute__((overloadable)) float dot(float4 a, float4 b){ return __heddle_dp4(a.x,a.y,a.z,a.w,b.x,b.y,b.z,b.w);}
