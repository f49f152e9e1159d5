// Bookkeeping of a stream: the first failure wins.

#include <algorithm>

#include <negzero/simt/stream.hpp>

namespace negzero::simt {

namespace {
constexpr std::size_t kMaxWarnings = 32;
}  // namespace

Stream Stream::on_device(void* cuda_stream) {
  Stream stream;
  stream.device_stream_ = cuda_stream;
  stream.is_device_ = true;
  return stream;
}

void Stream::reset(const Settings& settings) {
  settings_ = settings;
  report_ = {};
}

void Stream::fail(LaunchStatus status, std::string message, Coordinates block, Coordinates thread) {
  if (!ok()) return;
  report_.status = status;
  report_.message = std::move(message);
  report_.block = block;
  report_.thread = thread;
}

void Stream::record_device_error(int error, const char* text) {
  if (error == 0 || !ok()) return;
  fail(LaunchStatus::DeviceError, "CUDA error " + std::to_string(error) + ": " + text);
  report_.device_error = error;
}

void Stream::warn(std::string message) {
  std::vector<std::string>& warnings = report_.warnings;
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
    case LaunchStatus::WatchFinding:
      return "watch_finding";
    case LaunchStatus::EnvironmentChanged:
      return "environment_changed";
    case LaunchStatus::HostAccess:
      return "host_access";
  }
  return "unknown";
}

}  // namespace negzero::simt
