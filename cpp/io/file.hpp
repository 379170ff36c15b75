// SPDX-License-Identifier: MIT
// Files as a whole: read once, written to a temporary name and renamed, so that a file is there
// completely or not at all.
#ifndef PERP_IO_FILE_HPP
#define PERP_IO_FILE_HPP

#include <functional>
#include <string>
#include <string_view>

#include "io/dat.hpp"

namespace perp::io {

// The bytes of a regular file, or of a pipe that somebody writes to; no more are read once there
// are `most`.
std::string load(const std::string &path, std::size_t most = std::string::npos);
// Whether a file begins like HDF5; false where it cannot be read.
bool looks_like_hdf5(const std::string &path);
// The first bytes of a file; none of one that is no regular one, or cannot be read.
std::string beginning(const std::string &path, std::size_t most);
// Whether a file begins like the log of a run (perp/log.h).
bool looks_like_log(const std::string &path);

// Call write with a temporary name beside path, which is renamed to path if write returns and
// removed if it throws; the bytes have reached the disk before. Temporary names that a killed
// program left there are removed, too.
void replace(const std::string &path, const std::function<void(const std::string &)> &write);
void save(const std::string &path, std::string_view bytes);
// errno of what refuses more bytes of a file that could not be written, which has more of them
// afterwards; 0: nothing does.
int refuses_more(const std::string &path);
// The bytes alone: no temporary name, and nothing is waited for.
void write_new(const std::string &path, std::string_view bytes);

// Whether a name ends like that of a problem file: .dat or .txt; .h5, .hdf5 or .hdf.
bool has_problem_name(const std::string &path);
// A problem file of either kind, whatever its name. wanted: its class, empty: guess.
document read_problem(const std::string &path, std::string_view wanted = {});
// Text or FCLIB, by the ending of the name.
void write_problem(const std::string &path, const document &d, layout order = layout::columns);

}  // namespace perp::io

#endif
