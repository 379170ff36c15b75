# SPDX-License-Identifier: MIT
# PERP_EXACT_OPTIONS: what makes a compiler round every operation once, as IEEE 754 and C say, so
# that all platforms have the same bits. -ffp-contract=off is not enough with gcc (12, at least): its
# vectoriser still takes a product and an alternating sum into one instruction, where there is one.
set(PERP_EXACT_OPTIONS $<$<C_COMPILER_ID:GNU,Clang,AppleClang>:-ffp-contract=off>)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  include(CheckCSourceCompiles)
  check_c_source_compiles("#if !defined(__FMA__) && !defined(__FMA4__) && !defined(__AVX512F__)
    #error
    #endif
    int main(void) { return 0; }" PERP_ON_X86_FMA)
  check_c_source_compiles("#if !defined(__ARM_FEATURE_COMPLEX) && !defined(__ARM_FEATURE_SVE)
    #error
    #endif
    int main(void) { return 0; }" PERP_ON_ARM_COMPLEX)
  if(PERP_ON_X86_FMA)
    list(APPEND PERP_EXACT_OPTIONS -mno-fma -mno-fma4 -mno-avx512f)
  elseif(PERP_ON_ARM_COMPLEX)
    list(APPEND PERP_EXACT_OPTIONS -fno-tree-vectorize)
  endif()
endif()
