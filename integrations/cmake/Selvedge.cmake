# Selvedge in CMake's tests:
#
#     include(Selvedge)
#     selvedge_add_check(queue_is_right
#         SOURCES queue.c queue_test.c
#         INCLUDES include
#         DEFINES SMALL=1
#         OPTIONS --property assertion,data-race
#         ARGS 2 3
#         TIMEOUT 60)
#
# adds the test `queue_is_right`: it passes if the program is verified, fails with the finding if it
# is violated, and is skipped if nothing can be said (`REQUIRE_PROOF`: fails then, too).
# `selvedge` is searched for on PATH; SELVEDGE_EXECUTABLE says where it is.

find_program(SELVEDGE_EXECUTABLE selvedge DOC "The command selvedge")

function(selvedge_add_check name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "REQUIRE_PROOF" "TIMEOUT" "SOURCES;INCLUDES;DEFINES;OPTIONS;ARGS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "selvedge_add_check(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT arg_SOURCES)
        message(FATAL_ERROR "selvedge_add_check(${name}): no SOURCES")
    endif()
    if(NOT SELVEDGE_EXECUTABLE)
        message(FATAL_ERROR "selvedge_add_check(${name}): selvedge was not found; set SELVEDGE_EXECUTABLE")
    endif()
    set(command "${SELVEDGE_EXECUTABLE}" check --finding "${CMAKE_CURRENT_BINARY_DIR}/${name}.finding.json")
    if(arg_TIMEOUT)
        list(APPEND command --max-time "${arg_TIMEOUT}s")
    endif()
    foreach(directory IN LISTS arg_INCLUDES)
        get_filename_component(directory "${directory}" ABSOLUTE)
        list(APPEND command -I "${directory}")
    endforeach()
    foreach(definition IN LISTS arg_DEFINES)
        list(APPEND command -D "${definition}")
    endforeach()
    list(APPEND command ${arg_OPTIONS})
    foreach(source IN LISTS arg_SOURCES)
        get_filename_component(source "${source}" ABSOLUTE)
        list(APPEND command "${source}")
    endforeach()
    if(arg_ARGS)
        list(APPEND command -- ${arg_ARGS})
    endif()
    add_test(NAME "${name}" COMMAND ${command})
    # Exit code 5 says that nothing can be said.
    if(NOT arg_REQUIRE_PROOF)
        set_tests_properties("${name}" PROPERTIES SKIP_RETURN_CODE 5)
    endif()
endfunction()
