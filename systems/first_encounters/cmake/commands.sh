# g++, CMake and GoogleTest.
apt-get update -q && apt-get install -q -y --no-install-recommends "$PACKAGE" cmake ninja-build libgtest-dev
cmake -G Ninja -S . -B build && cmake --build build
ctest --test-dir build --output-on-failure
