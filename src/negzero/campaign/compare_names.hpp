// Kernels to compare, by the names that a person types: two of them, or a list of pairs.

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::campaign {

/// Two kernels.
struct KernelPair {
  const kernel::Kernel* first = nullptr;
  const kernel::Kernel* second = nullptr;
  std::size_t line = 0;  ///< of the list that names them, counted from 1; 0: no list does

  /// Where workers run: on a GPU as soon as one of the two kernels does.
  [[nodiscard]] kernel::Place place() const {
    using enum kernel::Place;
    return first->place == Device || second->place == Device ? Device : Host;
  }
};

/// A kernel that one side of a pattern names, and the name that the other side has no kernel of.
struct WithoutPartner {
  std::string kernel, partner;
  std::size_t line = 0;
};

/// What a list of pairs names.
struct PairList {
  std::string path;               ///< as the user named it
  std::vector<KernelPair> pairs;  ///< each once, in the order of the list; those of one line by their names
  std::vector<WithoutPartner> alone;
};

/// Where a kernel runs that is named with this word behind "@", or with no word. Errors: a word that is no executor, or
/// an executor that is not here.
using WhereOf = std::function<base::Result<kernel::Where>(const std::optional<std::string>& executor)>;

/// The kernel that "NAME" or "NAME@EXECUTOR" names. Errors: as of kernel_named() and `where_of`.
[[nodiscard]] base::Result<const kernel::Kernel*> kernel_to_compare(const std::string& text, const WhereOf& where_of);

/// Reads a list of pairs, a pair a line:
///
///     # Two functions that promise the same.
///     torch.amax.f32        torch.amax.max_values.f32
///     torch.mm.*            torch.bmm.of_one.*          # of each format: the same text for both stars
///     torch.mm.f32@cuda     torch.mm.cpu.f32@host
///
/// "-" is standard input. A "#" and what follows it are passed over. Usage errors name the file, the line, its text and
/// a cure: not two words, one star on one side alone, two on one side, a name that is not known, a pattern that makes
/// no pair. A list without a pair is an error of kind Undecided.
[[nodiscard]] base::Result<PairList> read_pairs(const std::string& path, const WhereOf& where_of);

/// "--list pairs.txt, line 3: ", the beginning of an error about a pair of a list.
[[nodiscard]] std::string place_in_list(const std::string& path, std::size_t line);

}  // namespace negzero::campaign
