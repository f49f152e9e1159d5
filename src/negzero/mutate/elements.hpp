// The changes of single elements, runs and strides of a tensor.

#pragma once

#include <negzero/mutate/mutate.hpp>

namespace negzero::mutate {

// Each changes some elements of one input that holds numbers: one element, a run or a stride of them. False where no
// such input has elements, or its format has nothing of the kind.
bool negate(Work& work);             ///< the sign
bool flip_exponent_bit(Work& work);  ///< one bit of the exponent, the same in all
bool flip_significand_bit(Work& work);
bool place_special(Work& work);      ///< zeros, limits of the ranges, ones, infinities, NaNs: one for all, or one each
bool step_to_neighbour(Work& work);  ///< a few encodings up or down
bool scale_by_power(Work& work);     ///< by one power of two; what overflows stops at the largest finite number
bool copy_elements(Work& work);      ///< from another place, of this input or another one
bool cancel_elements(Work& work);    ///< the negative of another element, or a neighbour of that
bool tie_elements(Work& work);       ///< half a unit in the last place of another one, in some format of the case
bool swap_elements(Work& work);      ///< two elements change places, or two runs

/// Changes some elements of an input that holds indices: anywhere, the first, the last, another one's.
bool redirect_indices(Work& work);

/// Draws all elements of one input anew by a strategy, or those of all inputs, which then belong together.
bool redraw_one(Work& work);
bool redraw_all(Work& work);

/// Leaves an optional input out, or adds one with elements that a strategy draws.
bool change_inputs(Work& work);

}  // namespace negzero::mutate
