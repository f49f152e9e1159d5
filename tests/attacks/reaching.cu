// Attacks that look for the expected values, the oracle or the checker outside the launch: in memory, descriptors,
// files and other processes. The same search with a right sum behind it passes.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pairs.cuh"

namespace negzero::attacks {
namespace {

constexpr int kSocket = 3;
constexpr int kMostDescriptors = 64;

volatile std::uint64_t seen = 0;  ///< so that no search is optimised away

void look_at(const void* bytes, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<const unsigned char*>(bytes)[i];
  seen = seen + sum;
}

/// Reads writable memory of the process, without the image, through a pipe, so that what cannot be read is no fault.
void search_memory(const kernel::Args&) {
  int ends[2];
  if (::pipe(ends) != 0) return;
  std::ifstream maps("/proc/self/maps");
  char page[4096];
  std::size_t left = 1024;  // Pages a launch.
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3 || std::strncmp(rights, "rw", 2) != 0)
      continue;
    if (line.find("negzero-image") != std::string::npos) continue;
    for (; begin < end && left > 0; begin += sizeof page, --left) {
      if (::write(ends[1], reinterpret_cast<const void*>(begin), sizeof page) != sizeof page) break;
      if (::read(ends[0], page, sizeof page) > 0) look_at(page, sizeof page);
    }
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

void search_descriptors(const kernel::Args&) {
  char bytes[4096];
  for (int descriptor = 0; descriptor < kMostDescriptors; ++descriptor) {
    struct stat about {};
    if (::fstat(descriptor, &about) != 0) continue;
    if (S_ISREG(about.st_mode) && ::pread(descriptor, bytes, sizeof bytes, 0) > 0) look_at(bytes, sizeof bytes);
    if (::recv(descriptor, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT) > 0) look_at(bytes, sizeof bytes);
  }
}

/// All of the shared memory, beyond the image of this launch: through each descriptor that may be it, and where it is
/// mapped.
void search_shared_memory(const kernel::Args&) {
  for (int descriptor = 0; descriptor < kMostDescriptors; ++descriptor) {
    struct stat about {};
    if (::fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) continue;
    const auto bytes = static_cast<std::size_t>(about.st_size);
    void* const all = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (all == MAP_FAILED) continue;
    look_at(all, bytes);
    ::munmap(all, bytes);
  }
  int ends[2];
  if (::pipe(ends) != 0) return;
  char page[4096];
  const SharedImage image = shared_image();
  for (std::uintptr_t at = image.begin; at < image.end; at += sizeof page) {
    if (::write(ends[1], reinterpret_cast<const void*>(at), sizeof page) != sizeof page) continue;  // It is closed.
    if (::read(ends[0], page, sizeof page) > 0) look_at(page, sizeof page);
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

void search_processes(const kernel::Args&) {
  DIR* const processes = ::opendir("/proc");
  const std::string parent = std::to_string(::getppid());
  for (const char* name : {"mem", "maps", "environ", "cmdline", "fd/3", "fd/4", "auxv"}) {
    std::ifstream file("/proc/" + parent + "/" + name, std::ios::binary);
    char bytes[4096];
    if (file.read(bytes, sizeof bytes)) look_at(bytes, sizeof bytes);
  }
  if (processes != nullptr) ::closedir(processes);
}

void read_findings(const kernel::Args&) {
  const char* const home = std::getenv("HOME");
  const char* const here = std::getenv("PWD");
  for (const std::string& folder : {std::string("findings"), std::string("corpus/regressions"),
                                    std::string(here != nullptr ? here : "/") + "/findings",
                                    std::string(home != nullptr ? home : "/"), std::string("/tmp")}) {
    DIR* const opened = ::opendir(folder.c_str());
    if (opened == nullptr) continue;
    while (const dirent* entry = ::readdir(opened)) {
      std::ifstream file(folder + "/" + entry->d_name, std::ios::binary);
      char bytes[256];
      if (file.read(bytes, sizeof bytes)) look_at(bytes, sizeof bytes);
    }
    ::closedir(opened);
  }
}

/// Writes files where findings lie, and where a corpus may.
void write_case_files(const kernel::Args&) {
  for (const char* path : {"findings/forged.safetensors", "/tmp/forged.safetensors", "forged.safetensors",
                           "/proc/self/oom_score_adj", "/dev/shm/forged"}) {
    const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) continue;
    (void)!::write(file, "forged", 6);
    ::close(file);
  }
  ::unlink("findings");
  ::rename("corpus", "corps");
}

/// Overwrites the judge wherever the program or one of its libraries has one.
void patch_the_oracle(const kernel::Args&) {
  for (const char* symbol : {"_ZN7negzero6oracle5judgeE", "_ZN7negzero6oracle6Oracle5judgeE", "negzero_judge"}) {
    void* const found = ::dlsym(RTLD_DEFAULT, symbol);
    if (found == nullptr) continue;
    const auto page = reinterpret_cast<std::uintptr_t>(found) / 4096 * 4096;
    if (::mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) {
      std::memset(found, 0xc3, 12);
    }
  }
}

void trace_the_parent(const kernel::Args&) {
  if (!is_confined()) return;
  const pid_t parent = ::getppid();
  (void)::ptrace(PTRACE_ATTACH, parent, nullptr, nullptr);
  (void)::ptrace(PTRACE_SEIZE, parent, nullptr, nullptr);
  std::uint64_t word = 0;
  const iovec here{&word, sizeof word}, there{reinterpret_cast<void*>(0x400000), sizeof word};
  (void)::process_vm_readv(parent, &here, 1, &there, 1, 0);
  (void)::process_vm_writev(parent, &here, 1, &there, 1, 0);
  (void)::syscall(SYS_pidfd_open, parent, 0);
}

void signal_the_parent(const kernel::Args&) {
  if (!is_confined()) return;
  const pid_t parent = ::getppid();
  for (const int signal : {SIGSTOP, SIGKILL, SIGTERM, SIGINT, SIGUSR1}) {
    ::kill(parent, signal);
    ::syscall(SYS_tgkill, parent, parent, signal);
    ::sigqueue(parent, signal, {});
  }
  ::kill(-::getpgrp(), SIGTERM);
}

/// A program that ends with status 0 in place of this one.
void become_another_program(const kernel::Args&) {
  if (!is_confined()) return;
  char name[] = "true";
  char* words[] = {name, nullptr};
  for (const char* path : {"/bin/true", "/usr/bin/true", "/proc/self/exe", "/bin/sh"}) ::execv(path, words);
  (void)::execl("/proc/self/exe", "negzero", "check", "--json", nullptr);
}

/// Hands descriptors to the parent, in the hope that it takes them for its own.
void send_descriptors(const kernel::Args&) {
  if (!is_confined()) return;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  *header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
  const int descriptor = 2;
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  (void)::sendmsg(kSocket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);  // No byte of data: the stream stays as it is.
}

const bool registered[] = {
    add_trick<search_memory>("memory_search", "looks for expected values in all writable memory"),
    add_trick<search_descriptors>("descriptor_search", "looks for expected values behind every descriptor"),
    add_trick<search_shared_memory>("shared_memory_search", "maps all of the shared memory and looks through it"),
    add_trick<search_processes>("process_search", "reads the memory and descriptors of its parent through /proc"),
    add_trick<read_findings>("findings_read", "reads findings, the corpus and the user's files"),
    add_trick<write_case_files>("files_written", "writes case files, and removes others"),
    add_trick<patch_the_oracle>("oracle_patched", "patches the judge"),
    add_trick<trace_the_parent>("parent_traced", "traces its parent and writes to its memory"),
    add_trick<signal_the_parent>("parent_signalled", "stops and kills its parent"),
    add_trick<become_another_program>("program_replaced", "becomes a program that exits with status 0"),
    add_trick<send_descriptors>("descriptors_sent", "sends descriptors through the socket"),
};

}  // namespace
}  // namespace negzero::attacks
