// Words for reports: who waits where.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/engine/block.hpp>

namespace negzero::engine {

namespace {

struct Group {
  std::string what;
  unsigned column;
  unsigned threads;
  Coordinates first;
};

std::string wait_of(const Thread& thread) {
  std::string text = thread.request == nullptr ? to_string(thread.barrier) : to_string(thread.request->kind);
  if (thread.request != nullptr) text += " of mask " + mask_to_string(thread.request->mask);
  return text + " at " + to_string(thread.wait_site);
}

}  // namespace

const char* to_string(WarpKind kind) noexcept {
  switch (kind) {
    case WarpKind::Sync:
      return "__syncwarp";
    case WarpKind::Shuffle:
      return "__shfl_sync";
    case WarpKind::ShuffleUp:
      return "__shfl_up_sync";
    case WarpKind::ShuffleDown:
      return "__shfl_down_sync";
    case WarpKind::ShuffleXor:
      return "__shfl_xor_sync";
    case WarpKind::Ballot:
      return "__ballot_sync";
    case WarpKind::Any:
      return "__any_sync";
    case WarpKind::All:
      return "__all_sync";
    case WarpKind::MatchAny:
      return "__match_any_sync";
    case WarpKind::MatchAll:
      return "__match_all_sync";
    case WarpKind::Add:
      return "__reduce_add_sync";
    case WarpKind::Min:
    case WarpKind::MinSigned:
      return "__reduce_min_sync";
    case WarpKind::Max:
    case WarpKind::MaxSigned:
      return "__reduce_max_sync";
    case WarpKind::And:
      return "__reduce_and_sync";
    case WarpKind::Or:
      return "__reduce_or_sync";
    case WarpKind::Xor:
      return "__reduce_xor_sync";
    case WarpKind::Gather:
      return "wmma operation";
    case WarpKind::ActiveMask:
      return "__activemask";
    case WarpKind::Coalesced:
      return "coalesced_threads";
  }
  return "a warp operation";
}

const char* to_string(BarrierKind kind) noexcept {
  switch (kind) {
    case BarrierKind::Sync:
      return "__syncthreads";
    case BarrierKind::Count:
      return "__syncthreads_count";
    case BarrierKind::And:
      return "__syncthreads_and";
    case BarrierKind::Or:
      return "__syncthreads_or";
  }
  return "a barrier";
}

std::string to_string(Coordinates c) {
  std::string text(1, '(');
  text.append(std::to_string(c.x)).append(1, ',').append(std::to_string(c.y)).append(1, ',');
  return text.append(std::to_string(c.z)).append(1, ')');
}

std::string to_string(CallSite site) {
  // The file's name is enough to find it, and the same on every machine.
  std::string_view file = site.file;
  file = file.substr(file.rfind('/') + 1);
  return std::string(file) + ":" + std::to_string(site.line);
}

std::string mask_to_string(std::uint32_t mask) {
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[mask >> shift & 15];
  return text;
}

WaitDescription describe_waits(const Block& block) {
  std::vector<Group> groups;
  for (const Thread& thread : block.every_thread()) {
    if (!block.is_alive(thread)) continue;
    std::string what = wait_of(thread);
    const unsigned column = thread.wait_site.column;
    const auto known =
        std::ranges::find_if(groups, [&](const Group& group) { return group.what == what && group.column == column; });
    if (known == groups.end()) {
      groups.push_back({std::move(what), column, 1, thread.index});
    } else {
      ++known->threads;
    }
  }
  WaitDescription result{"block " + to_string(block.index()) + ": ", groups.front().first};
  for (const Group& group : groups) {
    if (&group != &groups.front()) result.text += "; ";
    result.text +=
        std::to_string(group.threads) + (group.threads == 1 ? " thread waits in " : " threads wait in ") + group.what;
    if (std::ranges::count(groups, group.what, &Group::what) > 1)
      result.text.append(1, ':').append(std::to_string(group.column));
    result.text += " (first: thread " + to_string(group.first) + ")";
  }
  if (const unsigned exited = block.threads() - block.live(); exited > 0) {
    result.text += "; " + std::to_string(exited) + " exited";
  }
  return result;
}

}  // namespace negzero::engine
