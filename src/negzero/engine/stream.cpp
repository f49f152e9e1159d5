// Bookkeeping of a stream: the first failure wins.

#include <algorithm>

#include <negzero/engine/stream.hpp>

namespace negzero::engine {

namespace {
constexpr std::size_t kMaxWarnings = 32;

/// What the launch wrapper that runs on this thread was given.
thread_local Stream* given = nullptr;
}  // namespace

Stream Stream::on_device(void* cuda_stream) {
  Stream stream;
  stream.handle_ = cuda_stream;
  stream.is_device_ = true;
  return stream;
}

void Stream::reset(const Settings& settings) {
  settings_ = settings;
  report_ = {};
}

void Stream::set_in_wrapper(bool in_wrapper) noexcept {
  in_wrapper_ = in_wrapper;
  given = in_wrapper ? this : nullptr;
}

Stream* Stream::of_wrapper() noexcept { return given; }

LaunchReport& Stream::kept() noexcept {
  return given != nullptr && given->handle_ == handle_ ? given->report_ : report_;
}

bool Stream::may_be_used() {
  if (given == nullptr || given->handle_ == handle_) return kept().status == LaunchStatus::Ok;
  given->fail(LaunchStatus::InvalidLaunch,
              "the launch wrapper used another stream than the one it was given, kept from an earlier call: on a GPU "
              "nothing orders what it does there with its inputs and with who reads its output");
  return false;
}

void Stream::fail(LaunchStatus status, std::string message, Coordinates block, Coordinates thread) {
  LaunchReport& report = kept();
  if (report.status != LaunchStatus::Ok) return;
  report.status = status;
  report.message = std::move(message);
  report.block = block;
  report.thread = thread;
}

void Stream::record_device_error(int error, const char* text) {
  LaunchReport& report = kept();
  if (error == 0 || report.status != LaunchStatus::Ok) return;
  fail(LaunchStatus::DeviceError, "CUDA error " + std::to_string(error) + ": " + text);
  report.device_error = error;
}

void Stream::warn(std::string message) {
  std::vector<std::string>& warnings = kept().warnings;
  if (warnings.size() >= kMaxWarnings || std::ranges::find(warnings, message) != warnings.end()) return;
  warnings.push_back(std::move(message));
}

const char* to_string(LaunchStatus status) noexcept {
  switch (status) {
    case LaunchStatus::Ok:
      return "ok";
    case LaunchStatus::DivergentBarrier:
      return "divergent_barrier";
    case LaunchStatus::Hang:
      return "hang";
    case LaunchStatus::SharedOverrun:
      return "shared_overrun";
    case LaunchStatus::InvalidLaunch:
      return "invalid_launch";
    case LaunchStatus::DeviceError:
      return "device_error";
    case LaunchStatus::EndedByObserver:
      return "ended_by_observer";
    case LaunchStatus::EnvironmentChanged:
      return "environment_changed";
    case LaunchStatus::HostAccess:
      return "host_access";
    case LaunchStatus::NotThere:
      return "not_there";
  }
  return "unknown";
}

}  // namespace negzero::engine
