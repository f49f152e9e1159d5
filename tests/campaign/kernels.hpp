// Kernels with planted faults for the tests of campaigns, registered in the test program, and what the tests share.

#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <negzero/base/random.hpp>
#include <negzero/campaign/check.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>

#include "../on_device.hpp"

namespace negzero::campaign_test {

using kernel::LaunchResult;
using kernel::ReduceArgs;

/// y[i] = the largest of x[i, *], NaN propagated and -0 < +0; `skip_last` leaves the last column out. For one thread of
/// a device.
inline void select_rows(const ReduceArgs& args, bool skip_last) {
  for (std::int64_t i = 0; i < args.rows; ++i) {
    float best = -INFINITY;
    for (std::int64_t j = 0; j < args.columns - (skip_last ? 1 : 0); ++j) {
      const float x = args.x.as<float>()[i * args.x.strides[0] + j * args.x.strides[1]];
      const bool greater = x > best || (x == best && !std::signbit(x));
      if (std::isnan(x) || (!std::isnan(best) && greater)) best = x;
    }
    args.y.as<float>()[i * args.y.strides[0]] = best;
  }
}

/// A max over rows that does `also` first, in one launch.
inline bool add_max(std::string name, std::function<void(const ReduceArgs&)> also, bool skip_last = false) {
  using number::FormatId;
  return kernel::registry().add({.name = std::move(name),
                                 .operation = "reduce.max",
                                 .about = "a kernel of the tests",
                                 .contract = {.zero_sign = contract::ZeroSign::Ieee},
                                 .limits = {.formats = {{FormatId::F32, FormatId::F32}},
                                            .extents = {{"rows", {.max = 16}}, {"columns", {.max = 64}}}},
                                 .launch = [also = std::move(also), skip_last](
                                               const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
                                   const auto& reduce = reduce_args(args);
                                   on_device(stream, [&] {
                                     if (also) also(reduce);
                                     select_rows(reduce, skip_last);
                                   });
                                   return LaunchResult::launched();
                                 }});
}

/// A sum over rows from the left, and from the right in every second launch, that promises determinism.
inline bool add_varying_sum(std::string name) {
  using number::FormatId;
  return kernel::registry().add(
      {.name = std::move(name),
       .operation = "reduce.sum",
       .about = "a kernel of the tests",
       .contract = {.determinism = contract::Determinism::RunToRun},
       .limits = {.formats = {{FormatId::F32, FormatId::F32}},
                  .extents = {{"rows", {.max = 16}}, {"columns", {.max = 64}}}},
       .launch = [launches = 0](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) mutable {
         const auto& reduce = reduce_args(args);
         const bool from_left = ++launches % 2 == 0;
         on_device(stream, [&] {
           for (std::int64_t i = 0; i < reduce.rows; ++i) {
             float sum = 0;
             for (std::int64_t j = 0; j < reduce.columns; ++j) {
               const std::int64_t column = from_left ? j : reduce.columns - 1 - j;
               sum += reduce.x.as<float>()[i * reduce.x.strides[0] + column * reduce.x.strides[1]];
             }
             reduce.y.as<float>()[i * reduce.y.strides[0]] = sum;
           }
         });
         return LaunchResult::launched();
       }});
}

/// A max over rows that drops NaN, and begins at 0: two causes of wrong special values.
inline bool add_two_causes(std::string name) {
  using number::FormatId;
  return kernel::registry().add({.name = std::move(name),
                                 .operation = "reduce.max",
                                 .about = "a kernel of the tests",
                                 .contract = {.zero_sign = contract::ZeroSign::Any},
                                 .limits = {.formats = {{FormatId::F32, FormatId::F32}},
                                            .extents = {{"rows", {.max = 16}}, {"columns", {.max = 64}}}},
                                 .launch = [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
                                   const auto& reduce = reduce_args(args);
                                   on_device(stream, [&] {
                                     for (std::int64_t i = 0; i < reduce.rows; ++i) {
                                       float best = 0;
                                       for (std::int64_t j = 0; j < reduce.columns; ++j) {
                                         const float x =
                                             reduce.x.as<float>()[i * reduce.x.strides[0] + j * reduce.x.strides[1]];
                                         if (x > best) best = x;
                                       }
                                       reduce.y.as<float>()[i * reduce.y.strides[0]] = best;
                                     }
                                   });
                                   return LaunchResult::launched();
                                 }});
}

inline bool is_wide(const ReduceArgs& args) { return args.columns > 5 && args.rows > 1; }

[[noreturn]] inline void hang() {
  for (;;) ::usleep(1000);
}

inline const bool registered[] = {
    add_max("good.max", {}),
    add_max("good.other", {}),
    add_max("bad.skips_last", {}, true),
    add_two_causes("bad.two_causes"),
    add_max("bad.aborts",
            [](const ReduceArgs& args) {
              if (is_wide(args)) ::_exit(7);
            }),
    add_max("bad.at_two_places",
            [](const ReduceArgs& args) {
              if (args.rows > 1) throw std::runtime_error(args.columns > 5 ? "sum.cuh:41" : "tiles.cu:58");
            }),
    add_max("bad.always_aborts", [](const ReduceArgs&) { std::abort(); }),
    add_max("bad.always_exits", [](const ReduceArgs&) { ::_exit(3); }),
    add_max("bad.hangs",
            [](const ReduceArgs& args) {
              if (is_wide(args)) hang();
            }),
    add_max("bad.writes_behind",
            [](const ReduceArgs& args) {
              if (args.rows > 3) static_cast<char*>(args.y.data)[-1] ^= 1;
            }),
    add_max(
        "bad.both",
        [](const ReduceArgs& args) {
          if (args.rows > 3) static_cast<char*>(args.y.data)[-1] ^= 1;
        },
        true),
    // Every third launch of a process goes wrong, whatever the case.
    add_max("bad.third_launch",
            [launches = 0](const ReduceArgs& args) mutable {
              if (++launches % 3 == 0 && args.rows > 0) static_cast<char*>(args.x.data)[-1] ^= 1;
            }),
    // A process goes wrong once it has seen more than eight columns, of one case or of many.
    add_max("bad.counts_columns",
            [seen = std::int64_t{0}](const ReduceArgs& args) mutable {
              seen += args.columns;
              if (seen > 8) static_cast<char*>(args.x.data)[-1] ^= 1;
            }),
    // A process ends behind a wide case, at whatever comes next.
    add_max("bad.ends_behind_wide",
            [was_wide = false](const ReduceArgs& args) mutable {
              if (std::exchange(was_wide, is_wide(args))) std::abort();
            }),
    // A process ends at the third launch, whatever the case.
    add_max("bad.ends_at_third",
            [launches = 0](const ReduceArgs&) mutable {
              if (++launches == 3) std::abort();
            }),
    // A process ends at a case of three rows behind one of two: no case does it alone.
    add_max("bad.ends_by_two",
            [had_two = false](const ReduceArgs& args) mutable {
              if (had_two && args.rows == 3) std::abort();
              had_two = had_two || args.rows == 2;
            }),
    // Every second launch or so, in whatever process.
    add_max("bad.sometimes",
            [](const ReduceArgs& args) {
              const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
              const bool odd = base::mix64(static_cast<std::uint64_t>(now)) % 2 != 0;
              if (odd && args.rows > 0) static_cast<char*>(args.x.data)[-1] ^= 1;
            }),
    add_varying_sum("bad.varies"),
    add_max("bad.throws", [](const ReduceArgs&) { throw std::runtime_error("no table"); }),
};

inline const kernel::Kernel* kernel_named(const std::string& name) {
  return kernel::registry().find(name, kernel::Place::Host);
}

/// A directory that goes with the test.
class Directory {
 public:
  Directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "negzero-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A max over one row of these values.
inline operation::Case max_case(const std::vector<float>& values) {
  using number::FormatId;
  const auto columns = static_cast<std::int64_t>(values.size());
  operation::Case result;
  result.operation = operation::Reduce{operation::ReduceKind::Max, 1, columns, FormatId::F32, FormatId::F32};
  tensor::Tensor x(FormatId::F32, {1, columns});
  for (std::int64_t i = 0; i < columns; ++i) {
    x.set(i, number::from_double(x.format(), static_cast<double>(values[static_cast<std::size_t>(i)])));
  }
  result.tensors.emplace("x", std::move(x));
  operation::pack_missing_layouts(result);
  return result;
}

/// The same with rows, so that it is wide (see is_wide()).
inline operation::Case wide_case() {
  using number::FormatId;
  operation::Case result;
  result.operation = operation::Reduce{operation::ReduceKind::Max, 3, 8, FormatId::F32, FormatId::F32};
  result.tensors.emplace("x", tensor::Tensor(FormatId::F32, {3, 8}));
  operation::pack_missing_layouts(result);
  return result;
}

}  // namespace negzero::campaign_test
