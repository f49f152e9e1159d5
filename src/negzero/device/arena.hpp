// Memory of a GPU, or pinned memory, that is taken piece by piece and given back all at once.

#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>

#include <negzero/device/stream.hpp>

namespace negzero::device {

/// Its blocks stay allocated, and none moves or grows: what is enqueued has their addresses.
template <bool kOnDevice>
class Arena {
 public:
  explicit Arena(std::size_t block_bytes) : block_bytes_(block_bytes) {}

  /// Points `piece` at so many bytes. Equal requests after rewind() get equal addresses.
  [[nodiscard]] Answer take(std::size_t size_bytes, std::byte*& piece) {
    while (block_ < blocks_.size() && blocks_[block_].size_bytes() - used_ < size_bytes) {
      ++block_;
      used_ = 0;
    }
    if (block_ == blocks_.size()) {
      Buffer<kOnDevice> block;
      if (const Answer made = block.reserve(std::max(size_bytes, block_bytes_)); !made.ok()) return made;
      blocks_.push_back(std::move(block));
    }
    piece = blocks_[block_].data() + used_;
    used_ += size_bytes;
    return {};
  }
  /// The block that the last piece is of: no copy spans two.
  [[nodiscard]] std::size_t block() const { return block_; }
  /// Gives back all that was taken.
  void rewind() { block_ = used_ = 0; }

 private:
  std::size_t block_bytes_;
  std::deque<Buffer<kOnDevice>> blocks_;
  std::size_t block_ = 0, used_ = 0;  ///< the block in use, and how much of it is
};

}  // namespace negzero::device
