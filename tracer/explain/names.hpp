// Names and places as they are shown. The full name stays in the record; these are for reading.
#pragma once

#include <string>
#include <string_view>

#include "record/record.hpp"

namespace callpath {

/// "tensorlib::_ops::pow_Tensor_Scalar::call(...)" -> "_ops::pow_Tensor_Scalar::call": without return type, template arguments, parameters
/// and the namespaces that say only whose code it is; at most the last three parts. Lambdas, C functions and stubs that annotate named keep
/// their short name.
std::string display_name(const Frame&);

/// "PowKernel.cpp:67"; for a frame without a source, module and offset; empty if neither is known.
std::string place(const Frame&, const Recording&);

/// The last component of a path.
std::string file_name(std::string_view path);

}  // namespace callpath
