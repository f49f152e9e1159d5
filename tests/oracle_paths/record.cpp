// Records what the oracle says, so that a rebuilding of it can be shown to change nothing.
//
//   oracle_paths_record --write FILE [--triples N]    writes a line for each bucket: its name, hashes, counts
//   oracle_paths_record --check FILE [--triples N]    1 where a bucket differs, and which
//   oracle_paths_record --bucket N [--triples N]      every triple of one bucket, to compare with another build's
//
// A bucket is an operation with one value of one field of the contract. A triple is a case, a contract with that value
// and an observed word; what is hashed of it: the permitted set with its rule and flags, and the verdict with the
// screen and without it. A file has the hashes of the first 24 triples and of the first 1,000; --triples says which is
// compared.

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include <negzero/contract/contract.hpp>
#include <negzero/number/text.hpp>
#include <negzero/oracle/oracle.hpp>

#include "drawn.hpp"

namespace negzero::oracle_paths {
namespace {

constexpr std::size_t kFew = 24, kMany = 1000;

/// FNV-1a.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    value_ = (value_ ^ 0xff) * 0x100000001b3u;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

/// A set with all that it says, in words.
std::string text_of(const oracle::Permitted& set) {
  const number::Format& format = number::format(set.format);
  std::string text = fmt::format("{}:", format.name);
  for (const auto& [low, high] : set.only.empty() ? set.intervals() : std::vector<oracle::Interval>())
    text += fmt::format("[{},{}]", low, high);
  for (const std::uint64_t word : set.only) text += fmt::format(" {:x}", word);
  const auto say = [&](bool is_held, std::string_view name) { text += is_held ? name : ""; };
  say(set.contains(number::zero(format)), "+0");
  if (!format.is_integer()) {
    say(set.contains(number::zero(format, true)), "-0");
    say(set.contains(number::canonical_nan(format)), "n");
  }
  if (format.has_infinity) {
    say(set.contains(number::infinity(format)), "+i");
    say(set.contains(number::infinity(format, true)), "-i");
  }
  say(set.vacuous, " vacuous");
  return text + " " + std::string(set.rule.id()) + fmt::format(" {:x}", std::bit_cast<std::uint64_t>(set.exact));
}

/// What a judgement says of one word, but for its margin: the screen has margins of its own.
std::string verdict_of(const oracle::Oracle& oracle, std::span<const tensor::Tensor> observed, std::int64_t element) {
  const std::int64_t elements[] = {element};
  const oracle::Look look = oracle.look(observed, {.elements = elements});
  std::string text = fmt::format("{}{}", look.failed == 0 ? "pass" : "FAIL", look.decided ? "" : " vacuous");
  for (const oracle::Miss& miss : look.worst) {
    text += fmt::format(" {} {} {}", miss.rule.id(), static_cast<int>(miss.kind), static_cast<int>(miss.direction));
  }
  return text;
}

struct Bucket {
  std::size_t number = 0;
  std::string operation;
  Value value;

  [[nodiscard]] std::string name() const { return operation + " " + value.to_string(); }
};

const std::vector<Bucket>& buckets() {
  static const std::vector<Bucket> list = [] {
    std::vector<Bucket> all;
    for (const std::string& operation : operations()) {
      for (const Value& value : values()) all.push_back({all.size(), operation, value});
    }
    return all;
  }();
  return list;
}

struct Recorded {
  std::uint64_t few = 0, many = 0;
  std::size_t triples = 0, refused = 0;

  [[nodiscard]] std::string to_string() const {
    return fmt::format("{:016x} {:016x} {} {}", few, many, triples, refused);
  }
};

/// Asks for up to `most` triples of a bucket; `say` gets each in words, and its case.
template <class Say>
Recorded record(const Bucket& bucket, std::size_t most, const Say& say) {
  Hash names, hash;
  names.add(bucket.name());
  const base::Random stream(names.value());
  Recorded recorded;
  const auto triple = [&](const std::string& text, const operation::Case& value, bool is_refused) {
    say(text, value);
    hash.add(text);
    recorded.refused += is_refused;
    if (++recorded.triples == kFew) recorded.few = hash.value();
  };
  // Most values fit most cases; of those that hardly ever do, there are fewer triples.
  for (std::uint64_t i = 0; recorded.triples < most && i < 8 * kMany; ++i) {
    base::Random random = stream.split(i);
    const operation::Case value = drawn_case(bucket.operation, random);
    const auto contract = drawn_contract(value, bucket.value, random);
    if (!contract) continue;
    const auto screened = oracle::Oracle::make(value, *contract),
               plain = oracle::Oracle::make(value, *contract, {.screen = false});
    if (!screened.ok()) continue;
    std::vector<tensor::Tensor> observed;
    for (const operation::TensorSpec& spec : operation::output_specs(value.operation)) {
      observed.emplace_back(spec.format, spec.shape);
    }
    for (int asked = 0; asked < 4 && recorded.triples < most; ++asked) {
      const std::size_t output = random.below(observed.size());
      const std::int64_t count = observed[output].element_count();
      if (count == 0) break;
      const auto element = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(count)));
      const oracle::Permitted set = plain->permitted(element, output);
      const std::uint64_t word = drawn_word(set, random);
      observed[output].set(element, word);
      // Judged with the outputs before it, of which the element of the same number counts.
      const std::string without = verdict_of(*plain, observed, element),
                        with = verdict_of(*screened, observed, element);
      triple(fmt::format("{} {}[{}] {:x} of {}: {} | {} | {}", bucket.operation, output, element, word,
                         contract::to_json(*contract), text_of(set), without, with),
             value, without.starts_with("FAIL"));
    }
  }
  recorded.many = hash.value();
  if (recorded.triples < kFew) recorded.few = hash.value();
  return recorded;
}

std::vector<Recorded> record_all(std::size_t most) {
  std::vector<Recorded> all(buckets().size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t) {
    threads.emplace_back([&] {
      for (std::size_t i; (i = next++) < all.size();)
        all[i] = record(buckets()[i], most, [](const std::string&, const operation::Case&) {});
    });
  }
  threads.clear();
  return all;
}

int write(const std::string& path, std::size_t most) {
  const std::vector<Recorded> all = record_all(most);
  std::ofstream file(path);
  file << "# number, operation, field, value, hash of 24 triples and of all, triples, refused\n";
  std::size_t triples = 0, refused = 0;
  for (const Bucket& bucket : buckets()) {
    const Recorded& recorded = all[bucket.number];
    file << bucket.number << '\t' << bucket.name() << '\t' << recorded.to_string() << '\n';
    triples += recorded.triples;
    refused += recorded.refused;
  }
  fmt::print("{} buckets, {} triples, {} of them refused\n", all.size(), triples, refused);
  return file.flush() ? 0 : 2;
}

int check(const std::string& path, std::size_t most) {
  std::ifstream file(path);
  std::string line;
  std::vector<std::pair<std::string, std::string>> stored;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    const std::size_t name = line.find('\t'), hashes = line.rfind('\t');
    stored.emplace_back(line.substr(name + 1, hashes - name - 1), line.substr(hashes + 1));
  }
  if (stored.size() != buckets().size()) {
    fmt::print("{} has {} buckets, and there are {}: write it again\n", path, stored.size(), buckets().size());
    return 2;
  }
  const std::vector<Recorded> all = record_all(most);
  std::size_t differing = 0;
  for (const Bucket& bucket : buckets()) {
    const auto& [name, hashes] = stored[bucket.number];
    const Recorded& now = all[bucket.number];
    const std::string expected = most <= kFew ? hashes.substr(0, 16) : hashes.substr(17, 16);
    const std::string found = fmt::format("{:016x}", most <= kFew ? now.few : now.many);
    if (name == bucket.name() && expected == found) continue;
    fmt::print("bucket {} differs: {} ({} triples)\n", bucket.number, bucket.name(), now.triples);
    ++differing;
  }
  fmt::print("{} of {} buckets differ\n", differing, all.size());
  return differing == 0 ? 0 : 1;
}

int run(std::span<char*> arguments) {
  std::string path, how;
  std::size_t most = kMany, number = 0;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string option = arguments[i], value = i + 1 < arguments.size() ? arguments[i + 1] : "";
    const auto parsed = [&](std::size_t& into) {
      return std::from_chars(value.data(), value.data() + value.size(), into).ec == std::errc();
    };
    const bool is_file = option == "--write" || option == "--check";
    if (!is_file && !((option == "--triples" && parsed(most)) || (option == "--bucket" && parsed(number)))) {
      std::cerr << option << " " << value << ": --write FILE, --check FILE, --bucket N, --triples N\n";
      return 2;
    }
    if (is_file) path = value;
    if (option != "--triples") how = option;
    ++i;
  }
  if (how == "--write") return write(path, most);
  if (how == "--check") return check(path, most);
  if (how == "--bucket" && number < buckets().size()) {
    record(buckets()[number], most, [](const std::string& text, const operation::Case& value) {
      std::cout << text << "\n    " << words_of(value) << '\n';
    });
    return 0;
  }
  for (const Bucket& bucket : buckets()) std::cout << bucket.number << '\t' << bucket.name() << '\n';
  return 0;
}

}  // namespace
}  // namespace negzero::oracle_paths

int main(int count, char** arguments) {
  return negzero::oracle_paths::run({arguments, static_cast<std::size_t>(count)});
}
