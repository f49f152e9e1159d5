// Every operation there is, a line each, and operations with values as structs and back.

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/nearest.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/kind.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/operation.hpp>

namespace negzero::operation {
namespace {

constexpr std::string_view kLines[] = {
    "convert: y[i<count] = x[i]",
    "gemm: d[b<batch, i<m, j<n] = alpha * sum(k: a[b,i,k] * b[b,k,j]) + beta * c[b,i,j]",
    "gemm.grouped: d[g<groups, i<rows[g]<=capacity, j<n] = sum(k: a[g,i,k] * b[g,k,j])",
    "reduce.sum: y[i<rows] = sum(j<columns: x[i,j])",
    "reduce.mean: y[i<rows] = mean(j<columns: x[i,j])",
    "reduce.max: y[i<rows] = max(j<columns: x[i,j])",
    "reduce.min: y[i<rows] = min(j<columns: x[i,j])",
    "reduce.argmax: y[i<rows] = argmax(j<columns: x[i,j])",
    "reduce.argmin: y[i<rows] = argmin(j<columns: x[i,j])",
    "reduce.max_index: y[i<rows], at[i] = max(j<columns: x[i,j]), argmax(j: x[i,j])",
    "reduce.sum_middle: y[o<outer, i<inner] = sum(j<columns: x[o,j,i])",
    "reduce.max_middle: y[o<outer, i<inner] = max(j<columns: x[o,j,i])",
    "reduce.argmax_middle: y[o<outer, i<inner] = argmax(j<columns: x[o,j,i])",
    "reduce.max_index_middle: y[o<outer, i<inner], at[o,i] = max(j<columns: x[o,j,i]), argmax(j: x[o,j,i])",
    "reduce.sum_batch: y[i<rows, j<columns] = sum(b<batch: x[b,i,j])",
    "scan.inclusive: y[i<rows, k<columns] = sum(j<=k: x[i,j])",
    "scan.exclusive: y[i<rows, k<columns] = sum(j<k: x[i,j])",
    "scatter.add: out[index[i<updates] < destinations] += x[i]",
    "scatter.max: out[index[i<updates] < destinations] max= x[i]",
    "scatter.min: out[index[i<updates] < destinations] min= x[i]",
};

std::vector<notation::Signature> parsed() {
  std::vector<notation::Signature> all;
  for (const std::string_view line : kLines) {
    auto signature = notation::parse_signature(line);
    const auto same = [&](const notation::Signature& other) { return other.name == signature->name; };
    if (!signature || std::ranges::any_of(all, same)) {
      fmt::print(stderr, "negzero: {}\n",
                 signature ? fmt::format("two operations '{}'", line) : signature.error().message);
      std::abort();
    }
    all.push_back(std::move(*signature));
  }
  return all;
}

constexpr std::string_view kScatters[] = {"add", "max", "min"};

/// Lines that were declared, each once.
class Declared {
 public:
  base::Result<const notation::Signature*> signature_of(std::string_view line) {
    const std::lock_guard lock(mutex_);
    if (const auto known = by_text_.find(line); known != by_text_.end()) return known->second;
    if (line.size() > notation::kMostLine) return too_long(line);
    auto signature = notation::parse_signature(line);
    if (!signature) return signature.error();
    if (!signature->is_declared) {
      return base::usage_error(
          fmt::format("operation '{}': only shipped operations have a definition; write '<-' and what it takes", line));
    }
    const auto ships = std::ranges::find(operation_names(), signature->name);
    if (ships != operation_names().end()) {
      return base::usage_error(
          fmt::format("operation '{}': {} is a shipped operation; give it another name", line, *ships));
    }
    const std::string identity = signature->identity();
    if (identity.size() > notation::kMostLine) return too_long(identity);
    auto known = by_text_.find(identity);
    if (by_text_.size() >= kMostDeclared) {
      return base::usage_error(
          fmt::format("operation '{}': this process has seen {} lines; start another one", line, kMostDeclared));
    }
    if (known == by_text_.end()) known = by_text_.emplace(identity, &all_.emplace_back(std::move(*signature))).first;
    if (identity != line) by_text_.emplace(line, known->second);
    return known->second;
  }

  const notation::Signature& variant_of(const notation::Signature& family, const std::vector<std::string>& absent) {
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = variants_.try_emplace({&family, absent}, nullptr);
    if (is_new) known->second = &all_.emplace_back(notation::variant_of(family, absent));
    return *known->second;
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    by_text_.clear();
    variants_.clear();
    all_.clear();
  }

 private:
  static base::Error too_long(std::string_view line) {
    return base::usage_error(fmt::format("operation '{}...': a line of {} bytes, and at most {} are allowed",
                                         line.substr(0, 40), line.size(), notation::kMostLine));
  }

  std::mutex mutex_;
  std::deque<notation::Signature> all_;  // Operations point into it.
  std::map<std::string, const notation::Signature*, std::less<>> by_text_;
  /// By family and the names of absent inputs, in the line's order.
  std::map<std::pair<const notation::Signature*, std::vector<std::string>>, const notation::Signature*> variants_;
};

Declared& declared() {
  static Declared* const all = new Declared;  // As signatures().
  return *all;
}

}  // namespace

Operation::Operation(const notation::Signature& signature) : signature_(&signature) {
  for (std::size_t slot = 0; slot < signature.formats.size(); ++slot) {
    formats_[slot] = signature.holds_indices(slot) ? number::FormatId::I32 : number::FormatId::F32;
  }
  for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
    const bool is_zero = signature.scalars[i].is_addend || signature.scalars[i].is_whole();
    scalars_[i] = {signature.scalars[i].is_whole() ? number::FormatId::I32 : number::FormatId::F32,
                   is_zero ? 0u : 0x3f800000u};
  }
}

Operation::Operation() : Operation(Gemm{}) {}

Operation::Operation(const Gemm& gemm) : Operation(*find_signature("gemm")) {
  extents_ = {gemm.batch, gemm.m, gemm.n, gemm.k};
  formats_ = {gemm.a, gemm.b, gemm.d, gemm.c.value_or(gemm.d)};
  scalars_ = {gemm.alpha, gemm.beta};
}

Operation::Operation(const Reduce& reduce)
    : Operation(
          *find_signature(fmt::format("reduce.{}", notation::name(static_cast<notation::Combine>(reduce.kind))))) {
  extents_ = {reduce.rows, reduce.columns};
  formats_ = {reduce.x, reduce.y};
}

Operation::Operation(const Scatter& scatter)
    : Operation(*find_signature(fmt::format("scatter.{}", kScatters[static_cast<std::size_t>(scatter.kind)]))) {
  extents_ = {scatter.updates, scatter.destinations};
  formats_ = {scatter.x, scatter.index};
}

void Operation::set_formats(std::span<const number::FormatId> named) noexcept {
  std::ranges::copy(named, formats_.begin());
  for (std::size_t slot = named.size(); slot < signature_->formats.size(); ++slot) {
    formats_[slot] = signature_->usual_format(slot, formats_);
  }
  if (signature_->is_declared) return;
  for (std::size_t i = 0; i < signature_->scalars.size(); ++i) {
    const bool of_integers = number::format(format_of(signature_->factors.front())).is_integer();
    if (number::format(scalars_[i].format).is_integer() == of_integers) continue;
    const number::FormatId id = of_integers ? number::FormatId::I32 : number::FormatId::F32;
    scalars_[i] = {id, signature_->scalars[i].is_addend ? 0 : number::one(number::format(id))};
  }
}

std::span<const number::FormatId> Operation::named_formats() const noexcept {
  std::size_t count = signature_->formats.size();
  while (count > signature_->own_formats && formats_[count - 1] == signature_->usual_format(count - 1, formats_)) {
    --count;
  }
  return formats().first(count);
}

number::FormatId Operation::format_of(std::size_t tensor) const noexcept {
  return formats_[signature_->tensors[tensor].format];
}

std::vector<std::int64_t> Operation::shape_of(std::size_t tensor) const {
  std::vector<std::int64_t> shape;
  shape.reserve(notation::kMostDimensions);
  for (const std::size_t extent : signature_->tensors[tensor].extents) shape.push_back(extents_[extent]);
  return shape;
}

template <>
std::optional<Gemm> view_if<Gemm>(const Operation& operation) {
  if (kind_of(operation.signature()) != Kind::Products) return std::nullopt;
  const auto extents = operation.extents();
  const auto formats = operation.formats();
  const auto scalars = operation.scalars();
  Gemm gemm{.batch = extents[0],
            .m = extents[1],
            .n = extents[2],
            .k = extents[3],
            .a = formats[0],
            .b = formats[1],
            .d = formats[2],
            .alpha = scalars[0],
            .beta = scalars[1]};
  if (formats[3] != formats[2]) gemm.c = formats[3];
  return gemm;
}

template <>
std::optional<Reduce> view_if<Reduce>(const Operation& operation) {
  const notation::Signature& signature = operation.signature();
  if (kind_of(signature) != Kind::Reduction || signature.outputs.size() > 1) return std::nullopt;
  // Rows of a matrix only: x[i,j], whose last dimension is reduced.
  if (signature.tensors[signature.factors.front()].extents != std::vector<std::size_t>{0, 1}) return std::nullopt;
  if (signature.reduced != 1) return std::nullopt;
  return Reduce{static_cast<ReduceKind>(*signature.combine), operation.extents()[0], operation.extents()[1],
                operation.formats()[0], operation.formats()[1]};
}

template <>
std::optional<Scatter> view_if<Scatter>(const Operation& operation) {
  const notation::Signature& signature = operation.signature();
  if (kind_of(signature) != Kind::Update) return std::nullopt;
  const notation::Combine combine = *signature.combine;
  const ScatterKind kind = combine == notation::Combine::Sum   ? ScatterKind::Add
                           : combine == notation::Combine::Max ? ScatterKind::Max
                                                               : ScatterKind::Min;
  return Scatter{kind, operation.extents()[0], operation.extents()[1], operation.formats()[0], operation.formats()[1]};
}

std::optional<Gemm> gemm_of_groups(const Operation& operation) {
  if (kind_of(operation.signature()) != Kind::GroupedProducts) return std::nullopt;
  const auto extents = operation.extents();
  const auto formats = operation.formats();
  return Gemm{.batch = extents[0],
              .m = extents[1],
              .n = extents[2],
              .k = extents[3],
              .a = formats[0],
              .b = formats[1],
              .d = formats[2]};
}

std::string_view when_unread(const Operation& operation, std::string_view tensor, const ReadsAtZero& reads) noexcept {
  const notation::Signature& signature = operation.signature();
  const auto gate = signature.tensors[*signature.find_tensor(tensor)].unread_at_zero;
  if (!gate) return "";
  const Scalar& scalar = operation.scalars()[*gate];
  const bool is_addend = signature.scalars[*gate].is_addend;
  const bool is_read = is_addend ? reads.addend : reads.factors;
  if (is_read || !number::is_zero(number::format(scalar.format), scalar.bits)) return "";
  return is_addend ? "at beta = 0" : "at alpha = 0";
}

const std::string& name(const Operation& operation) { return operation.signature().name; }

bool is_of(const Operation& operation, std::string_view identity) {
  return &operation.signature().family() == find_signature(identity);
}

std::string unlike(const Operation& operation, std::string_view identity) {
  const std::string_view other = name_in(identity);
  if (other != name(operation)) return fmt::format("a {}, not a {}", name(operation), other);
  return fmt::format("of another line: '{}' where '{}' is wanted", operation.signature().identity(), identity);
}

std::span<const notation::Signature> signatures() {
  // Local, because static initialisers of kernel files ask for it in any order, and never destroyed, because operations
  // point into it.
  static const std::vector<notation::Signature>* const all = new std::vector<notation::Signature>(parsed());
  return *all;
}

std::span<const std::string_view> operation_names() {
  static const std::vector<std::string_view>* const names = [] {
    auto* const all = new std::vector<std::string_view>;
    for (const notation::Signature& signature : signatures()) all->push_back(signature.name);
    return all;
  }();
  return *names;
}

base::Result<const notation::Signature*> signature_of(std::string_view identity) {
  for (const notation::Signature& signature : signatures()) {
    if (signature.name == identity) return &signature;
  }
  if (!is_line(identity)) {
    return base::usage_error(
        fmt::format("no operation is called '{}'; {}known are {}, and a line such as 'softmax: y[rows, columns] <- "
                    "x[rows, columns]'",
                    identity, base::did_you_mean(identity, operation_names()), fmt::join(operation_names(), ", ")));
  }
  return declared().signature_of(identity);
}

const notation::Signature& variant(const notation::Signature& any_of_family, std::span<const std::string> absent) {
  const notation::Signature& family = any_of_family.family();
  std::vector<std::string> missing;
  for (const notation::TensorSignature& tensor : family.tensors) {
    if (tensor.is_optional && std::ranges::find(absent, tensor.name) != absent.end()) missing.push_back(tensor.name);
  }
  return missing.empty() ? family : declared().variant_of(family, missing);
}

void forget_declared() { declared().clear(); }
const notation::Signature* find_signature(std::string_view identity) {
  const auto found = signature_of(identity);
  return found ? *found : nullptr;
}

bool is_line(std::string_view identity) noexcept { return identity.find(':') != std::string_view::npos; }

std::string_view name_in(std::string_view identity) noexcept { return identity.substr(0, identity.find(':')); }

std::optional<Operation> operation_named(std::string_view identity) {
  const notation::Signature* const signature = find_signature(identity);
  if (signature == nullptr) return std::nullopt;
  return Operation(*signature);
}

std::vector<Extent> extents_of(const Operation& operation) {
  std::vector<Extent> extents;
  const auto values = operation.extents();
  for (std::size_t i = 0; i < values.size(); ++i) extents.push_back({operation.signature().extents[i], values[i]});
  return extents;
}

}  // namespace negzero::operation
