// Inclusive sums of rows by a block that walks over the tiles of a row: carries that are lost, leak, or come too late.

#include <string>
#include <utility>

#include "scans.cuh"

namespace negzero::kernels {
namespace {

enum class Wrong : std::uint8_t {
  Nothing,
  LostInSecondRow,   ///< of a block's rows the first one alone has a carry
  LeaksBehindWhole,  ///< a row that ends with a whole tile leaves its carry to the next one
  CountedIn8Bits,    ///< the tiles of a row
};

constexpr int64_t kRowsOfABlock = 2;

/// A block has kRowsOfABlock rows, one after the other.
template <int kTile, Wrong kWrong>
__global__ void carrying_kernel(Rows rows) {
  NEGZERO_SHARED(float, partial, [kTile]);
  NEGZERO_SHARED(float, last, [1]);
  using Tiles = std::conditional_t<kWrong == Wrong::CountedIn8Bits, std::uint8_t, int64_t>;
  const auto tiles = static_cast<Tiles>(pieces(rows.columns, kTile));
  const int64_t first = blockIdx.x * kRowsOfABlock;
  float carry = 0.0f;
  for (int64_t row = first; row < first + kRowsOfABlock && row < rows.rows; ++row) {
    if (kWrong != Wrong::LeaksBehindWhole) carry = 0.0f;
    for (Tiles tile = 0; tile < tiles; ++tile) {
      const int64_t column = int64_t{tile} * kTile + threadIdx.x;
      const float sum = carry + scan_block<kTile>(partial, column < rows.columns ? rows.x.at(row, column) : 0.0f);
      if (column < rows.columns) rows.y.at(row, column) = sum;
      if (threadIdx.x == kTile - 1) last[0] = sum;
      __syncthreads();
      carry = last[0];
      if (kWrong == Wrong::LostInSecondRow && row != first) carry = 0.0f;
      if (kWrong == Wrong::LeaksBehindWhole && (int64_t{tile} + 1) * kTile > rows.columns) carry = 0.0f;
      __syncthreads();
    }
  }
}

template <int kTile, Wrong kWrong>
kernel::LaunchResult launch_carrying(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Rows rows = rows_of(args);
  if (is_empty(rows)) return kernel::LaunchResult::launched();
  launch(stream, carrying_kernel<kTile, kWrong>, static_cast<unsigned>(pieces(rows.rows, kRowsOfABlock)), kTile, 0,
         rows);
  return kernel::LaunchResult::launched();
}

/// A thread a row, of which it takes kMost elements at a time.
template <int kMost, bool kFault>
__global__ void running_kernel(Rows rows) {
  const int64_t row = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (row >= rows.rows) return;
  float sum = 0.0f;
  for (int64_t begin = 0; begin < rows.columns; begin += kMost) {
    const int64_t end = begin + kMost < rows.columns ? begin + kMost : rows.columns;
    // Rows behind the first warp start each part anew.
    if (kFault && row >= 32) sum = 0.0f;
    for (int64_t column = begin; column < end; ++column) rows.y.at(row, column) = sum += rows.x.at(row, column);
  }
}

template <int kMost, bool kFault>
kernel::LaunchResult launch_running(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Rows rows = rows_of(args);
  if (is_empty(rows)) return kernel::LaunchResult::launched();
  launch(stream, running_kernel<kMost, kFault>, static_cast<unsigned>(pieces(rows.rows, kThreads)), kThreads, 0, rows);
  return kernel::LaunchResult::launched();
}

template <int kTile, Wrong kWrong>
bool plant_carry(const std::string& name, const std::string& about, bool has_hint) {
  return plant_rows(name + "." + std::to_string(kTile), "scan.inclusive", about, scan_limits(has_hint ? kTile : 0),
                    launch_carrying<kTile, kWrong>, launch_carrying<kTile, Wrong::Nothing>);
}
template <int kTile>
bool plant_lost(bool has_hint) {
  return plant_carry<kTile, Wrong::LostInSecondRow>("carry_lost", "a block's second row has no carry", has_hint);
}
template <int kTile>
bool plant_leak(bool has_hint) {
  return plant_carry<kTile, Wrong::LeaksBehindWhole>("carry_leaks", "the carry of whole tiles goes to the next row",
                                                     has_hint);
}
template <int kMost>
bool plant_running() {
  return plant_rows("second_warp." + std::to_string(kMost), "scan.inclusive",
                    "rows behind the first warp begin each part anew", {}, launch_running<kMost, true>,
                    launch_running<kMost, false>);
}

const bool planted[] = {
    plant_lost<64>(false),
    plant_lost<128>(true),
    plant_lost<256>(false),
    plant_lost<512>(true),
    plant_leak<32>(false),
    plant_leak<64>(true),
    plant_leak<128>(false),
    plant_leak<256>(false),
    plant_leak<512>(true),
    plant_carry<32, Wrong::CountedIn8Bits>("scan_tiles_8_bits", "the tiles of a row are counted in 8 bits", false),
    plant_carry<128, Wrong::CountedIn8Bits>("scan_tiles_8_bits", "the tiles of a row are counted in 8 bits", true),
    plant_running<16>(),
    plant_running<64>(),
};

}  // namespace
}  // namespace negzero::kernels
