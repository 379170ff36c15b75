/* SPDX-License-Identifier: MIT */
#include "base/fingerprint.h"

#include "base/finite.h"

void perp_fingerprint_add(perp_fingerprint *f, size_t n, const double *x) {
  fingerprint_mix(&f->hash, x == NULL ? 0 : (uint64_t)n + 1);
  for (size_t i = 0; x != NULL && i < n; i++) fingerprint_mix(&f->hash, bits_of(x[i]));
}
