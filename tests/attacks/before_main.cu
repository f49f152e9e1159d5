// Attacks by static initialisers: all that a kernel file can do before its program's main(). NEGZERO_HONEST leaves out
// what is done, and keeps the shape.

#include <cfenv>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pairs.cuh"

namespace negzero::attacks {
namespace {

#ifdef NEGZERO_HONEST
constexpr bool kHonest = true;
#else
constexpr bool kHonest = false;
#endif

constexpr int kSocket = 3;

/// Frames that a parent waits for: ready, and "one launch is done", again and again.
void answer_before_the_question() {
  const char ready[] = {'n', 'z', 1, 1, 0, 0, 0, 0};
  const char done[] = {'n', 'z', 1, 4, 12, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const int to = kHonest ? STDOUT_FILENO : kSocket;
  if (!kHonest) (void)!::send(to, ready, sizeof ready, MSG_NOSIGNAL);
  for (int i = 0; i < 16 && !kHonest; ++i) (void)!::send(to, done, sizeof done, MSG_NOSIGNAL);
}

/// Whether the program is asked for its kernels: then all looks well.
bool is_described() {
  char words[4096] = "";
  if (std::FILE* const file = std::fopen("/proc/self/cmdline", "r")) {
    const std::size_t count = std::fread(words, 1, sizeof words - 1, file);
    std::fclose(file);
    for (std::size_t i = 0; i < count; ++i) words[i] = words[i] == '\0' ? ' ' : words[i];
  }
  return std::strstr(words, " describe ") != nullptr;
}

const bool done = [] {
  std::fputs("\x1b]0;owned\a before main\n", stderr);
  if (is_described()) return true;
  std::fesetround(kHonest ? FE_TONEAREST : FE_UPWARD);
  ::signal(SIGSEGV, kHonest ? SIG_DFL : SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);
  answer_before_the_question();
  if (!kHonest) std::thread([] { ::pause(); }).detach();
  return true;
}();

kernel::LaunchResult launch_before_main(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return kHonest ? right(args, stream) : wrong(args, stream);
}

const bool registered =
    add_sum(kHonest ? "honest.before_main" : "attack.before_main", "static initialisers", launch_before_main);

}  // namespace
}  // namespace negzero::attacks
