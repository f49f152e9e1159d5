// Finds a path that the host's arithmetic can follow.

#include <algorithm>

#include <negzero/oracle/screened_path.hpp>

namespace negzero::oracle {

namespace {

bool is_followed(const Sum& sum) {
  return sum.arithmetic.rounding() == contract::AccumulateRounding::Nearest && sum.ends == Ends::Grid &&
         sum.blocks() == nullptr && !sum.is_compensated() && (sum.lift == Lift::None || sum.stores() == nullptr);
}

/// What an ending does before the last rounding, where that is nothing, or one step in `format`.
bool take(const Ending& ending, number::FormatId format, ScreenedPath& path) {
  const auto* const last = std::get_if<Round>(&ending.back());
  if (last == nullptr || ending.size() > 2) return false;
  path.rounding = last->rounding;
  path.overflow = last->overflow;
  path.finishes = true;
  if (ending.size() == 1) return true;
  const Step& step = ending.front();
  const auto in = [&](const Arithmetic& arithmetic) {
    path.flushes |= arithmetic.may_flush();
    return arithmetic.format().id == format && arithmetic.rounding() == contract::AccumulateRounding::Nearest;
  };
  if (const auto* const scale = std::get_if<Scale>(&step)) return in(scale->arithmetic);
  if (const auto* const alone = std::get_if<TakeC>(&step)) return in(alone->arithmetic);
  if (const auto* const mean = std::get_if<Divide>(&step)) {
    path.count = mean->count;
    return in(mean->arithmetic);
  }
  if (const auto* const mean = std::get_if<TimesReciprocal>(&step)) {
    path.count = mean->count;
    path.by_reciprocal = true;
    return in(mean->arithmetic);
  }
  const auto* const add = std::get_if<AddC>(&step);
  if (add == nullptr) return false;
  path.contraction = add->contraction;
  path.fuses_alpha = add->alpha.has_value();
  return in(add->arithmetic) && !add->ends_chain;
}

/// The format that beta * C alone is computed in first; F32 where there is no C.
number::FormatId format_alone(const std::vector<const Path*>& paths) {
  for (const Path* const path : paths) {
    const auto* const alone = std::get_if<TakeC>(&path->endings.front().front());
    if (alone != nullptr) return alone->arithmetic.format().id;
  }
  return number::FormatId::F32;
}

/// What each term is divided by, where that is done in the accumulator and rounds once; 1 where terms are as they are.
std::optional<std::int64_t> terms_count(const Path& path) {
  if (std::holds_alternative<std::monostate>(path.terms.scaled)) return 1;
  const auto* const averaged = std::get_if<Averaged>(&path.terms.scaled);
  const bool is_followed = averaged != nullptr && averaged->divides && !averaged->loads &&
                           !averaged->arithmetic.may_flush() && averaged->arithmetic == path.sum->arithmetic;
  return is_followed ? std::optional(averaged->count) : std::nullopt;
}

std::vector<const Path*> paths_of_member(const Paths& paths, int member) {
  std::vector<const Path*> own;
  for (const Path& path : paths.list) {
    if (path.member == member) own.push_back(&path);
  }
  return own;
}

/// The path among `own`, those of one member, that has the sum of `first`.
std::optional<ScreenedPath> with_sum_of(const Path& first, const std::vector<const Path*>& own) {
  if (first.sum && !is_followed(*first.sum)) return std::nullopt;
  const number::FormatId format = first.sum ? first.sum->arithmetic.format().id : format_alone(own);
  const auto* const last = std::get_if<Round>(&first.endings.front().back());
  ScreenedPath found{first.terms, first.sum, format, last->rounding, last->overflow};
  found.terms.c.reset();
  if (found.sum) found.sum->c = CAt::None;
  found.flushes = found.sum && found.sum->arithmetic.may_flush();
  for (const Path* const path : own) {
    if (path->sum) found.is_alone &= path->sum->ends == Ends::Grid;
    const std::optional<std::int64_t> divided = terms_count(*path);
    const bool is_of_first = !path->sum || (path->sum->arithmetic == first.sum->arithmetic &&
                                            path->sum->ends == Ends::Grid && path->sum->order == first.sum->order);
    if (!divided || !is_of_first) continue;
    if (path->terms.c) {
      const bool is_free = std::holds_alternative<AnyOrder>(path->sum->order) && !path->terms.c->is_loaded;
      found.has_leaf |=
          is_free && std::ranges::any_of(path->endings, [](const Ending& each) { return each.size() == 1; });
      continue;
    }
    for (const Ending& ending : path->endings) {
      ScreenedPath candidate = found;
      if (found.finishes || !take(ending, format, candidate)) continue;
      candidate.terms = path->terms;
      candidate.terms_count = *divided;
      found = candidate;
    }
  }
  return found.finishes || found.has_leaf ? std::optional(found) : std::nullopt;
}

}  // namespace

std::optional<ScreenedPath> screened_path(const Paths& paths, int member) {
  const std::vector<const Path*> own = paths_of_member(paths, member);
  return with_sum_of(*own.front(), own);
}

std::optional<ScreenedPath> screened_path_beside_units(const Paths& paths, int member) {
  const std::vector<const Path*> own = paths_of_member(paths, member);
  const auto is_on_units = [](const Path* path) { return path->sum && path->sum->unit_steps() != nullptr; };
  if (!is_on_units(own.front())) return std::nullopt;
  const auto ordinary = std::ranges::find_if_not(own, is_on_units);
  return ordinary == own.end() || !(*ordinary)->sum ? std::nullopt : with_sum_of(**ordinary, own);
}

}  // namespace negzero::oracle
