// Shapes at which kernels go wrong that are right at all others: what 1,000 cases must reach, whatever their seed.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <negzero/operation/limits.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::coincidences {

/// A case without its values: what a generator draws, and what a launch wrapper can see of it.
struct Shape {
  std::map<std::string, std::int64_t, std::less<>> extents{};
  std::map<std::string, tensor::Layout, std::less<>> layouts{};

  [[nodiscard]] std::int64_t operator[](const char* extent) const { return extents.find(extent)->second; }
  [[nodiscard]] const tensor::Layout& layout(const std::string& tensor) const { return layouts.find(tensor)->second; }
};

struct Coincidence {
  std::string name;  ///< "gemm.whole_64x64x32"
  std::string operation;
  operation::Limits limits{};  ///< of the kernel that goes wrong there
  std::function<bool(const Shape&)> holds{};
  friend void PrintTo(const Coincidence& row, std::ostream* os) { *os << row.name; }
};

/// Elements of F32 that one wide load takes.
inline constexpr std::int64_t kWide = 4;

/// Whether wide loads may start at the first element.
inline bool begins_aligned(const Shape& shape, const std::string& tensor) {
  return shape.layout(tensor).offset % kWide == 0;
}

/// Whether rows follow each other without a gap, and wide loads may take them.
inline bool is_packed_and_aligned(const Shape& shape, const std::string& tensor) {
  const tensor::Layout& layout = shape.layout(tensor);
  return begins_aligned(shape, tensor) && layout.strides == tensor::Layout::packed(layout.shape).strides &&
         layout.shape.back() % kWide == 0;
}

/// Whether a wide load is right in the first row and wrong in the second: whole vectors, a stride between rows that is
/// none.
inline bool has_misaligned_rows(const Shape& shape, const std::string& tensor) {
  const tensor::Layout& layout = shape.layout(tensor);
  const std::size_t row = layout.shape.size() - 2;
  return begins_aligned(shape, tensor) && layout.shape[row] > 1 && layout.shape[row + 1] > 0 &&
         layout.shape[row + 1] % kWide == 0 && layout.strides[row + 1] == 1 && layout.strides[row] % kWide != 0;
}

inline bool repeats_its_batch(const Shape& shape, const std::string& tensor) {
  return shape["batch"] > 1 && shape["m"] * shape["n"] * shape["k"] > 0 && shape.layout(tensor).strides[0] == 0;
}

/// Whether an extent is so many whole tiles, at least one.
inline bool is_whole(std::int64_t extent, std::int64_t tile) { return extent > 0 && extent % tile == 0; }

/// Whether a gemm has a product.
inline bool has_elements(const Shape& shape) {
  return shape["batch"] > 0 && shape["m"] > 0 && shape["n"] > 0 && shape["k"] > 0;
}

inline std::vector<Coincidence> coincidences() {
  using operation::Limits;
  std::vector<Coincidence> all;
  const std::vector<std::vector<number::FormatId>> formats{
      {number::FormatId::F32, number::FormatId::F32, number::FormatId::F32}};
  const auto gemm = [&](std::string name, std::function<bool(const Shape&)> holds,
                        operation::ExtentLimits extents = {}) {
    all.push_back(
        {"gemm." + std::move(name), "gemm", {.formats = formats, .extents = std::move(extents)}, std::move(holds)});
  };
  const auto tiled = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return operation::ExtentLimits{{"m", {.tiles = {m}}}, {"n", {.tiles = {n}}}, {"k", {.tiles = {k}}}};
  };

  // Whole tiles in all extents at once: the fast path, which no tail guards.
  for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{16, 16, 16},
                                {32, 32, 32},
                                {64, 64, 8},
                                {64, 64, 32},
                                {64, 64, 64},
                                {128, 64, 32},
                                {64, 128, 32},
                                {128, 128, 8},
                                {128, 128, 32}}) {
    const std::string tile = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
    const auto whole = [=](const Shape& shape) {
      return is_whole(shape["m"], m) && is_whole(shape["n"], n) && is_whole(shape["k"], k);
    };
    gemm("whole_" + tile, whole);
    gemm("packed_whole_" + tile, [=](const Shape& shape) {
      return whole(shape) && is_packed_and_aligned(shape, "a") && is_packed_and_aligned(shape, "b") &&
             is_packed_and_aligned(shape, "d");
    });
    gemm("hinted_whole_" + tile, whole, tiled(m, n, k));
  }
  gemm("misaligned_whole_64x64x32", [](const Shape& shape) {
    return is_whole(shape["m"], 64) && is_whole(shape["n"], 64) && is_whole(shape["k"], 32) &&
           (has_misaligned_rows(shape, "a") || has_misaligned_rows(shape, "b"));
  });

  // Equal extents: an axis swap shows, or hides, only there.
  gemm("m_is_n", [](const Shape& shape) {
    return shape["m"] == shape["n"] && shape["m"] > 8 && shape["k"] != shape["m"] && shape["k"] > 0;
  });
  gemm("m_is_k", [](const Shape& shape) {
    return shape["m"] == shape["k"] && shape["m"] > 8 && shape["n"] != shape["m"] && shape["n"] > 0;
  });
  gemm("n_is_k", [](const Shape& shape) {
    return shape["n"] == shape["k"] && shape["n"] > 8 && shape["m"] != shape["n"] && shape["m"] > 0;
  });
  gemm("square",
       [](const Shape& shape) { return shape["m"] == shape["n"] && shape["m"] == shape["k"] && shape["m"] > 8; });
  gemm("square_with_a_tail", [](const Shape& shape) {
    return shape["m"] == shape["n"] && shape["m"] == shape["k"] && shape["m"] > 32 && shape["m"] % 16 != 0;
  });
  gemm("batch_is_m",
       [](const Shape& shape) { return shape["batch"] == shape["m"] && shape["m"] > 1 && shape["n"] > 0; });
  gemm("batch_is_k", [](const Shape& shape) {
    return shape["batch"] == shape["k"] && shape["k"] > 1 && shape["m"] > 0 && shape["n"] > 0;
  });

  // Extents that 16 bits do not count, and tiles of them.
  for (const char* const extent : {"batch", "m", "n", "k"}) {
    gemm(std::string("far_") + extent,
         [=](const Shape& shape) { return shape[extent] > 65535 && has_elements(shape); });
    gemm(std::string("farther_") + extent,
         [=](const Shape& shape) { return shape[extent] > 65536 && has_elements(shape); });
  }
  // Each side in turn: by 2,000 cases both.
  gemm(
      "far_tiles",
      [=](const Shape& shape) { return std::max(shape["m"], shape["n"]) > 65535 * 16 && has_elements(shape); },
      tiled(16, 16, 16));

  // Layouts at which a kernel that loads wide must not.
  for (const char* const tensor : {"a", "b", "c", "d"}) {
    gemm(std::string("misaligned_rows_of_") + tensor,
         [=](const Shape& shape) { return has_misaligned_rows(shape, tensor) && shape["k"] > 0; });
    gemm(std::string("misaligned_start_of_") + tensor, [=](const Shape& shape) {
      const tensor::Layout& layout = shape.layout(tensor);
      return shape["k"] > 0 && layout.element_count() > 0 && layout.shape[2] % kWide == 0 && layout.strides[2] == 1 &&
             layout.strides[1] % kWide == 0 && !begins_aligned(shape, tensor);
    });
  }
  for (const char* const tensor : {"a", "b", "c"}) {
    gemm(std::string("batch_stride_0_of_") + tensor,
         [=](const Shape& shape) { return repeats_its_batch(shape, tensor); });
  }

  // One to three tiles in every direction, as hinted and as demanded.
  const operation::ExtentLimits hinted = tiled(128, 128, 32);
  operation::ExtentLimits demanded;
  for (const char* const extent : {"m", "n", "k"}) demanded[extent] = {.min = 128, .multiple = 128};
  gemm(
      "hinted_beyond_one_tile_in_all",
      [](const Shape& shape) { return shape["m"] > 128 && shape["n"] > 128 && shape["k"] > 32; }, hinted);
  gemm(
      "hinted_two_whole_tiles_in_all",
      [](const Shape& shape) {
        return is_whole(shape["m"], 128) && is_whole(shape["n"], 128) && is_whole(shape["k"], 32) && shape["m"] > 128 &&
               shape["n"] > 128 && shape["k"] > 32;
      },
      hinted);
  gemm(
      "demanded_two_tiles_of_all",
      [](const Shape& shape) { return shape["m"] > 128 && shape["n"] > 128 && shape["k"] > 128; }, demanded);
  for (const auto& [extent, tile] : {std::pair<const char*, std::int64_t>{"m", 128}, {"n", 128}, {"k", 32}}) {
    for (const std::int64_t tiles : {2, 3}) {
      // So many, the last of them begun at least.
      const auto has = [=](std::int64_t size) {
        return [=](const Shape& shape) { return (shape[extent] + size - 1) / size == tiles && has_elements(shape); };
      };
      gemm("hinted_" + std::to_string(tiles) + "_tiles_of_" + extent, has(tile), hinted);
      gemm("demanded_" + std::to_string(tiles) + "_tiles_of_" + extent, has(128), demanded);
    }
  }

  const auto other = [&](std::string name, std::string operation, std::function<bool(const Shape&)> holds,
                         operation::ExtentLimits extents = {}) {
    Limits limits{.extents = std::move(extents)};
    limits.formats = {std::vector<number::FormatId>(operation.starts_with("reduce") ? 2 : 1, number::FormatId::F32)};
    all.push_back({operation + "." + std::move(name), operation, std::move(limits), std::move(holds)});
  };
  for (const char* const operation : {"reduce.sum", "reduce.max"}) {
    other("whole_32x256", operation,
          [](const Shape& shape) { return is_whole(shape["rows"], 32) && is_whole(shape["columns"], 256); });
    other("hinted_whole_8x1024", operation,
          [](const Shape& shape) { return is_whole(shape["rows"], 8) && is_whole(shape["columns"], 1024); },
          {{"rows", {.tiles = {8}}}, {"columns", {.tiles = {1024}}}});
    other("square", operation,
          [](const Shape& shape) { return shape["rows"] == shape["columns"] && shape["rows"] > 8; });
    other("far_rows", operation, [](const Shape& shape) { return shape["rows"] > 65536 && shape["columns"] > 0; });
    other("far_columns", operation, [](const Shape& shape) { return shape["columns"] > 65536 && shape["rows"] > 0; });
    other("misaligned_rows", operation, [](const Shape& shape) { return has_misaligned_rows(shape, "x"); });
  }
  for (const char* const operation : {"scatter.add", "scatter.max"}) {
    other("whole_256x64", operation,
          [](const Shape& shape) { return is_whole(shape["updates"], 256) && is_whole(shape["destinations"], 64); });
    other("square", operation,
          [](const Shape& shape) { return shape["updates"] == shape["destinations"] && shape["updates"] > 8; });
    other("far_updates", operation, [](const Shape& shape) { return shape["updates"] > 65536; });
    other("far_destinations", operation,
          [](const Shape& shape) { return shape["destinations"] > 65536 && shape["updates"] > 0; });
  }
  return all;
}

}  // namespace negzero::coincidences
