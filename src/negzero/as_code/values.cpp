// Values that show a race.

#include <negzero/as_code/values.hpp>
#include <negzero/number/encoding.hpp>

namespace negzero::as_code {

bool give_values(operation::Case& value) {
  bool has_given = false;
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    tensor::Tensor& tensor = value.tensors.at(spec.name);
    const number::Format& format = tensor.format();
    bool is_zero = !format.is_integer() && !spec.index_below && !operation::is_initial(value.operation, spec.name);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i)
      is_zero = is_zero && number::is_zero(format, tensor.get(i));
    if (!is_zero || tensor.element_count() == 0) continue;
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      tensor.set(i, number::from_double(format, static_cast<double>(i % 8 + 1)));
    }
    has_given = true;
  }
  if (has_given) operation::unify_shared_elements(value);
  return has_given;
}

}  // namespace negzero::as_code
