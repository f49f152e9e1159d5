// Calls launch wrappers, and turns what shows at once into an outcome.

#include <new>

#include <fmt/format.h>

#include <negzero/engine/host_code.hpp>
#include <negzero/worker/launcher.hpp>

namespace negzero::worker {

namespace {

std::optional<protocol::LaunchOutcome> failure_of(const engine::LaunchReport& report) {
  switch (report.status) {
    case engine::LaunchStatus::Ok:
      return std::nullopt;
    case engine::LaunchStatus::DivergentBarrier:
      return protocol::LaunchOutcome::failed(protocol::Fault::Barrier, report.message);
    case engine::LaunchStatus::Hang:
      return protocol::LaunchOutcome::failed(protocol::Fault::Hang, report.message);
    case engine::LaunchStatus::SharedOverrun:
      return protocol::LaunchOutcome::failed(protocol::Fault::SharedOverrun, report.message);
    case engine::LaunchStatus::EnvironmentChanged:
      return protocol::LaunchOutcome::failed(protocol::Fault::Environment, report.message);
    case engine::LaunchStatus::HostAccess:
      return protocol::LaunchOutcome::failed(protocol::Fault::HostAccess, report.message);
    case engine::LaunchStatus::NotThere:
      return protocol::LaunchOutcome::error(report.message);
    case engine::LaunchStatus::InvalidLaunch:
    case engine::LaunchStatus::EndedByObserver:  // The launcher for the host knows more.
    case engine::LaunchStatus::DeviceError:
      break;
  }
  return protocol::LaunchOutcome::failed(protocol::Fault::BadLaunch, report.message);
}

}  // namespace

std::optional<protocol::LaunchOutcome> Launcher::call(const kernel::Kernel& kernel, const kernel::Args& args,
                                                      kernel::Workspace& workspace, engine::Stream& stream) {
  kernel::LaunchResult launched;
  std::optional<protocol::LaunchOutcome> thrown;
  engine::HostCode host_code(stream);
  // What the wrapper throws is the kernel's failure, not ours; but for memory, of which the machine may have too
  // little.
  try {
    launched = kernel.launch(args, workspace, stream);
  } catch (const kernel::Refused& refused) {
    launched = kernel::LaunchResult::refuse(refused.what());
  } catch (const std::bad_array_new_length& exception) {
    thrown = protocol::LaunchOutcome::failed(protocol::Fault::BadLaunch,
                                             fmt::format("the launch wrapper threw: {}", exception.what()));
  } catch (const std::bad_alloc&) {
    thrown = protocol::LaunchOutcome::error(
        "there was too little memory for the launch; give the run more (ulimit -v and -f, the cgroup's limit) or "
        "fewer --jobs");
  } catch (const std::exception& exception) {
    thrown = protocol::LaunchOutcome::failed(protocol::Fault::BadLaunch,
                                             fmt::format("the launch wrapper threw: {}", exception.what()));
  } catch (...) {
    thrown = protocol::LaunchOutcome::failed(protocol::Fault::BadLaunch,
                                             "the launch wrapper threw something that is no std::exception");
  }
  host_code.end();
  // What it throws or refuses after it has read poison as data says less.
  if (stream.report().status == engine::LaunchStatus::HostAccess) return failure_of(stream.report());
  if (thrown) return thrown;
  if (launched.refused) {
    // The case lies inside the limits: nothing else is sent here.
    return protocol::LaunchOutcome::failed(
        protocol::Fault::Refused, fmt::format("the kernel refused a case inside its limits: {}",
                                              launched.reason.empty() ? "it gave no reason" : launched.reason));
  }
  return failure_of(stream.report());
}

}  // namespace negzero::worker
