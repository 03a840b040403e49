// Python's numbers, and NumPy's, as the engine's.
#pragma once

#include <Python.h>

#include "core/Scalar.h"

namespace tensorlib {

/// NumPy's scalars are told by their class; NumPy itself is not needed for it.
bool is_numpy_integer(PyObject* object);
bool is_numpy_floating(PyObject* object);
bool is_numpy_bool(PyObject* object);

/// An int (not a bool), Python's or NumPy's.
bool THPUtils_checkLong(PyObject* object);
/// An int or anything else that has __index__, but no bool and no tensor of floats.
bool THPUtils_checkIndex(PyObject* object);
/// A float or an int.
bool THPUtils_checkDouble(PyObject* object);
/// An int, a float or a bool.
bool THPUtils_checkScalar(PyObject* object);

/// Raise what Python raises: OverflowError beyond 64 bits.
std::int64_t THPUtils_unpackLong(PyObject* object);
double THPUtils_unpackDouble(PyObject* object);
/// Also a 0-dim tensor, whose element it reads.
Scalar unpack_scalar(PyObject* object);

}  // namespace tensorlib
