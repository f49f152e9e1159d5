// Goes back from __shared__ over specifiers to where the declaration begins, and forward from there.

#include <algorithm>

#include <negzero/source/shared_declaration.hpp>

namespace negzero::source {
namespace {

class SharedReader {
 public:
  SharedReader(const Code& code, const SharedWords& words, bool is_macro)
      : code_(code), words_(words), is_macro_(is_macro) {}

  SharedDeclaration read(std::size_t shared) {
    shared_ = shared;
    result_.begin = begin_before(shared);
    result_.end = code_.size();
    for (std::size_t i = result_.begin; i < code_.size() && result_.mistake.empty();) {
      if (code_.is_sign(i, ";")) {
        if (!result_.is_only_a_type) end_declarator(i);
        result_.end = i;
        return result_;
      }
      if (result_.is_only_a_type) return result_;
      i = step(i);
    }
    if (!is_macro_) mistake(shared, "this declaration has no ';'");
    if (!result_.is_only_a_type && result_.mistake.empty()) end_declarator(code_.size());
    return result_;
  }

 private:
  void mistake(std::size_t at, std::string_view what) {
    if (!result_.mistake.empty()) return;
    result_.mistake_at = at;
    result_.mistake = what;
  }

  /// Where the specifiers begin that end before `i`.
  [[nodiscard]] std::size_t begin_before(std::size_t i) const {
    while (i > 0) {
      std::size_t last = i - 1;
      if (code_.is_word(last) && !is_statement_word(code_.text_of(last))) {
        i = last;
      } else if (code_.is_sign(last, "::") || code_.is_sign(last, "#")) {
        i = last;
      } else if (code_.is_sign(last, ">") || code_.is_sign(last, ">>>")) {
        const std::size_t open = code_.angle_begin_of(last);
        if (open == kNone) break;
        i = open;
      } else if (code_.is_sign(last, "]") && code_.is_sign(Code::before(last), "]")) {
        if (code_.partner_of(last) == kNone) break;
        i = code_.partner_of(last);
      } else if (code_.is_sign(last, ")")) {
        const std::size_t open = code_.partner_of(last);
        if (open == kNone || open == 0 || !takes_parentheses(code_.text_of(open - 1))) break;
        i = open - 1;
      } else if (code_.is_sign(last, "}")) {
        const std::size_t head = class_before(code_.partner_of(last));
        if (head == kNone) break;
        i = head;
      } else {
        break;
      }
    }
    return i;
  }

  /// The "struct" of the class whose '{' is at `open`, if it has at most a name before it.
  [[nodiscard]] std::size_t class_before(std::size_t open) const {
    if (open == kNone) return kNone;
    for (std::size_t i = open, words = 0; i > 0 && words < 2; ++words) {
      if (!code_.is_word(--i)) return kNone;
      if (is_class_word(code_.text_of(i))) return i;
    }
    return kNone;
  }

  /// Reads what is at `i` and returns where the next thing is.
  std::size_t step(std::size_t i) {
    const std::string_view text = code_.text_of(i);
    if (code_.is_word(i)) return word(i);
    if (!code_.is_sign(i)) {
      mistake(i, "a declaration of shared memory cannot have this");
      return i;
    }
    if (text == "[" && code_.is_sign(i + 1, "[") && code_.partner_of(i) != kNone &&
        code_.partner_of(i + 1) + 1 == code_.partner_of(i)) {
      for (std::size_t at = i; at <= code_.partner_of(i); ++at) result_.deleted.push_back(at);
      return code_.partner_of(i) + 1;
    }
    if (text == "<") {
      const std::size_t end = code_.angle_end_of(i);
      if (end == kNone) return no_partner(i);
      return end + 1;
    }
    if (text == "[") return extent(i);
    if (text == "{") return braces(i);
    if (text == "(") {
      mistake(i, "no initialiser and no function can be in shared memory");
      return i;
    }
    if (text == ")" || text == "]" || text == "}" || text == ">" || text == ">>>") {
      if (text == "}") return no_partner(i);
      result_.is_only_a_type = true;
      return i;
    }
    if (text == ",") {
      const bool is_parameter =
          result_.begin > 0 && (code_.is_sign(result_.begin - 1, "(") || code_.is_sign(result_.begin - 1, ","));
      if (is_parameter) {
        result_.is_only_a_type = true;
        return i;
      }
      end_declarator(i);
      begins_class_ = false;
    }
    if (text == "=" || text == "*" || text == "&") begins_class_ = false;
    if (text == "=") {
      if (!code_.is_sign(i + 1, "{") || code_.partner_of(i + 1) != i + 2) {
        mistake(i, "shared memory cannot have an initialiser");
        return i;
      }
      if (name_end_ == kNone) name_end_ = i;
      result_.deleted.push_back(i);
    }
    return i + 1;
  }

  std::size_t no_partner(std::size_t i) {
    mistake(i, "this declaration has a bracket without its partner");
    return i;
  }

  std::size_t word(std::size_t i) {
    const std::string_view text = code_.text_of(i);
    if (const auto at = words_.find(text); at != words_.end()) {
      if (i != shared_) mistake(i, "'__shared__' is twice in one declaration");
      result_.is_extern = result_.is_extern || at->second.is_extern;
      return i + 1;
    }
    if (is_storage(text)) {
      result_.is_extern = result_.is_extern || text == "extern";
      result_.deleted.push_back(i);
      return i + 1;
    }
    if (takes_parentheses(text) && code_.is_sign(i + 1, "(")) {
      const std::size_t end = code_.partner_of(i + 1);
      if (end == kNone) return no_partner(i + 1);
      if (text == "alignas") result_.alignments.push_back(i);
      if (text == "decltype" || text == "typeof" || text == "__typeof__") has_type_ = true;
      return end + 1;
    }
    // struct Name { or struct Name name: a second word is no part of the class's head.
    if (begins_class_ && code_.is_word(i - 1) && !is_class_word(code_.text_of(i - 1)) && text != "final") {
      begins_class_ = false;
    }
    if (is_class_word(text)) begins_class_ = true;
    return i + 1;
  }

  std::size_t extent(std::size_t i) {
    const std::size_t end = code_.partner_of(i);
    if (end == kNone) return no_partner(i);
    if (name_end_ == kNone) name_end_ = i;
    return end + 1;
  }

  std::size_t braces(std::size_t i) {
    const std::size_t end = code_.partner_of(i);
    if (end == kNone) return no_partner(i);
    if (begins_class_) {
      begins_class_ = false;
      for (std::size_t at = i; at < end; ++at) {
        if (code_.is_word(at) && words_.contains(code_.text_of(at))) mistake(at, "a member cannot be in shared memory");
      }
      return end + 1;
    }
    if (end != i + 1) {
      mistake(i, "shared memory cannot have an initialiser");
      return i;
    }
    if (name_end_ == kNone) name_end_ = i;
    result_.deleted.push_back(i);
    result_.deleted.push_back(end);
    return end + 1;
  }

  /// The declarator ends before `end`: its name is before the first extent or initialiser, if it has one.
  void end_declarator(std::size_t end) {
    std::size_t last = Code::before(name_end_ == kNone ? end : name_end_);
    name_end_ = kNone;
    // Behind a name come attributes: __attribute__((...)) and what is deleted.
    while (last != kNone && last > result_.begin && !code_.is_word(last)) {
      const std::size_t open = code_.partner_of(last);
      if (open == kNone || open <= result_.begin) break;
      last = code_.is_sign(last, "]") ? open - 1 : code_.is_word(open - 1, "__attribute__") ? open - 2 : kNone;
    }
    const std::size_t first = declarator_;
    declarator_ = end + 1;
    if (last == kNone || last < std::max(first, result_.begin) || !code_.is_word(last) || last == shared_ ||
        code_.is_word(last, "__VA_ARGS__")) {
      return mistake(std::min(end, code_.size() - 1), "there is no name before this that can be read");
    }
    SharedName name{last, last + 1};
    while (name.begin >= 3 && code_.is_sign(name.begin - 1, "#") && code_.is_sign(name.begin - 2, "#") &&
           code_.is_word(name.begin - 3) && name.begin - 3 >= result_.begin) {
      name.begin -= 3;
    }
    if (result_.names.empty()) {
      bool has_type = has_type_;
      for (std::size_t i = result_.begin; i < name.begin; ++i) {
        has_type = has_type || code_.is_sign(i, "}") ||
                   (code_.is_word(i) && i != shared_ && !is_storage(code_.text_of(i)) &&
                    !is_one_of(code_.text_of(i), {"const", "volatile"}));
      }
      if (!has_type) return mistake(name.begin, "there is no type before this");
    }
    result_.names.push_back(name);
  }

  const Code& code_;
  const SharedWords& words_;
  bool is_macro_;
  std::size_t shared_ = 0, declarator_ = 0, name_end_ = kNone;
  bool begins_class_ = false, has_type_ = false;
  SharedDeclaration result_;
};

}  // namespace

SharedDeclaration shared_declaration_at(const Code& code, std::size_t i, const SharedWords& words, bool is_macro) {
  return SharedReader(code, words, is_macro).read(i);
}

}  // namespace negzero::source
