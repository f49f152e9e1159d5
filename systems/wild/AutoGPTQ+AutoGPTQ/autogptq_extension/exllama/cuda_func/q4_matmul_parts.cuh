// The other file of the project that q4_matmul.cu is linked with; run.py gives the folder of the published file by -I.
#include "q4_matrix.cu"
