// Paths in words.

#include <fmt/format.h>

#include <negzero/contract/words.hpp>
#include <negzero/oracle/paths.hpp>

namespace negzero::oracle {

namespace {

struct Scaled {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const Turned&) const { return ", turned around"; }
  std::string operator()(const FoldedInto& fold) const {
    return fmt::format(", alpha {} folded into {} in {}", fold.alpha.to_string(), fold.b ? "b" : "a",
                       fold.arithmetic.format().name);
  }
  std::string operator()(const Anywhere& anywhere) const {
    return fmt::format(", alpha {} on partial sums", anywhere.alpha.to_string());
  }
  std::string operator()(const Averaged& averaged) const {
    const std::string_view each = averaged.loads ? "each loaded" : "each";
    return averaged.divides ? fmt::format(", {} / {}", each, averaged.count)
                            : fmt::format(", {} * (1 / {})", each, averaged.count);
  }
};

}  // namespace

std::string to_string(const TermsOf& terms) {
  const auto [of_a, of_b] = terms.converted;
  std::string text = fmt::format("factors {}", contract::word(of_a));
  if (of_b != of_a) text += fmt::format(", of b {}", contract::word(of_b));
  const auto flushed = [&](std::string_view name, const FactorFlushing& flushing) {
    using contract::Subnormals;
    if (flushing.before != Subnormals::Keep)
      text += fmt::format(", {} {} before", name, contract::word(flushing.before));
    if (flushing.taken != Subnormals::Keep) text += fmt::format(", {} {}", name, contract::word(flushing.taken));
  };
  flushed("a", terms.a);
  flushed("b", terms.b);
  text += std::visit(Scaled{}, terms.scaled);
  if (terms.c)
    text += fmt::format(", and {} c{}", terms.c->beta.to_string(), terms.c->is_loaded ? " as it is loaded" : "");
  return text;
}

std::string to_string(const Path& path) {
  std::string text = path.sum ? fmt::format("{}\n  {}", to_string(path.terms), to_string(*path.sum)) : "no sum";
  for (const Ending& ending : path.endings) text += "\n  -> " + to_string(ending);
  return text;
}

}  // namespace negzero::oracle
