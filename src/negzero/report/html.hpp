// A document as one page that can be opened from an e-mail.

#pragma once

#include <string>

#include <negzero/report/document.hpp>

namespace negzero::report {

/// A page of HTML that is whole in itself: no scripts, no fonts, no pictures, no request to any place, which its
/// content security policy forbids besides. Readable without its style sheet too, because cells hold values as text.
/// Pure ASCII, well-formed as XML apart from its first line, whatever the document holds. Sections without content are
/// left out.
[[nodiscard]] std::string html(const Document& document);

}  // namespace negzero::report
