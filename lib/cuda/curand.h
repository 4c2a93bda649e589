#error "cuRAND is a library of NVIDIA that Heddle does not have"
