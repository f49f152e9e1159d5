// What is known of two paths before an element is.

#include <algorithm>

#include <negzero/oracle/covers.hpp>
#include <negzero/oracle/epilogue.hpp>

namespace negzero::oracle {

namespace {

bool is_plain(const TermsOf& terms) { return std::holds_alternative<std::monostate>(terms.scaled); }
bool is_turned(const TermsOf& terms) { return std::holds_alternative<Turned>(terms.scaled); }
bool have_same_factors(const TermsOf& x, const TermsOf& y) {
  return x.converted == y.converted && x.a == y.a && x.b == y.b;
}

/// Whether a number that rounds nowhere passes as it is: conversions do not change one that the declared accumulator
/// holds in what `a` and `b` differ, and a sign is turned exactly.
bool keeps(const Step& step, const Sum& sum) {
  if (const auto* const scale = std::get_if<Scale>(&step)) {
    return scale->alpha.is_finite() && scale->alpha.value.abs() == exact::Dyadic(1) && scale->arithmetic == sum.held();
  }
  return std::holds_alternative<Round>(step) || std::holds_alternative<Hold>(step);
}
bool keep(const Path& path) {
  return std::ranges::all_of(path.endings, [&](const Ending& ending) {
    return std::ranges::all_of(ending, [&](const Step& step) { return keeps(step, *path.sum); });
  });
}
/// The same where C of a sum with C is added behind it.
bool keep_but_for_c(const Path& path) {
  return std::ranges::all_of(path.endings, [&](const Ending& ending) {
    return std::ranges::all_of(ending, [&](const Step& step) {
      const auto* const add = std::get_if<AddC>(&step);
      return add != nullptr ? !add->alpha || add->alpha->is_one() : keeps(step, *path.sum);
    });
  });
}

/// Whether every ending of `b` is one of `a`, once `change` was made to it. (It returns false where it cannot be.)
template <class Change>
bool has_all(const Path& a, const Path& b, const Change& change) {
  return std::ranges::all_of(b.endings, [&](Ending ending) {
    return !ending.empty() && change(ending) && std::ranges::find(a.endings, ending) != a.endings.end();
  });
}

bool may_be_exact(const Path& a, const Path& b) {
  if (!keep(a) || !have_same_factors(a.terms, b.terms)) return false;
  if (!a.terms.c) {
    const bool have_one_sign = is_plain(a.terms) == is_plain(b.terms) && is_turned(a.terms) == is_turned(b.terms);
    return !b.terms.c && have_one_sign && (is_plain(a.terms) || is_turned(a.terms)) && keep(b);
  }
  return is_plain(a.terms) && !a.terms.c->is_loaded && is_plain(b.terms) && keep_but_for_c(b);
}

/// Whether `a` has C as a leaf of its trees, and `b` adds it behind the same ones.
bool is_leaf_of(const Path& a, const Path& b) {
  if (!a.terms.c || a.terms.c->is_loaded || b.terms.c || !std::holds_alternative<AnyOrder>(a.sum->order)) return false;
  TermsOf terms = a.terms;
  terms.c.reset();
  Sum sum = *a.sum;
  sum.c = CAt::None;
  return terms == b.terms && sum == *b.sum && has_all(a, b, [&](Ending& ending) {
           const auto* const add = std::get_if<AddC>(&ending.front());
           const bool is_behind = add != nullptr && add->arithmetic == a.sum->arithmetic && !add->ends_chain &&
                                  (!add->alpha || add->alpha->is_one());
           ending.erase(ending.begin());
           return is_behind;
         });
}

}  // namespace

Cover may_cover(const Path& a, const Path& b, bool leads) {
  if (a.member != b.member || !a.sum || !b.sum) return Cover::No;
  if (leads && may_be_exact(a, b)) return Cover::Exact;
  return is_leaf_of(a, b) ? Cover::Leaf : Cover::No;
}

bool covers(Cover cover, const Path& a, const SumResult* of_a, std::size_t terms, const Addend& c) {
  // A leaf alone is -0 where a sum of nothing, +0, takes it to +0.
  const auto is_as_it_is = [&] { return terms > 0 && loads_exactly(a.sum->held(), c.read); };
  switch (cover) {
    case Cover::No:
      break;
    case Cover::Exact:
      return of_a != nullptr && of_a->exact && (!a.terms.c || is_as_it_is());
    case Cover::Leaf:
      return is_as_it_is();
  }
  return false;
}

}  // namespace negzero::oracle
