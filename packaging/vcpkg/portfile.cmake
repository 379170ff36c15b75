# SPDX-License-Identifier: MIT
vcpkg_download_distfile(archive URLS "@URL@" FILENAME "perp-@VERSION@.tar.gz" SHA512 @SHA512@)
vcpkg_extract_source_archive(source ARCHIVE "${archive}")
vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES full PERP_FULL)
vcpkg_cmake_configure(SOURCE_PATH "${source}"
  OPTIONS ${options} -DPERP_TOOL=OFF -DPERP_FORTRAN=OFF -DPERP_EXAMPLES=OFF -DPERP_TESTS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/perp)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
