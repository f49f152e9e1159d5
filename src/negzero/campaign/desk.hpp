// Cases that are wanted beside those of a campaign, from any thread: its crew examines them, and the verdicts go back.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/crew.hpp>
#include <negzero/campaign/wire.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

/// Some cases that are evaluated together, as a caller of order() holds them.
class Errand;

class Desk final : public Source, public Sink {
 public:
  /// `examiners`: of the crew, among which the cases of one order are shared.
  explicit Desk(int examiners);
  ~Desk() override;
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  /// One that will order: while there are users, the crew waits for tasks of this desk.
  class User {
   public:
    explicit User(Desk& desk) : desk_(desk) { desk_.count_user(1); }
    ~User() { desk_.count_user(-1); }
    User(const User&) = delete;
    User& operator=(const User&) = delete;

   private:
    Desk& desk_;
  };

  // From any thread.

  /// Has cases examined as `how` says, whose source is not looked at.
  [[nodiscard]] std::list<Errand>::iterator order(std::span<const operation::Case> cases, Request how);
  /// Waits until all are there, or `stop` is true, which is polled ten times a second.
  void wait(std::list<Errand>::iterator order, const Stop& stop);
  /// One verdict a case, in order; Error verdicts where none came. Error: what the crew ended with. The order is gone.
  [[nodiscard]] base::Result<std::vector<verdict::Verdict>> close(std::list<Errand>::iterator order);
  /// The crew examines nothing any more; `why` where that is an error.
  void end(const std::optional<base::Error>& why);
  [[nodiscard]] int users() const;
  /// Wakes the crew up.
  void wake() const;

  // From the thread that runs the crew.

  [[nodiscard]] std::optional<Task> next(int examiner) override;
  [[nodiscard]] bool is_open() const override;
  [[nodiscard]] bool is_wanted(std::uint64_t tag) const override;
  [[nodiscard]] int wakes_by() const override { return event_; }
  bool take(std::uint64_t tag, const Reply& reply) override;

 private:
  struct Flight {
    std::list<Errand>::iterator order;
    std::size_t first = 0;   ///< which case of the order is the first of the task
    std::uint64_t left = 0;  ///< replies
  };

  void count_user(int change);
  std::list<Errand>::iterator chosen(int examiner);

  const std::size_t examiners_;
  int event_ = -1;
  mutable std::mutex mutex_;  ///< guards what follows
  std::condition_variable answered_;
  std::list<Errand> orders_;
  std::map<std::uint64_t, Flight> flights_;  ///< by tag
  std::map<int, std::string> at_;            ///< by examiner: the kernel of its last task, whose worker it has
  bool has_ended_ = false;
  std::optional<base::Error> failed_;
  std::uint64_t next_tag_ = 0;
  int users_ = 0;
};

class Errand {
 private:
  friend class Desk;
  std::string kernel_;
  std::deque<std::pair<std::size_t, Request>> waiting_;  ///< with the place of their first case
  std::vector<verdict::Verdict> verdicts_;
  std::size_t missing_ = 0;
};

}  // namespace negzero::campaign
