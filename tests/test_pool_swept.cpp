// SPDX-License-Identifier: MIT
// The tests of pools where contacts are swept body by body.
#define PERP_TESTS_SWEPT
#define Pool PoolSwept
#include "test_pool.cpp"
