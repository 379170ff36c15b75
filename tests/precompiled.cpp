// SPDX-License-Identifier: MIT
// The templates that precompiled.hpp declares.
#include "precompiled.hpp"

EXPAND_TEMPLATES()
