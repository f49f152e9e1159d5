// What some of every thousand cases are to be: shapes at which kernels go wrong, and which chance seldom meets.
//
// Each stream of cases has wishes at places that depend on the seed, spread evenly, the same number in every thousand:
//
//   whole tiles     of usual sizes and of the hinted ones, packed and aligned
//   tiles           one to three of usual, hinted or demanded sizes in every direction and in all, whole and ragged;
//                   nine to twelve in one direction and two in another; every third with a batch
//   vectors         one row or one column in each of several matrices
//   long rows       several of 257 to 1,100 columns, of 8 to 32 tiles, of 4,096 and more, up to 131,072
//   equal extents   every pair, and all
//   far extents     each past 16 bits, and in turn each with more than 65,535 hinted tiles
//   single elements one dimension of a tensor, with a stride that means nothing
//   layouts         rows and starts that wide loads may not take, a batch stride of 0, an addend that repeats along one
//                   side of a square
//   distant         rows, batches or planes of one tensor so far apart that offsets in 32 bits wrap
//
// All of it is made of the operation's signature and the kernel's limits.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <negzero/base/random.hpp>
#include <negzero/notation/signature.hpp>
#include <negzero/operation/limits.hpp>

namespace negzero::generate {

/// How the tensors of a case are to lie.
struct LayoutWish {
  enum class Kind : std::uint8_t {
    Any,
    Plain,            ///< packed, or as nearly as limits have it, from offset 0
    MisalignedRows,   ///< one element more from row to row than whole vectors; the others plain
    MisalignedStart,  ///< an offset of one to three elements; the others plain
    Repeated,         ///< stride 0 in one dimension; the others plain
    Single,           ///< one dimension has one element and a stride of its own; the others plain
    Distant,          ///< one dimension's elements 2^29 to 2^33 apart, past 2^31 in all; the others plain
  } kind = Kind::Any;
  std::size_t tensor = 0;     ///< its place in the signature
  std::size_t dimension = 0;  ///< of Repeated, Single and Distant
  bool transposed = false;    ///< of Single, where limits permit it
};

/// What a case is to be. It lies inside the limits that it was made for, but for alignments that layouts bring in.
struct Wish {
  static constexpr std::int64_t kFree = -1;
  /// In the signature's order; kFree: drawn as usual.
  std::array<std::int64_t, notation::kMostExtents> extents = [] {
    std::array<std::int64_t, notation::kMostExtents> all{};
    all.fill(kFree);
    return all;
  }();
  LayoutWish layouts{};
  /// Too expensive to come often: its strategy is to be `exact`, which has no term that does not count.
  bool is_rare = false;
  bool is_watched = false;  ///< what looks closer at a few cases looks at this one
  /// What it is for, from 0: cases of one kind in a thousand of a stream wish for the same.
  std::size_t kind = 0;
};

/// Cases in which every wish comes true once.
inline constexpr std::uint64_t kRound = 1000;

/// A place in the list of wishes.
struct WishPlace {
  std::uint64_t place = 0;
  std::uint64_t round = 0;  ///< which thousand, from a number on that the seed decides: what takes turns goes by it
  bool is_early = true;     ///< in the first thousand of the stream
};
/// That of case `index` of the stream `seed`; nothing for most.
[[nodiscard]] std::optional<WishPlace> place_of_wish(std::uint64_t seed, std::uint64_t index);
/// The wish at that place; nothing behind the end of the list, and where the limits exclude it. `random` decides what a
/// wish leaves open.
[[nodiscard]] std::optional<Wish> make_wish(const notation::Signature& signature, const operation::Limits& limits,
                                            const WishPlace& place, base::Random random);

}  // namespace negzero::generate
