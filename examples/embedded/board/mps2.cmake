# SPDX-License-Identifier: MIT
# The MPS2 board that has the processor PERP_ARM_CPU: where things are, how an image is linked for it
# and how QEMU runs it.
set(BOARD_STACK 32768 CACHE STRING "Bytes of the stack")
if(PERP_ARM_CPU STREQUAL "cortex-m33") # secure addresses: the processor starts in the secure state
  set(machine mps2-an505)
  set(addresses -Wl,--defsym=board_code=0x10000000 -Wl,--defsym=board_ram=0x38000000)
  set(clock BOARD_TIMER=0x50000000u BOARD_TICK_NS=50u)
else()
  set(machine mps2-an500)
  if(PERP_ARM_CPU STREQUAL "cortex-m4")
    set(machine mps2-an386)
  endif()
  set(addresses -Wl,--defsym=board_code=0x00000000 -Wl,--defsym=board_ram=0x20000000)
  set(clock BOARD_TIMER=0x40000000u BOARD_TICK_NS=40u)
endif()

target_sources(board PRIVATE board/mps2.c
  INTERFACE ${CMAKE_CURRENT_LIST_DIR}/startup.c) # the root of every image, so not in an archive
set_target_properties(board PROPERTIES BOARD_MACHINE ${machine})
target_compile_definitions(board PUBLIC ${clock})
target_link_options(board INTERFACE ${addresses} -Wl,--defsym=board_stack_bytes=${BOARD_STACK}
  -T ${CMAKE_CURRENT_LIST_DIR}/mps2.ld)

# board_program(NAME [SHIFT]): an instruction takes 2^SHIFT ns of virtual time. 5 counts to two
# instructions; 3 is a processor of 125 million instructions a second. Without it nothing can be
# counted, but QEMU is faster.
function(board_program name)
  get_target_property(machine board BOARD_MACHINE)
  set(run qemu-system-arm -M ${machine} -nodefaults -nic none -display none
    -chardev stdio,id=console -semihosting-config enable=on,target=native,chardev=console)
  set(shift 0)
  if(ARGC GREATER 1)
    set(shift ${ARGV1})
    list(APPEND run -icount shift=${shift})
  endif()
  target_link_options(${name} PRIVATE -Wl,--defsym=board_shift=${shift} -Wl,-Map=$<TARGET_FILE:${name}>.map)
  set_target_properties(${name} PROPERTIES CROSSCOMPILING_EMULATOR "${run};-kernel")
  file(GENERATE OUTPUT $<TARGET_FILE:${name}>.run CONTENT "${run};-kernel;$<TARGET_FILE:${name}>")
endfunction()

foreach(name check fault)
  add_executable(board_${name} board/${name}.c)
  target_link_libraries(board_${name} PRIVATE board)
  board_program(board_${name} 5)
  add_test(NAME board_${name} COMMAND board_${name})
endforeach()
set_tests_properties(board_fault PROPERTIES
  PASS_REGULAR_EXPRESSION "fault\n# configurable fault status")
