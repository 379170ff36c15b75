// SPDX-License-Identifier: MIT
// SANITIZED: whether the tests run under the address sanitizer, whose allocator aborts where malloc
// says NULL.
#ifndef PERP_TESTS_SANITIZED_HPP
#define PERP_TESTS_SANITIZED_HPP

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED 0
#endif

#endif
