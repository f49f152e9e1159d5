// What a build says of errors: with the author's places and lines, and why a name that is missed is gone.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include <negzero/source/declaration.hpp>
#include <negzero/source/place.hpp>
#include <negzero/source/project.hpp>

namespace negzero::source {

class Complaints {
 public:
  Complaints() = default;
  /// `declared` is what the file `declared_in` says, and outlives this.
  Complaints(std::string declared_in, const Declarations& declared)
      : declared_in_(std::move(declared_in)), declared_(&declared) {}

  /// Keeps why a declaration, "NAME (FILE:LINE)", was left out: for its own error, or, where that names a declaration
  /// that was left out before, for that one's.
  void note_left_out(const std::string& name, const Project& project, const Message& why);
  /// The errors among the messages, or all that was printed where there is none.
  [[nodiscard]] std::string shown(const Project& project, const std::vector<Message>& messages,
                                  const std::string& printed) const;

  /// The first causes of all that was left out, in order: "NAME (FILE:LINE) was left out: PLACE: ERROR".
  [[nodiscard]] std::vector<std::string> first_causes() const;

 private:
  /// A declaration that was left out.
  struct LeftOut {
    std::string name{}, why{};
    std::size_t first = 0;  ///< the place in this list of the one that is the first cause, which may be itself
  };

  [[nodiscard]] Place before(const Project& project, const Message& message) const;

  std::string declared_in_{};
  const Declarations* declared_ = nullptr;
  std::vector<LeftOut> left_out_{};
};

}  // namespace negzero::source
