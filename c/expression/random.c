/* SPDX-License-Identifier: MIT */
/* Numbers drawn by a seed and a count k, in any order: output k of SplitMix64 from that seed
 * [Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014], and for the
 * normal distribution output k from the complement of the seed through its inverse, algorithm
 * AS 241 [Wichura, Applied Statistics 37 (1988) 477-484], within 1e-15. Of basic operations, sqrt
 * and the logarithm of base/elementary.h, so that the bits are the same everywhere. */
#include "base/elementary.h"
#include "expression/nodes.h"

static uint64_t output(uint64_t seed, uint64_t k) {
  uint64_t z = seed + (k + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static int is_whole(double x) { return fabs(x) <= 9007199254740992.0 && x == floor(x); }

static uint64_t bits_of_whole(double x) { return (uint64_t)(int64_t)x; }

double perp_expression_uniform(double seed, double k) {
  if (!is_whole(seed) || !is_whole(k)) return NAN;
  return (double)(output(bits_of_whole(seed), bits_of_whole(k)) >> 11) * 0x1p-53;
}

/* A quotient of two polynomials of degree 7, constants first. */
static double quotient(const double *above, const double *below, double r) {
  double a = above[7], b = below[7];
  for (int k = 6; k >= 0; k--) a = a * r + above[k], b = b * r + below[k];
  return a / b;
}

/* The x that a normal number is below with probability p, 0 < p < 1. */
static double inverse_normal(double p) {
  static const double centre[2][8] = {
      {3.3871328727963666080, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
       1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
       3.3430575583588128105e+4, 2.5090809287301226727e+3},
      {1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
       2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
       5.2264952788528545610e+3}};
  static const double tail[2][8] = {
      {1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550,
       3.64784832476320460504, 1.27045825245236838258, 2.41780725177450611770e-1,
       2.27238449892691845833e-2, 7.74545014278341407640e-4},
      {1, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1,
       1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
       1.05075007164441684324e-9}};
  static const double far[2][8] = {
      {6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580,
       2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
       2.71155556874348757815e-5, 2.01033439929228813265e-7},
      {1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
       7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
       2.04426310338993978564e-15}};
  const double q = p - 0.5;
  if (fabs(q) <= 0.425) return q * quotient(centre[0], centre[1], 0.180625 - q * q);
  const double r = sqrt(-perp_log(q < 0 ? p : 1 - p));
  const double x = r <= 5 ? quotient(tail[0], tail[1], r - 1.6) : quotient(far[0], far[1], r - 5);
  return q < 0 ? -x : x;
}

double perp_expression_normal(double seed, double k) {
  if (!is_whole(seed) || !is_whole(k)) return NAN;
  const uint64_t bits = output(~bits_of_whole(seed), bits_of_whole(k)) >> 12;
  return inverse_normal(((double)bits + 0.5) * 0x1p-52);
}
