// Cases that are wanted beside those of a campaign, from any thread.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

#include <negzero/campaign/desk.hpp>
#include <negzero/case_file/case_file.hpp>

namespace negzero::campaign {

namespace {

constexpr const char* kStopped = "not evaluated: stopped";

}  // namespace

Desk::Desk(int examiners)
    : examiners_(static_cast<std::size_t>(std::max(1, examiners))), event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Desk::~Desk() {
  if (event_ >= 0) ::close(event_);
}

void Desk::wake() const {
  const std::uint64_t one = 1;
  (void)!::write(event_, &one, sizeof one);
}

void Desk::count_user(int change) {
  const std::lock_guard lock(mutex_);
  users_ += change;
  wake();
}

std::list<Errand>::iterator Desk::order(std::span<const operation::Case> cases, Request how) {
  Errand order;
  order.kernel_ = how.kernel;
  order.verdicts_.assign(cases.size(), verdict::error_verdict(kStopped));
  order.missing_ = cases.size();
  const std::size_t share = (cases.size() + examiners_ - 1) / examiners_;
  for (std::size_t next = 0; next < cases.size();) {
    WholeCases files;
    const std::size_t first = next;
    for (; next < cases.size() && files.size() < share; ++next) {
      const std::vector<std::byte> file = case_file::write(cases[next]);
      if (!has_room(files, file.size())) break;
      files.emplace_back(reinterpret_cast<const char*>(file.data()), file.size());
    }
    how.source = std::move(files);
    order.waiting_.emplace_back(first, how);
  }
  const std::lock_guard lock(mutex_);
  orders_.push_back(std::move(order));
  wake();
  return std::prev(orders_.end());
}

void Desk::wait(std::list<Errand>::iterator order, const Stop& stop) {
  std::unique_lock lock(mutex_);
  const auto is_done = [&] { return order->missing_ == 0 || has_ended_; };
  while (!is_done()) {
    lock.unlock();
    const bool is_stopped = stop && stop();
    lock.lock();
    if (is_stopped) return;
    answered_.wait_for(lock, std::chrono::milliseconds(100), is_done);
  }
}

base::Result<std::vector<verdict::Verdict>> Desk::close(std::list<Errand>::iterator order) {
  const std::lock_guard lock(mutex_);
  std::erase_if(flights_, [&](const auto& flight) { return flight.second.order == order; });
  const bool is_whole = order->missing_ == 0;
  std::vector<verdict::Verdict> verdicts = std::move(order->verdicts_);
  orders_.erase(order);
  wake();
  if (failed_ && !is_whole) return *failed_;
  return verdicts;
}

void Desk::end(const std::optional<base::Error>& why) {
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  failed_ = why;
  answered_.notify_all();
}

int Desk::users() const {
  const std::lock_guard lock(mutex_);
  return users_;
}

std::list<Errand>::iterator Desk::chosen(int examiner) {
  const auto waits = [](const Errand& order) { return !order.waiting_.empty(); };
  const std::string& mine = at_[examiner];
  // Starting a worker for another kernel takes longer than most tasks.
  const auto of_mine =
      std::ranges::find_if(orders_, [&](const Errand& each) { return waits(each) && each.kernel_ == mine; });
  if (of_mine != orders_.end()) return of_mine;
  const auto is_at_another = [&](const Errand& order) {
    return std::ranges::any_of(at_, [&](const auto& at) { return at.first != examiner && at.second == order.kernel_; });
  };
  const auto of_none =
      std::ranges::find_if(orders_, [&](const Errand& each) { return waits(each) && !is_at_another(each); });
  if (of_none != orders_.end()) return of_none;
  return std::ranges::find_if(orders_,
                              [&](const Errand& each) { return waits(each) && users_ < static_cast<int>(examiners_); });
}

std::optional<Task> Desk::next(int examiner) {
  const std::lock_guard lock(mutex_);
  const auto order = chosen(examiner);
  if (order == orders_.end()) return std::nullopt;
  auto [first, request] = std::move(order->waiting_.front());
  order->waiting_.pop_front();
  at_[examiner] = order->kernel_;
  flights_.emplace(next_tag_, Flight{order, first, campaign::count(request)});
  // Others come first before the rest of this one does.
  orders_.splice(orders_.end(), orders_, order);
  return Task{std::move(request), next_tag_++};
}

bool Desk::is_open() const {
  const std::lock_guard lock(mutex_);
  return users_ > 0;
}

bool Desk::is_wanted(std::uint64_t tag) const {
  const std::lock_guard lock(mutex_);
  return flights_.contains(tag);
}

bool Desk::take(std::uint64_t tag, const Reply& reply) {
  const std::lock_guard lock(mutex_);
  const auto flight = flights_.find(tag);
  if (flight == flights_.end()) return false;
  Errand& order = *flight->second.order;
  const std::size_t place = flight->second.first + reply.index;
  if (place < order.verdicts_.size()) order.verdicts_[place] = reply.verdict;
  if (--order.missing_ == 0) answered_.notify_all();
  if (--flight->second.left == 0) flights_.erase(flight);
  return true;
}

}  // namespace negzero::campaign
