#include "Exceptions.h"

#include <new>

#include "core/Exception.h"

namespace tensorlib {

void set_python_error_from_exception() {
  try {
    throw;
  } catch (const python_error&) {
    // Python knows already.
  } catch (const IndexError& error) {
    PyErr_SetString(PyExc_IndexError, error.what());
  } catch (const TypeError& error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  } catch (const ValueError& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const NotImplementedError& error) {
    PyErr_SetString(PyExc_NotImplementedError, error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

}  // namespace tensorlib
