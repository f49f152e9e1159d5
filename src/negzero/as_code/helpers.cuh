namespace exported {

// From low to high in the order of values, in which -0 lies just below +0. No ranges: anything.
template <class Word>
struct Permitted {
  std::size_t at;
  std::vector<std::pair<Word, Word>> ranges;
  const char* words;
};

// A tensor in device memory of its own. Poison lies around it, which no launch may change.
template <class Word, bool kIsFloat, bool kIsSigned = true>
struct Tensor {
  static constexpr std::size_t kGuard = GUARD / sizeof(Word);
  std::vector<Word> words;
  Word* device = nullptr;
  Tensor(const std::vector<Word>& inside, Word poison) : words(inside.size() + 2 * kGuard, poison) {
    std::copy(inside.begin(), inside.end(), words.begin() + kGuard);
    cudaMalloc(&device, words.size() * sizeof(Word));
    cudaMemcpy(device, words.data(), words.size() * sizeof(Word), cudaMemcpyHostToDevice);
  }
  Word* memory() const { return device + kGuard; }
  static Word order(Word word) {
    constexpr Word kSign = Word(kIsSigned) << (8 * sizeof(Word) - 1);
    return kIsFloat && (word & kSign) != 0 ? Word(~word) : Word(word ^ kSign);
  }
  // Prints what is wrong, and returns how much that is.
  int wrong(const char* name, const std::vector<Permitted<Word>>& elements) const {
    std::vector<Word> now(words.size());
    cudaMemcpy(now.data(), device, now.size() * sizeof(Word), cudaMemcpyDeviceToHost);
    int count = 0;
    for (const Permitted<Word>& element : elements) {
      const Word word = std::exchange(now[kGuard + element.at], words[kGuard + element.at]);
      bool fits = element.ranges.empty();
      for (const auto& [low, high] : element.ranges) {
        fits = fits || (order(low) <= order(word) && order(word) <= order(high));
      }
      count += fits ? 0 : 1;
      if (!fits) std::printf("%s: got 0x%llx\n", element.words, static_cast<unsigned long long>(word));
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (now[i] == words[i]) continue;
      std::printf("%s: a write outside its elements, %+lld words from its first\n", name,
                  static_cast<long long>(i) - static_cast<long long>(kGuard));
      return count + 1;
    }
    return count;
  }
};

}  // namespace exported
