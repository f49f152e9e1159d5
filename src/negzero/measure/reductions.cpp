// Sums, means, extremes and prefix sums, of all elements or of rows.

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <negzero/measure/candidate.hpp>
#include <negzero/measure/lines.hpp>

namespace negzero::measure {
namespace {

using Values = std::vector<double>;

struct Reduction {
  const char* operation;
  bool gives_index;
  double (*value)(const Values& row);
};

double index_of(const Values& row, Values::const_iterator found) { return static_cast<double>(found - row.begin()); }

constexpr Reduction kReductions[] = {
    {"reduce.sum", false, [](const Values& row) { return std::accumulate(row.begin(), row.end(), 0.0); }},
    {"reduce.mean", false,
     [](const Values& row) { return std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size()); }},
    {"reduce.max", false, [](const Values& row) { return *std::ranges::max_element(row); }},
    {"reduce.min", false, [](const Values& row) { return *std::ranges::min_element(row); }},
    {"reduce.argmax", true, [](const Values& row) { return index_of(row, std::ranges::max_element(row)); }},
    {"reduce.argmin", true, [](const Values& row) { return index_of(row, std::ranges::min_element(row)); }}};

/// The rows of a matrix, one behind the other.
Values by_rows(const Values& x, std::int64_t columns, const std::function<void(const Values&, Values&)>& put) {
  Values result;
  for (std::size_t begin = 0; begin + static_cast<std::size_t>(columns) <= x.size();
       begin += static_cast<std::size_t>(columns)) {
    const Values row(x.begin() + static_cast<std::ptrdiff_t>(begin),
                     x.begin() + static_cast<std::ptrdiff_t>(begin) + columns);
    put(row, result);
  }
  return result;
}

/// How the input is a matrix of the operation: the sizes that are its rows and its columns.
struct Rows {
  std::vector<std::size_t> rows;  ///< none: it is one row
  std::size_t columns;
};

void add(const Measured& measured, std::vector<Candidate>& candidates, const std::string& operation, const Rows& shape,
         const std::function<void(const Values&, Values&)>& put) {
  const std::size_t in = measured.probe.inputs.front(), out = measured.probe.outputs.front();
  Candidate result{.says = operation, .tolerance = 1e-5};
  result.expected = [in, shape, put](const Observation& each) {
    return by_rows(each.given.contents.at(in), each.given.extents.at(shape.columns), put);
  };
  const bool selects = operation.find("max") != std::string::npos || operation.find("min") != std::string::npos;
  result.text = [in, out, shape, operation, selects](const Measured& seen, const std::string& name) {
    Lines lines(seen, name);
    lines.call(in, "x");
    lines.call(out, "y");
    if (!shape.rows.empty()) lines.call(shape.rows.front(), "rows");
    lines.call(shape.columns, "columns");
    lines.add("operation", operation);
    lines.add_formats({{"x", in}, {"y", out}});
    lines.add("limits", fmt::format("{}, {}", shape.rows.empty() ? "rows = 1" : lines.range(shape.rows.front(), "rows"),
                                    lines.range(shape.columns, "columns")));
    // A mean divides its sum, which may overflow where the mean does not.
    lines.add_values({{"x", operation == "reduce.mean" ? "-1e30..1e30" : ".."}});
    // What is added to memory that holds zeros is added by atomics, which flush subnormals on some memory (PTX ISA,
    // atom: atom.add.f32 on global memory).
    const bool is_atomic = seen.probe.treatment == Treatment::Zeroed || seen.flushes;
    if (selects) lines.add("contract", "zero_sign=any");
    if (!selects && is_atomic) lines.add("contract", "subnormal_inputs=either subnormal_results=either");
    return lines.text();
  };
  candidates.push_back(std::move(result));
}

}  // namespace

void add_reductions(const Measured& measured, std::vector<Candidate>& candidates) {
  const Probe& probe = measured.probe;
  if (probe.inputs.size() != 1 || probe.treatment == Treatment::InPlace) return;
  const std::vector<std::size_t>&in = measured.factors(probe.inputs.front()),
        &out = measured.factors(probe.outputs.front());
  const std::vector<Parameter>& parameters = measured.callee->parameters;
  if (parameters[probe.inputs.front()].is_integer()) return;
  std::vector<Rows> shapes;
  if (in.size() == 1 && out.empty()) shapes.push_back({{}, in.front()});
  if (in.size() == 2 && out.size() == 1 && in[0] != in[1]) {
    if (out.front() == in[0]) shapes.push_back({{in[0]}, in[1]});
    if (out.front() == in[1]) shapes.push_back({{in[1]}, in[0]});
  }
  for (const Rows& shape : shapes) {
    for (const Reduction& each : kReductions) {
      if (each.gives_index != parameters[probe.outputs.front()].is_integer()) continue;
      add(measured, candidates, each.operation, shape,
          [value = each.value](const Values& row, Values& result) { result.push_back(value(row)); });
    }
  }
  if (in != out || parameters[probe.outputs.front()].is_integer()) return;
  shapes.clear();
  if (in.size() == 1) shapes.push_back({{}, in.front()});
  if (in.size() == 2 && in[0] != in[1]) shapes = {{{in[0]}, in[1]}, {{in[1]}, in[0]}};
  for (const Rows& shape : shapes) {
    add(measured, candidates, "scan.inclusive", shape, [](const Values& row, Values& result) {
      double sum = 0;
      for (const double each : row) result.push_back(sum += each);
    });
    add(measured, candidates, "scan.exclusive", shape, [](const Values& row, Values& result) {
      double sum = 0;
      for (const double each : row) {
        result.push_back(sum);
        sum += each;
      }
    });
  }
}

}  // namespace negzero::measure
