// Cases of a kernel that hold placements: +M, -M and ones among the terms of its sums.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/lines.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/order/scale.hpp>
#include <negzero/order/search.hpp>

namespace negzero::order {

/// What a user asks of the shapes.
struct Asked {
  std::map<std::string, std::int64_t> extents{};  ///< by name; others are small
  std::vector<std::int64_t> lengths{};            ///< of the extent that is summed over; none: three that fit
  std::vector<number::FormatId> formats{};        ///< as of Limits::formats; none: the first that the kernel takes
};

/// Whether a tensor has that extent, by its place in the signature.
[[nodiscard]] inline bool has_extent(const notation::TensorSignature& tensor, std::size_t extent) {
  return std::ranges::find(tensor.extents, extent) != tensor.extents.end();
}

/// The cases of a kernel whose operation has a sum over one extent: a reduction by sum or mean, products, a scan, an
/// update by addition (all of one destination).
class KernelCases {
 public:
  /// `kernel` must outlive this. Usage errors: an operation without such a sum, an extent or a length that it or the
  /// limits do not have.
  [[nodiscard]] static base::Result<KernelCases> make(const kernel::Kernel& kernel, const Asked& asked);

  [[nodiscard]] const Formats& formats() const { return formats_; }
  /// The lengths to look at, ascending, and the name of their extent.
  [[nodiscard]] const std::vector<std::int64_t>& lengths() const { return lengths_; }
  [[nodiscard]] const std::string& length_name() const;
  /// A length far beyond those, for a look at whether what was found holds there; nothing where lengths are asked for,
  /// of scans and updates, and where the kernel takes none.
  [[nodiscard]] std::optional<std::int64_t> longer() const;
  /// "batch=1, m=32, n=8, k=1000, F16 x F16 x F32".
  [[nodiscard]] std::string shape_text(std::int64_t length) const;
  [[nodiscard]] std::int64_t extent(const std::string& name, std::int64_t length) const {
    return operation_of(length).extent(name);
  }
  [[nodiscard]] notation::Reach reach() const { return base_.signature().reach; }
  [[nodiscard]] bool is_mean() const { return base_.signature().combine == notation::Combine::Mean; }

  /// A case and where its sums lie.
  struct Filled {
    operation::Case value{};
    std::vector<operation::Line> sums{};  ///< of each placement, in the first output: one element, or all of a scan
  };
  /// The case that holds as many of the placements as it has sums, from the first on. A case of another variation runs
  /// its threads in another order on the host.
  [[nodiscard]] Filled filled(std::int64_t length, const Scale& scale, unsigned variation,
                              std::span<const Placement> placements) const;

 private:
  explicit KernelCases(const kernel::Kernel& kernel) : kernel_(&kernel) {}
  [[nodiscard]] base::Status take(const Asked& asked);
  void take_formats();
  [[nodiscard]] operation::Operation operation_of(std::int64_t length) const;
  void place(const Placement& placement, const Factors& factors, std::map<std::size_t, std::int64_t>& indices,
             operation::Case& value) const;

  const kernel::Kernel* kernel_;
  operation::Operation base_{};  ///< formats and scalars
  std::map<std::string, std::int64_t> asked_{};
  Formats formats_{};
  std::vector<std::int64_t> lengths_{};
  bool are_usual_ = false;  ///< no lengths were asked for
};

}  // namespace negzero::order
