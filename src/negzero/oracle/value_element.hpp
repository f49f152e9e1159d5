// Elements of sums and means of values: reductions, scans, updates.

#pragma once

#include <string_view>

#include <negzero/oracle/follow.hpp>
#include <negzero/oracle/prefix.hpp>

namespace negzero::oracle {

/// The terms of one element, which must outlive it, and the method of exact to use (see exact::choose).
class ValueElement final : public PathElement {
 public:
  ValueElement(Prefix& terms, std::string_view exact_method, Detail detail = Detail::Results)
      : PathElement(detail), terms_(terms), exact_method_(exact_method) {}

  [[nodiscard]] SumResult sum(const Path& path) override;
  [[nodiscard]] std::size_t terms() const override { return terms_.size(); }

 private:
  Prefix& terms_;
  std::string_view exact_method_;
};

}  // namespace negzero::oracle
