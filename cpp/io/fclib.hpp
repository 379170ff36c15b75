// SPDX-License-Identifier: MIT
// FCLIB: problems with friction in HDF5 files. HDF5 is not safe for threads, nor are these.
#ifndef PERP_IO_FCLIB_HPP
#define PERP_IO_FCLIB_HPP

#include <string>

#include "io/dat.hpp"

namespace perp::io {

// Read /fclib_local or /fclib_global, with guesses and solution.
document read_fclib(const std::string &path);
// Write a new file `name`; messages name `path`. Matrices are stored in the given order.
void write_fclib(const std::string &name, const std::string &path, const document &d,
                 layout order = layout::columns);

}  // namespace perp::io

#endif
