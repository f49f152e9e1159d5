// Requests as kernels of many kinds would make them.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include <negzero/generate/generate.hpp>

namespace negzero::generate {

inline std::vector<number::FormatId> formats(number::FormatId a, number::FormatId b, number::FormatId d) {
  return {a, b, d};
}

/// A Gemm of one combination of formats.
inline Request gemm_request(number::FormatId element, number::FormatId accumulate, number::FormatId output) {
  Request request;
  request.operation = "gemm";
  request.limits.formats = {formats(element, element, output)};
  request.contract.accumulate = accumulate;
  return request;
}

/// A grouped Gemm that accumulates in F32.
inline Request grouped_request(number::FormatId element) {
  Request request = gemm_request(element, number::FormatId::F32, element);
  request.operation = "gemm.grouped";
  return request;
}

inline Request reduce_request(const std::string& name, number::FormatId x, number::FormatId accumulate,
                              number::FormatId y) {
  Request request;
  request.operation = name;
  request.limits.formats = {{x, y}};
  request.limits.extents["columns"].tiles = {32, 256};
  request.contract.accumulate = accumulate;
  return request;
}

inline Request scatter_request(const std::string& name, number::FormatId x) {
  Request request;
  request.operation = name;
  request.limits.formats = {{x}};
  request.limits.extents["updates"].tiles = {64};
  request.contract.accumulate = x;
  return request;
}

/// Requests with limits of single tensors, and of extents together.
inline std::vector<Request> related_requests() {
  using enum number::FormatId;
  using operation::LayoutOrder;
  std::vector<Request> all;
  Request blas = gemm_request(F32, F32, F32);
  for (const char* name : {"a", "b", "c", "d"}) {
    blas.limits.tensors[name] = {.order = LayoutOrder::ColumnMajor, .broadcast = false};
  }
  all.push_back(blas);
  Request shared = gemm_request(F16, F32, F32);
  shared.limits.tensors["b"] = {.order = LayoutOrder::RowMajor, .alignment = 16, .shared = {"batch"}};
  shared.limits.tensors["c"] = {.order = LayoutOrder::Packed, .max_offset = 0, .shared = {"batch", "m"}};
  shared.limits.tensors["d"] = {.alignment = 256};
  all.push_back(shared);
  Request square = gemm_request(F32, F32, F32);
  square.limits.extents["m"] = {.max = 512, .tiles = {24}};
  square.limits.equal = {{"m", "n", "k"}};
  all.push_back(square);
  Request powers = gemm_request(F32, F32, F32);
  powers.limits.extents = {{"m", {.multiple = 4, .power_of_two = true}}, {"k", {.max = 1024, .power_of_two = true}}};
  powers.limits.equal = {{"m", "n"}};
  powers.limits.products = {{.of = {"m", "n"}, .max = 4096}, {.of = {"n", "k"}, .max = 1000}};
  all.push_back(powers);
  Request grouped = grouped_request(F16);
  grouped.limits.extents["capacity"].power_of_two = true;
  grouped.limits.equal = {{"n", "k"}};
  grouped.limits.products = {{.of = {"groups", "capacity"}, .max = 100}};
  grouped.limits.tensors["b"] = {.order = LayoutOrder::ColumnMajor, .shared = {"groups"}};
  all.push_back(grouped);
  Request rows = reduce_request("reduce.sum", F32, F32, F32);
  rows.limits.extents["columns"].power_of_two = true;
  rows.limits.products = {{.of = {"rows", "columns"}, .max = 777}};
  rows.limits.tensors["x"] = {.order = LayoutOrder::Packed, .max_offset = 64, .stride_multiple = 4, .alignment = 32};
  all.push_back(rows);
  Request scan = reduce_request("scan.inclusive", F32, F32, F32);
  scan.limits.equal = {{"rows", "columns"}};
  scan.limits.inputs.order = LayoutOrder::ColumnMajor;
  all.push_back(scan);
  Request scatter = scatter_request("scatter.add", F32);
  scatter.limits.extents["destinations"] = {.power_of_two = true};
  scatter.limits.products = {{.of = {"updates", "destinations"}, .max = 5000}};
  scatter.limits.tensors["x"] = {.order = LayoutOrder::ColumnMajor, .alignment = 8};
  all.push_back(scatter);
  Request convert = reduce_request("convert", F32, F32, F16);
  convert.limits.extents = {{"count", {.min = 2, .multiple = 8, .power_of_two = true}}};
  convert.limits.tensors["y"] = {.alignment = 64};
  all.push_back(convert);
  return all;
}

/// Requests of every operation, of formats from F8 to F64, of every kind of limit.
inline std::vector<Request> all_requests() {
  using enum number::FormatId;
  std::vector<Request> all{
      gemm_request(F32, F32, F32),    gemm_request(F64, F64, F64),        gemm_request(F16, F32, F16),
      gemm_request(F16, F32, F32),    gemm_request(F16, F16, F16),        gemm_request(BF16, F32, BF16),
      gemm_request(BF16, BF16, BF16), gemm_request(F8_E4M3, F32, F16),    gemm_request(F8_E5M2, F32, F8_E4M3),
      gemm_request(F32, F64, F32),    gemm_request(F8_E4M3, F16, F8_E5M2)};
  for (const auto element : {F32, F16, BF16, F64, F8_E4M3}) {
    all.push_back(scatter_request("scatter.add", element));
    all.push_back(scatter_request("scatter.max", element));
    all.push_back(scatter_request("scatter.min", element));
    for (const char* name : {"reduce.sum", "reduce.mean", "reduce.max", "reduce.min"}) {
      all.push_back(reduce_request(name, element, element == F64 ? F64 : F32, element));
    }
    all.push_back(reduce_request("reduce.argmax", element, F32, I32));
    all.push_back(reduce_request("reduce.argmin", element, F32, I32));
  }
  all.push_back(reduce_request("reduce.sum", F16, F16, F16));
  for (const char* name : {"reduce.sum_middle", "reduce.sum_batch", "reduce.max_middle"}) {
    all.push_back(reduce_request(name, F32, F32, F32));
  }
  all.push_back(reduce_request("reduce.argmax_middle", F16, F32, I32));
  Request aligned = reduce_request("reduce.sum_middle", F16, F32, F16);
  aligned.limits.inputs = {.order = operation::LayoutOrder::Packed, .broadcast = false, .stride_multiple = 8};
  all.push_back(aligned);
  for (const auto element : {F32, BF16, F8_E4M3}) all.push_back(grouped_request(element));
  Request anything;
  anything.operation = "gemm";
  all.push_back(anything);
  anything.operation = "gemm.grouped";
  all.push_back(anything);
  anything.operation = "reduce.argmax";
  all.push_back(anything);

  Request tensor_core = gemm_request(F16, F32, F16);
  tensor_core.limits.extents = {{"m", {.min = 16, .max = 4096, .multiple = 16, .tiles = {64}}},
                                {"n", {.min = 8, .max = 4096, .multiple = 8, .tiles = {64}}},
                                {"k", {.min = 16, .max = 4096, .multiple = 16, .tiles = {16}}},
                                {"batch", {.min = 1, .max = 1}}};
  tensor_core.limits.inputs = {.order = operation::LayoutOrder::RowMajor,
                               .broadcast = false,
                               .max_offset = 64,
                               .offset_multiple = 8,
                               .stride_multiple = 8};
  tensor_core.limits.output = tensor_core.limits.inputs;
  tensor_core.limits.beta = operation::ScalarLimit::ZeroOrOne;
  all.push_back(tensor_core);
  Request packed = gemm_request(F32, F32, F32);
  packed.limits.inputs = {.order = operation::LayoutOrder::Packed, .max_offset = 0, .stride_multiple = 4};
  packed.limits.output = packed.limits.inputs;
  packed.limits.alpha = operation::ScalarLimit::One;
  packed.limits.beta = operation::ScalarLimit::Zero;
  all.push_back(packed);
  Request column_major = gemm_request(F32, F32, F32);
  column_major.limits.inputs.order = operation::LayoutOrder::RowOrColumnMajor;
  column_major.limits.extents["k"] = {.min = 1, .max = 7};
  all.push_back(column_major);
  for (const bool always : {false, true}) {
    Request in_place = gemm_request(F16, F32, F32);
    in_place.limits.in_place = {.input = "c", .always = always};
    all.push_back(in_place);
    in_place.limits.inputs = {.order = operation::LayoutOrder::Packed};
    all.push_back(in_place);
  }
  Request tf32 = gemm_request(F32, F32, F32);
  tf32.contract.multiplicand = contract::Multiplicand::Tf32NearestAway;
  all.push_back(tf32);
  Request flushing = gemm_request(F32, F32, F32);
  flushing.contract.subnormal_inputs = flushing.contract.subnormal_results = contract::Subnormals::Flush;
  all.push_back(flushing);
  Request rounded = gemm_request(F16, F32, F32);
  rounded.contract.intermediate = {{.format = F16}};
  all.push_back(rounded);
  for (Request& request : related_requests()) all.push_back(std::move(request));
  return all;
}

}  // namespace negzero::generate
