// Writes registrations with the operation's names in scope.

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/notation/signature.hpp>
#include <negzero/number/format.hpp>
#include <negzero/operation/limits_json.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/source/device_words.hpp>
#include <negzero/source/glue.hpp>
#include <negzero/source/pointees.hpp>
#include <negzero/source/prepared.hpp>
#include <negzero/source/strides.hpp>

namespace negzero::source {
namespace {

/// The operation with the formats that its declaration says, or the usual ones.
operation::Operation with_formats(const notation::Signature& signature, const nlohmann::json& declared) {
  operation::Operation result(signature);
  result.set_formats(operation::formats_of(declared.at("formats"), signature).at(0));
  return result;
}

/// The torch::Tensor of an operand; of an optional input an optional one. An extent that limits hold at 1 is none of
/// its dimensions: a batch of one.
std::string tensor_of(const notation::Signature& signature, const nlohmann::json& limits,
                      const notation::TensorSignature& tensor, const std::string& type) {
  const nlohmann::json extents = limits.value("extents", nlohmann::json::object());
  std::string sizes;
  for (const std::size_t place : tensor.extents) {
    const std::string& extent = signature.extents[place];
    const nlohmann::json limit = extents.value(extent, nlohmann::json::object());
    if (limit.value("least", 0) == 1 && limit.value("greatest", 0) == 1) continue;
    sizes += fmt::format("{}negzero_args.extent(\"{}\")", sizes.empty() ? "" : ", ", extent);
  }
  if (tensor.is_optional) {
    return fmt::format(
        "  [[maybe_unused]] ::std::optional<::at::Tensor> {0};\n"
        "  if (negzero_args.operand(\"{0}\").data != nullptr) {{\n"
        "    {0} = ::at::Tensor(negzero_args.operand(\"{0}\").as<{1}>(), ::at::IntArrayRef{{{2}}}, "
        "::c10::CppTypeToScalarType<{1}>::value);\n  }}\n",
        tensor.name, type, sizes);
  }
  return fmt::format(
      "  const ::at::Tensor negzero_operand_{0}(negzero_args.operand(\"{0}\").as<{1}>(), ::at::IntArrayRef{{{2}}}, "
      "::c10::CppTypeToScalarType<{1}>::value);\n  [[maybe_unused]] ::at::Tensor {0} = negzero_operand_{0};\n",
      tensor.name, type, sizes);
}

/// Takes the outputs that the statement has put in place of the operands.
std::string given(const notation::Signature& signature) {
  std::string text;
  for (const notation::TensorSignature& tensor : signature.tensors) {
    if (tensor.role == notation::Role::Output) {
      text += fmt::format("  if (!{0}.is_same(negzero_operand_{0})) negzero_operand_{0}.copy_({0});\n", tensor.name);
    }
  }
  return text;
}

/// An extension that computes by other functions than its own kernel has nothing that is checked here.
std::string asked_for_launch(const notation::Signature& signature) {
  std::string text = "  if (negzero_stream.ok() && negzero_stream.report().launches == 0";
  for (const std::string& extent : signature.extents)
    text += fmt::format(" && negzero_args.extent(\"{}\") > 1", extent);
  return text + ") ::negzero::refuse(\"no kernel was launched\");\n";
}

}  // namespace

base::Result<std::string> glue_for(std::span<const std::string> included, const std::string& file,
                                   std::span<const Declaration> declarations,
                                   std::span<const KernelSignature> functions, bool is_for_gpu) {
  std::string text;
  if (is_for_gpu) text = "#include <negzero/cuda/nvcc.cuh>\n#include <negzero/kernel/declared.hpp>\n";
  if (std::ranges::any_of(declarations, &Declaration::is_of_tensors)) text += "#include <negzero/cuda/torch.hpp>\n";
  const auto has_reference = [](const Declaration& each) {
    return each.launch.text.find("negzero::reference::") != std::string::npos;
  };
  if (std::ranges::any_of(declarations, has_reference)) text += "#include <negzero/cuda/references.cuh>\n";
  for (const std::string& path : included) text += fmt::format("#include \"{}\"\n", path);
  std::size_t number = 0;
  for (const Declaration& each : declarations) {
    const notation::Signature& signature = *operation::find_signature(each.operation);
    const auto declared = nlohmann::json::parse(each.json);
    text += fmt::format(
        "[[maybe_unused]] static const bool negzero_added_{} = "
        "::negzero::kernel::add_declared(R\"negzero({})negzero\", "
        "[](const ::negzero::kernel::Args& negzero_args, ::negzero::kernel::Workspace&, ::negzero::engine::Stream& "
        "negzero_stream) -> ::negzero::kernel::LaunchResult {{\n",
        number++, each.json);
    const operation::Operation formats = with_formats(signature, declared);
    const nlohmann::json limits = declared.value("limits", nlohmann::json::object());
    for (const notation::TensorSignature& tensor : signature.tensors) {
      if (tensor.role == notation::Role::Initial) continue;
      const std::string format(number::format(formats.formats()[tensor.format]).name), type = type_of(format);
      if (type.empty()) {
        return base::usage_error(
            fmt::format("{}:{}: {} in {}: no type of C++ is that format", file, each.line, tensor.name, format));
      }
      if (each.is_of_tensors) {
        text += tensor_of(signature, limits, tensor, type);
        continue;
      }
      const std::string pointee = pointee_of(tensor.name, format, each.launch.text, functions);
      text += fmt::format("  [[maybe_unused]] {1}* const {0} = negzero_args.operand(\"{0}\").as<{1}>();\n", tensor.name,
                          pointee);
    }
    for (const std::string& extent : signature.extents) {
      text +=
          fmt::format("  [[maybe_unused]] const int {0} = static_cast<int>(negzero_args.extent(\"{0}\"));\n", extent);
    }
    for (const NamedStride& stride : strides_named(signature, each.launch.text)) {
      text += fmt::format("  const std::int64_t {} = negzero_args.operand(\"{}\").strides[{}];\n", stride.name,
                          stride.tensor, stride.dimension);
    }
    const nlohmann::json options = limits.value("configuration", nlohmann::json::object());
    for (const auto& [option, values] : options.items()) {
      if (!uses_name(each.launch.text, option)) continue;
      text += fmt::format("  const std::int64_t {0} = negzero_args.option(\"{0}\");\n", option);
    }
    const nlohmann::json& contract = declared.at("contract");
    const std::string scalars = contract.is_object() ? contract.value("scalar_format", "F32") : "F32";
    for (const notation::ScalarSignature& scalar : signature.scalars) {
      if (scalar.is_whole()) {
        text += fmt::format("  [[maybe_unused]] const {1} {0} = negzero_args.scalar(\"{0}\").as<std::int32_t>(){2};\n",
                            scalar.name, notation::word_of(scalar.kind),
                            scalar.kind == notation::ScalarKind::Truth ? " != 0" : "");
        continue;
      }
      text += fmt::format("  [[maybe_unused]] const auto {0} = negzero_args.scalar(\"{0}\").as<{1}>();\n", scalar.name,
                          type_of(scalars));
    }
    text += is_for_gpu ? "  const auto stream = static_cast<cudaStream_t>(negzero_stream.handle());\n"
                         // The author's launch may be in the default stream, which orders nothing with this one.
                         "  cudaStreamSynchronize(stream);\n  if (!negzero_stream.begin_launch()) return {};\n"
                       : "  [[maybe_unused]] const cudaStream_t stream = nullptr;\n";
    std::string launch = each.launch.text;
    if (!is_for_gpu) {
      const Prepared prepared = host_edits(launch);
      launch = edited(launch, prepared.edits);
    }
    // It begins in the column where its author has it.
    if (each.is_of_tensors) text += "  try {\n";
    text += fmt::format("#line {} \"{}\"\n{}{};\n", each.launch.line, file,
                        std::string(std::max<std::size_t>(each.launch.column, 1) - 1, ' '), launch);
    text += fmt::format("#line {} \"{}\"\n", each.line, file);
    if (each.is_of_tensors) {
      text += given(signature);
      text +=
          "  } catch (const ::c10::Error& negzero_thrown) {\n"
          "    ::negzero::refuse(negzero_thrown.what());\n  }\n";
      if (!is_for_gpu) text += asked_for_launch(signature);
    }
    if (is_for_gpu) {
      text +=
          "  cudaError_t negzero_error = cudaGetLastError();\n"
          "  if (negzero_error == cudaSuccess) negzero_error = cudaStreamSynchronize(cudaStreamLegacy);\n"
          "  if (negzero_error != cudaSuccess) negzero_stream.record_device_error(negzero_error, "
          "cudaGetErrorString(negzero_error));\n";
    }
    text += fmt::format("  return {{}};\n}}, \"{}\", {});\n", file, each.line);
  }
  return text;
}

}  // namespace negzero::source
