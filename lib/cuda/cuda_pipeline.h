#error "asynchronous copies (cp.async, pipelines) are not part of this machine"
