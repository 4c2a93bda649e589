#error "tensor instructions (nvcuda::wmma) are not part of this machine"
