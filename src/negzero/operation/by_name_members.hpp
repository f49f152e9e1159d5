// The members of ByName, for the files that instantiate it.

#pragma once

#include <utility>

#include <negzero/operation/by_name.hpp>

namespace negzero::operation {

template <typename Value>
ByName<Value>::ByName() noexcept = default;
template <typename Value>
ByName<Value>::ByName(std::initializer_list<Entry> said) {
  for (const Entry& entry : said) said_.emplace(entry.name, entry.value);
}
template <typename Value>
ByName<Value>::ByName(const ByName& other) = default;
template <typename Value>
ByName<Value>::ByName(ByName&& other) noexcept = default;
template <typename Value>
ByName<Value>& ByName<Value>::operator=(const ByName& other) = default;
template <typename Value>
ByName<Value>& ByName<Value>::operator=(ByName&& other) noexcept = default;
template <typename Value>
ByName<Value>::~ByName() = default;

template <typename Value>
Value& ByName<Value>::operator[](std::string_view name) {
  const auto found = said_.find(name);
  return found != said_.end() ? found->second : said_[std::string(name)];
}

template <typename Value>
const Value& ByName<Value>::operator[](std::string_view name) const {
  static const Value any{};
  const Value* const found = find(name);
  return found != nullptr ? *found : any;
}

template <typename Value>
const Value* ByName<Value>::find(std::string_view name) const {
  const auto found = said_.find(name);
  return found != said_.end() ? &found->second : nullptr;
}

}  // namespace negzero::operation
