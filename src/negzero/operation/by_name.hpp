// What is said of some things by their names, as limits are said of extents.

#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace negzero::operation {

/// Values by name, in the order of the names. Its members are compiled where it is instantiated
/// (by_name_members.hpp) and not in each file that declares a kernel: instrumented, they are most of what such a file
/// would hold.
template <typename Value>
class ByName {
 public:
  struct Entry {
    std::string_view name;
    Value value;
  };

  ByName() noexcept;
  ByName(std::initializer_list<Entry> said);
  ByName(const ByName& other);
  ByName(ByName&& other) noexcept;
  ByName& operator=(const ByName& other);
  ByName& operator=(ByName&& other) noexcept;
  ~ByName();

  /// What is said of that name, made where nothing is.
  [[nodiscard]] Value& operator[](std::string_view name);
  /// The same, a default one where nothing is.
  [[nodiscard]] const Value& operator[](std::string_view name) const;
  /// The same, nullptr where nothing is.
  [[nodiscard]] const Value* find(std::string_view name) const;
  [[nodiscard]] bool empty() const noexcept { return said_.empty(); }
  [[nodiscard]] auto begin() const { return said_.begin(); }
  [[nodiscard]] auto end() const { return said_.end(); }

  friend bool operator==(const ByName& a, const ByName& b) { return a.said_ == b.said_; }

 private:
  std::map<std::string, Value, std::less<>> said_;
};

}  // namespace negzero::operation
