# What `cmake --install` brings: the program, both libraries, the headers, and a package that exports
# limelight::limelight (the engine) and limelight::model.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/limelight)

install(DIRECTORY include/limelight DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(TARGETS limelight EXPORT limelight-engine)
install(TARGETS limelight_model EXPORT limelight-model)
if(TARGET limelight_program)
  install(TARGETS limelight_program)
endif()

foreach(part engine model)
  install(EXPORT limelight-${part} NAMESPACE limelight:: DESTINATION ${package_folder})
endforeach()
configure_package_config_file(cmake/limelight-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/limelight-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/limelight-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/limelight-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/limelight-config-version.cmake
        DESTINATION ${package_folder})
