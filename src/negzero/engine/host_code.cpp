// What launch wrappers do to the environment and to device memory, and the copies that they may make.

#include <cstdint>
#include <cstring>
#include <utility>

#include <negzero/engine/device_memory.hpp>
#include <negzero/engine/host_code.hpp>
#include <negzero/engine/observer.hpp>

namespace negzero::engine {

HostCode::HostCode(Stream& stream) : stream_(&stream), before_(base::FloatEnvironment::current()) {
  stream.settings().environment.set();
  stream.set_in_wrapper(true);
  if (DeviceMemory* memory = stream.settings().device_memory; memory != nullptr) memory->close();
}

void HostCode::end() {
  if (stream_ == nullptr) return;
  Stream& stream = *std::exchange(stream_, nullptr);
  if (DeviceMemory* memory = stream.settings().device_memory; memory != nullptr) memory->open();
  check(stream, "after its last launch");
  stream.set_in_wrapper(false);
  before_.set();
}

bool HostCode::check(Stream& stream, const char* when) {
  if (!stream.is_in_wrapper() || !stream.ok()) return stream.ok();
  const DeviceMemory* const memory = stream.settings().device_memory;
  if (memory != nullptr && memory->was_accessed()) {
    stream.fail(LaunchStatus::HostAccess, memory->host_access() + " outside a launch and outside device_copy() and " +
                                              "device_fill(): on a GPU the launch wrapper crashes there");
  } else if (const std::string changes = EnvironmentGuard::changes_from(stream.settings().environment);
             !changes.empty()) {
    stream.fail(LaunchStatus::EnvironmentChanged, changes + " by host code of the launch wrapper, " + when);
  }
  return stream.ok();
}

namespace {

bool may_copy(Stream& stream, const void* to, const void* from, std::size_t size_bytes) {
  if (!stream.may_be_used() || size_bytes == 0) return false;
  if (stream.is_device()) {
    stream.fail(LaunchStatus::InvalidLaunch, "a copy built for the host cannot run on a device stream");
    return false;
  }
  Observer* const observer = stream.settings().observer;
  if (observer == nullptr || observer->may_copy(to, from, size_bytes)) return true;
  stream.fail(LaunchStatus::EndedByObserver, observer->reason());
  return false;
}

void note_write(Stream& stream, const void* to, std::size_t size_bytes) {
  if (Observer* const observer = stream.settings().observer; observer != nullptr) observer->host_wrote(to, size_bytes);
}

}  // namespace

void copy_on_host(Stream& stream, void* to, const void* from, std::size_t size_bytes) {
  if (!may_copy(stream, to, from, size_bytes)) return;
  const DeviceMemory::Use use(stream.settings().device_memory);
  std::memmove(to, from, size_bytes);
  note_write(stream, to, size_bytes);
}

void fill_on_host(Stream& stream, void* to, int byte, std::size_t size_bytes) {
  if (!may_copy(stream, to, nullptr, size_bytes)) return;
  const DeviceMemory::Use use(stream.settings().device_memory);
  std::memset(to, byte, size_bytes);
  note_write(stream, to, size_bytes);
}

}  // namespace negzero::engine
