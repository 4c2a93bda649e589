#error "this device shares no memory with OpenGL"
