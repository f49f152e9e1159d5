// Written by `negzero init`. Each input is the seed of a search: negzero makes cases of it, runs the kernels on them in a
// process of their own, and judges the results. An input that is a case file is replayed. A finding aborts, so that
// libFuzzer keeps the input; what fails, and on which numbers, is printed before. libFuzzer sees no coverage of kernels:
// what to try is negzero's choice, and the input decides which choice. `negzero fuzz` is the search that learns.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

static std::string tools() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  const std::string program(path, size > 0 ? size : 0);
  return program.substr(0, program.rfind('/')) + "/negzero/";
}

static int run(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(&word[0]);
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    setenv("LD_LIBRARY_PATH", (tools() + "lib").c_str(), 1);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char folder[] = "/tmp/negzero-XXXXXX";
  if (mkdtemp(folder) == nullptr) abort();
  const std::string found = folder, file = found + "/input.safetensors";
  const bool is_case = size > 8 && data[8] == '{';
  std::vector<std::string> words = {tools() + "negzero"};
  if (is_case) {
    FILE* const out = fopen(file.c_str(), "wb");
    if (out == nullptr || fwrite(data, 1, size, out) != size || fclose(out) != 0) abort();
    words.insert(words.end(), {"replay", file});
  } else {
    uint64_t seed = 14695981039346656037u;  // FNV-1a
    for (size_t i = 0; i < size; ++i) seed = (seed ^ data[i]) * 1099511628211u;
    words.insert(words.end(), {"check", "--seed", std::to_string(seed | 1), "--cases", "20", "--fail-fast",
                               "--shrink-time", "5s", "--save", found});
  }
  words.insert(words.end(), {"--kernels", tools() + NEGZERO_KERNELS, "--executor", "host", "--jobs", "1"});
  const int code = run(words);
  unlink(file.c_str());
  // 4: nothing was decided by these cases. 2 of a file: libFuzzer has changed it so that it is no case any more.
  if (code == 0 || code == 4 || (is_case && code == 2)) {
    rmdir(folder);
    return 0;
  }
  fprintf(stderr, "negzero ended with %d; what it saved is in %s\n", code, folder);
  abort();
}
