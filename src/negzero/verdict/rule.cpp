// How a rule is printed.

#include <ostream>

#include <negzero/verdict/rule.hpp>

namespace negzero::verdict {

std::ostream& operator<<(std::ostream& to, Rule rule) { return to << rule.id(); }

}  // namespace negzero::verdict
