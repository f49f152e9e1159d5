// The cases of a request, made where they are needed: in the examiner that looks at them, and in the campaign that
// keeps one.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/wire.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::campaign {

/// Children of a ChangedRange are crossed with another parent as often as one in so many, and changed otherwise.
inline constexpr std::uint64_t kCrossedOneIn = 8;

/// The case as requests carry it: a whole file, without the names of kernel and contract, which are the request's.
[[nodiscard]] std::string file_of(operation::Case value);

class RequestedCases {
 public:
  /// Neither is owned. Parents that are no cases of the kernel's operation are left out.
  RequestedCases(const Request& request, const kernel::Kernel& kernel);

  /// What the cases of the request are drawn for; nullptr where they are not drawn.
  [[nodiscard]] const generate::Request* drawn_for() const;

  /// Case `number` of the request, counted from 0; the same wherever it is made. Infrastructure error where there is
  /// too little memory for it; usage error where a file of the request is no case, or no parent is one. May be called
  /// by several threads.
  [[nodiscard]] base::Result<operation::Case> at(std::uint64_t number) const;

 private:
  const Request& request_;
  generate::Request wanted_;
  std::vector<operation::Case> parents_;
};

}  // namespace negzero::campaign
