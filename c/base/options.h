/* SPDX-License-Identifier: MIT */
/* Option structs that can grow: the library reads what both sides know, and refuses a field that
 * only the caller knows and has set. Every options struct begins with uint32_t struct_size. */
#ifndef PERP_BASE_OPTIONS_H
#define PERP_BASE_OPTIONS_H

#include <stddef.h>

#include "perp/base.h"

/* Bytes of a struct through a field. What a caller's struct_size is held against is the size that
 * the struct had in its first release, through its last field then: a field that is added behind it
 * leaves programs that were compiled before valid. */
#define PERP_THROUGH(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/* Copy the defaults, of which the caller's struct knows the first size bytes, into out; zero the
 * fields that only the caller knows, set struct_size to size. A size that no options struct has
 * (above 4096) leaves struct_size 0, which perp_options_read() refuses. */
void perp_options_fill(void *out, size_t size, const void *defaults, size_t defaults_size);

/* out (out_size bytes, holding the defaults) := in where the caller knows it. in NULL keeps the
 * defaults. v1_size is the size of the first published struct; less is PERP_EINVAL, as is a
 * non-zero byte beyond out_size; out then keeps the defaults. Sets out's struct_size to out_size.
 */
perp_status perp_options_read(void *out, size_t out_size, const void *in, size_t v1_size);

/* Whether a view of the caller's, of which we know ours bytes and which had v1_size in its first
 * release, says its size and sets nothing that only the caller knows. */
int perp_options_known(const void *in, size_t ours, size_t v1_size);

/* The other direction: out, of which the caller knows as many bytes as its struct_size says := in
 * (in_size bytes), but for struct_size. A struct_size below v1_size is PERP_EINVAL; out is then
 * left alone. */
perp_status perp_options_answer(void *out, const void *in, size_t in_size, size_t v1_size);

#endif
