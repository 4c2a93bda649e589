#error "cuSPARSE is a library of NVIDIA that Heddle does not have"
