// cuRAND's words against known answers: those of Philox for key and counter 0 are Random123's (kat_vectors), the others
// what the cuRAND of CUDA 13.0 gives.

#include <curand_kernel.h>

#include "expect.cuh"

template <typename State>
__global__ void words(unsigned long long seed, unsigned long long sequence, unsigned long long offset, unsigned* out,
                      double* numbers) {
  State state;
  curand_init(seed, sequence, offset, &state);
  for (int i = 0; i < 4; ++i) out[i] = curand(&state);
  skipahead(1000ULL, &state);
  skipahead_sequence(3ULL, &state);
  out[4] = curand(&state);
  curand_init(seed, sequence, offset, &state);
  numbers[0] = curand_normal_double(&state);
  curand_normal_double(&state);
  numbers[1] = curand_uniform_double(&state);
  numbers[2] = curand_normal(&state);
  numbers[3] = curand_normal(&state);
  numbers[4] = curand_uniform(&state);
  // Of many: the mean, the mean square, and the range of uniform ones.
  double sum = 0, squares = 0, least = 1, most = 0, uniform = 0;
  for (int i = 0; i < 4096; ++i) {
    const double normal = curand_normal(&state), u = curand_uniform(&state);
    sum += normal, squares += normal * normal, uniform += u;
    least = u < least ? u : least, most = u > most ? u : most;
  }
  numbers[5] = sum / 4096, numbers[6] = squares / 4096, numbers[7] = uniform / 4096, numbers[8] = least,
  numbers[9] = most;
}

void near(const char* what, double got, double wanted, double error) {
  expect(std::string(what) + " off", got > wanted - error && got < wanted + error ? 0 : 1, 0);
}

template <typename State>
void compare(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
             const std::vector<unsigned>& wanted, const std::vector<double>& wanted_numbers) {
  unsigned* out = zeros<unsigned>(5);
  double* d_numbers = zeros<double>(10);
  words<State><<<1, 1>>>(seed, sequence, offset, out, d_numbers);
  const std::vector<unsigned> got = taken(out, 5);
  const std::vector<double> numbers = taken(d_numbers, 10);
  for (int i = 0; i < 5; ++i) expect("word " + std::to_string(i), got[i], wanted[i]);
  for (int i = 0; i < 5; ++i) near("number", numbers[i], wanted_numbers[i], 1e-5);
  near("mean", numbers[5], 0, 0.1);
  near("mean square", numbers[6], 1, 0.15);
  near("mean of uniform", numbers[7], 0.5, 0.03);
  expect("range", numbers[8] > 0 && numbers[9] <= 1, true);
}

void run(const float* t, float* x, int n) {
  copy<<<1, 32>>>(t, x, n);
  compare<curandState>(0u, 0u, 0u, {3179217846u, 1883133293u, 2220552389u, 674260989u, 2919009648u},
                       {1.07102161, 0.462508421, 1.51097095, -0.822750092, 0.144065306});
  compare<curandState>(1234u, 5u, 7u, {3351265907u, 3629609298u, 415430802u, 1173093345u, 3154516187u},
                       {0.574086778, 0.518549636, -1.306113, -1.56078482, 0.190429017});
  compare<curandState>(16045690984503111693u, 123456789012u, 987654321098765u,
                       {1480648158u, 3469996971u, 2986037718u, 1406649466u, 4064689405u},
                       {0.577194154, 0.900181087, -0.675053298, -1.32851434, 0.437827349});
  compare<curandStatePhilox4_32_10_t>(0u, 0u, 0u, {1713891541u, 3781805453u, 3159862348u, 2600524760u, 2543589413u},
                                      {-0.310395736, 0.972241202, -1.33784282, -0.49182865, 0.037094079});
  compare<curandStatePhilox4_32_10_t>(1234u, 5u, 7u, {1925342002u, 648658203u, 3633236749u, 143597841u, 1068094663u},
                                      {0.405465257, 0.819951416, 0.733725607, 0.142447397, 0.322892159});
  compare<curandStatePhilox4_32_10_t>(16045690984503111693u, 123456789012u, 987654321098765u,
                                      {1569459736u, 3179784541u, 1295943356u, 738318248u, 1716201267u},
                                      {0.683914839, 0.626027835, 0.696110845, 1.0290482, 0.991690934});
}
