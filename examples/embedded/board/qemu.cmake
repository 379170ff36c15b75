# SPDX-License-Identifier: MIT
# The board in QEMU that has the processor: where things are, how an image is linked for it and how QEMU runs it.
set(stack 32768)
set(BOARD_SPEED 3) # 125 million instructions a second; 2 is twice that, where all arithmetic is in software
set(code 0x00000000 0x200000)
set(ram 0x20000000 0x200000)
set(qemu qemu-system-arm)
set(sources cortex_m.c)
set(start cortex_m_start.c)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "riscv32")
  set(qemu qemu-system-riscv32 -bios none)
  set(machine virt -cpu rv32,f=false,d=false)
  set(code 0x80000000 0x200000)
  set(ram 0x80400000 0x200000)
  set(clock BOARD_TICK_PS=1000u)
  set(BOARD_SPEED 2)
  set(sources)
  set(start virt.c)
elseif(PERP_ARM_CPU MATCHES "^cortex-m0") # Armv6-M both: an nRF51 runs what is tuned for an M0+, too
  set(machine microbit)
  set(code 0x00000000 0x40000)
  set(ram 0x20000000 0x4000)
  set(stack 8192)
  set(BOARD_SPEED 2)
  set(clock BOARD_NRF51 BOARD_TIMER=0x40008000u BOARD_TICK_PS=62500u)
elseif(PERP_ARM_CPU STREQUAL "cortex-m33") # secure addresses: the processor starts in the secure state
  set(machine mps2-an505)
  set(code 0x10000000 0x200000)
  set(ram 0x38000000 0x200000)
  set(clock BOARD_TIMER=0x50000000u BOARD_TICK_PS=50000u)
else()
  set(machines cortex-m3 mps2-an385 cortex-m4 mps2-an386 cortex-m7 mps2-an500)
  list(FIND machines ${PERP_ARM_CPU} at)
  math(EXPR at "${at} + 1")
  list(GET machines ${at} machine)
  set(clock BOARD_TIMER=0x40000000u BOARD_TICK_PS=40000u)
endif()
set(BOARD_STACK ${stack} CACHE STRING "Bytes of the stack")

list(TRANSFORM sources PREPEND board/)
target_sources(board PRIVATE board/qemu.c ${sources}
  INTERFACE ${CMAKE_CURRENT_LIST_DIR}/${start}) # the root of every image, so not in an archive
set_target_properties(board PROPERTIES BOARD_RUN "${qemu};-M;${machine}")
target_compile_definitions(board PUBLIC ${clock})
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "riscv32" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  target_compile_options(board PUBLIC -misa-spec=2.2) # where I has the control registers
endif()
foreach(memory code ram)
  list(GET ${memory} 0 origin)
  list(GET ${memory} 1 bytes)
  target_link_options(board INTERFACE -Wl,--defsym=board_${memory}=${origin} -Wl,--defsym=board_${memory}_bytes=${bytes})
endforeach()
target_link_options(board INTERFACE -T ${CMAKE_CURRENT_LIST_DIR}/image.ld)

# board_program(NAME [SHIFT [STACK]]): an instruction takes 2^SHIFT ns of virtual time. 5 counts to two
# instructions; 3 is a processor of 125 million instructions a second. Without it nothing can be
# counted, but QEMU is faster. STACK: bytes, if not BOARD_STACK.
function(board_program name)
  get_target_property(run board BOARD_RUN)
  list(APPEND run -nodefaults -nic none -display none
    -chardev stdio,id=console -semihosting-config enable=on,target=native,chardev=console)
  set(shift 0)
  if(ARGC GREATER 1)
    set(shift ${ARGV1})
    list(APPEND run -icount shift=${shift})
  endif()
  set(stack ${BOARD_STACK})
  if(ARGC GREATER 2)
    set(stack ${ARGV2})
  endif()
  target_link_options(${name} PRIVATE -Wl,--defsym=board_stack_bytes=${stack}
    -Wl,--defsym=board_shift=${shift} -Wl,-Map=$<TARGET_FILE:${name}>.map)
  set_target_properties(${name} PROPERTIES CROSSCOMPILING_EMULATOR "${run};-kernel")
  file(GENERATE OUTPUT $<TARGET_FILE:${name}>.run CONTENT "${run};-kernel;$<TARGET_FILE:${name}>")
endfunction()

foreach(name check fault)
  add_executable(board_${name} board/${name}.c)
  target_link_libraries(board_${name} PRIVATE board)
  board_program(board_${name} 5)
  add_test(NAME board_${name} COMMAND board_${name})
endforeach()
set_tests_properties(board_fault PROPERTIES PASS_REGULAR_EXPRESSION "fault\n# ")
