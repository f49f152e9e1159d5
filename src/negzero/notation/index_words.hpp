// The words behind the bound of indices and counts in a declared line.

#pragma once

#include <string>
#include <vector>

#include <negzero/notation/line_reader.hpp>
#include <negzero/notation/signature.hpp>

namespace negzero::notation {

/// Goes past the words behind the bound of `tensor`, in any order, and sets what they say. Throws a Mistake where a
/// word is there twice, contradicts another one or the bound, or is the name of none.
void read_index_words(LineReader& line, const Signature& signature, TensorSignature& tensor);

/// The words as a line has them, each behind a space: " ascending from 0", " all distinct none=-1".
[[nodiscard]] std::string words_text(const Signature& signature, const TensorSignature& tensor);

/// What the words want of extents: no more distinct indices in a row than there are below the bound, and no element to
/// count where offsets have no group.
[[nodiscard]] std::vector<Relation> relations_of_words(const Signature& signature, const TensorSignature& tensor);

}  // namespace negzero::notation
