// SPDX-License-Identifier: MIT
// Functions of Python as callbacks: an interpreter that is loaded when a model first names one.
#ifndef PERP_IO_MODEL_PYTHON_HPP
#define PERP_IO_MODEL_PYTHON_HPP

#include <string>

#include "io/model_plugin.hpp"

namespace perp::io {

// Import a module, with a folder first where it looks; its save and restore, if it has them.
// False: *why says it.
bool python_import(const std::string &folder, plugin_library *module, std::string *why);

// A function of an imported module as one of C of the type wanted; nullptr: *why says it.
any_function python_function(const std::string &module, const std::string &function,
                             const wanted_function &wanted, std::string *why);

// The same of what finds the contacts of a pool.
any_function python_find(const std::string &module, const std::string &function,
                         const wanted_function &wanted, std::string *why);

// What a function has thrown since it was last asked: ": ValueError: ... (spring.py:3)".
std::string python_complaint();

}  // namespace perp::io

#endif
