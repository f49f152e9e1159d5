// What `negzero init` writes for services of continuous integration.

#include <negzero/cli/templates.hpp>

namespace negzero::cli {

namespace {

constexpr std::string_view kWorkflow =
    R"nz(# Written by `negzero init`: checks the CUDA files below on every push, without a GPU.
name: negzero
on: [push, pull_request]
permissions:
  contents: read
  security-events: write  # for the upload of SARIF
jobs:
  negzero:
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v4
      - id: negzero
        uses: @ACTION@
        with:
          files: |
            @FILES@
          cases: 1000
      - name: Show findings beside the source
        # A pull request from a fork may not upload.
        if: always() && steps.negzero.outputs.sarif != '' && (github.event_name == 'push' || github.event.pull_request.head.repo.full_name == github.repository)
        uses: github/codeql-action/upload-sarif@v3
        with:
          sarif_file: ${{ steps.negzero.outputs.sarif }}
      - name: Keep the files
        if: always() && steps.negzero.outputs.folder != ''
        uses: actions/upload-artifact@v4
        with:
          name: negzero
          path: ${{ steps.negzero.outputs.folder }}
)nz";

constexpr std::string_view kFuzzWorkflow =
    R"nz(# Written by `negzero init`: ClusterFuzzLite with the targets of .clusterfuzzlite/, for ten minutes a pull request.
name: ClusterFuzzLite
on: [pull_request]
permissions: read-all
jobs:
  fuzz:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4  # .clusterfuzzlite/project.yaml names the base image
      - uses: google/clusterfuzzlite/actions/build_fuzzers@v1
        with:
          language: c++
          sanitizer: address
      - uses: google/clusterfuzzlite/actions/run_fuzzers@v1
        with:
          github-token: ${{ secrets.GITHUB_TOKEN }}
          fuzz-seconds: 600
          mode: code-change
          sanitizer: address
)nz";

constexpr std::string_view kProject =
    R"nz(# Written by `negzero init`. negzero needs Ubuntu 24.04, in the image that builds and in the one that runs.
language: c++
base_os_version: ubuntu-24-04
)nz";

constexpr std::string_view kDockerfile = R"nz(# Written by `negzero init`.
FROM gcr.io/oss-fuzz-base/base-builder:ubuntu-24-04
RUN git init -q /opt/negzero && cd /opt/negzero && \
    git fetch -q --depth 1 https://github.com/@REPOSITORY@.git @REF@ && git checkout -q FETCH_HEAD
# negzero is built by g++, as on a machine of its own, and not by the compiler of the fuzz targets.
RUN env -u CC -u CXX -u CFLAGS -u CXXFLAGS NEGZERO_ACTION_HOME=/opt/negzero-action bash /opt/negzero/ci/action.sh install
ENV PATH="/opt/negzero-action/bin:${PATH}"
COPY . $SRC/project
WORKDIR $SRC/project
COPY .clusterfuzzlite/build.sh $SRC/
)nz";

constexpr std::string_view kBuild = R"nz(#!/bin/bash -eu
# Written by `negzero init`: a libFuzzer target for each CUDA file, and in $OUT/negzero what the targets run.
# Needs OUT, CXX, CXXFLAGS and LIB_FUZZING_ENGINE, as ClusterFuzzLite sets them, and starts in the root of the project.
files=(
  @FILES@
)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools=$OUT/negzero
rm -rf "$tools"
mkdir -p "$tools/lib"
program=$(negzero --version --json | sed -n 's/^  "program": "\(.*\)",$/\1/p')
cp -L "$program" "$tools/"

for file in "${files[@]}"; do
  name=$(printf '%s' "${file%.*}" | tr -c 'A-Za-z0-9_' _)
  [ ! -e "$tools/$name.worker" ] || { echo "build.sh: another file is called $name too; rename $file" >&2; exit 2; }
  # One case compiles the kernels. A finding (1) and a case that decides nothing (4) are for the target to see.
  code=0
  env -u CXXFLAGS NEGZERO_CACHE="$work/$name" negzero check "$file" --cases 1 --executor host --shrink-time 0s \
    --save "$work/found" >&2 || code=$?
  case $code in 0 | 1 | 4) ;; *) exit $code ;; esac
  worker=$(find "$work/$name" -type f -name 'worker.*' -perm -u+x -print -quit)
  [ -n "$worker" ] || { echo "build.sh: negzero has compiled no program of $file" >&2; exit 3; }
  cp "$worker" "$tools/$name.worker"
  $CXX ${CXXFLAGS:-} -DNEGZERO_KERNELS="\"$name.worker\"" .clusterfuzzlite/negzero_target.cc \
    -o "$OUT/negzero_$name" $LIB_FUZZING_ENGINE
done

# The image that runs the targets has libraries of the system alone. libseccomp is loaded where it is there.
{
  ldd "$tools"/negzero "$tools"/*.worker | awk '$2 == "=>" && $3 ~ /^\// { print $3 }'
  /sbin/ldconfig -p | awk '/libseccomp\.so\.2 / { print $NF; exit }'
} | sort -u | grep -vE '/(libc|libm|libdl|librt|libpthread|ld-linux[^/]*)\.so' | xargs -r cp -L -t "$tools/lib"
)nz";

constexpr std::string_view kTarget =
    R"nz(// Written by `negzero init`. Each input is the seed of a search: negzero makes cases of it, runs the kernels on them in a
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
)nz";

constexpr Template kTemplates[] = {
    {".github/workflows/negzero.yml", kWorkflow}, {".github/workflows/clusterfuzzlite.yml", kFuzzWorkflow},
    {".clusterfuzzlite/project.yaml", kProject},  {".clusterfuzzlite/Dockerfile", kDockerfile},
    {".clusterfuzzlite/build.sh", kBuild, true},  {".clusterfuzzlite/negzero_target.cc", kTarget},
};

}  // namespace

std::span<const Template> templates() { return kTemplates; }

}  // namespace negzero::cli
