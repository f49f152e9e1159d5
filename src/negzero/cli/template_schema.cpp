// The schema of the documents that tools read.

#include <negzero/cli/templates.hpp>

namespace negzero::cli {

const std::string_view kSchema = R"nz({}
)nz";

}  // namespace negzero::cli
