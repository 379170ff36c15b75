/* SPDX-License-Identifier: MIT */
/* Parts of the state block of a model with a pool, as far as contacts stand: what lies behind them
 * is 0 and is neither copied nor read, however large the pool; all of it where systems sleep. */
#include <string.h>

#include "stepping/pool_places.h"
#include "stepping/pool_swept.h"

/* Rows of the state of one place: none where contacts are swept. */
static size_t rows_of(const pool_memory *memory) {
  return memory->swept != NULL ? 0 : (size_t)memory->rows;
}

static int32_t count_of(const pool_memory *memory) {
  return memory->swept != NULL ? memory->swept->count : memory->count;
}

void perp_pool_clear(perp_simulation *sim, int32_t first, int32_t end) {
  const pool_memory *memory = sim->pool;
  if (first >= end) return;
  const size_t count = (size_t)(end - first), per = rows_of(memory), rows = count * per;
  const size_t row = memory->row0 + (size_t)first * per;
  memset(&memory->places[first], 0, count * sizeof *memory->places);
  memset(sim->state.lambda + row, 0, rows * sizeof(double));
  memset(sim->state.y + row, 0, rows * sizeof(double));
  memset(sim->state.ydot + row, 0, rows * sizeof(double));
  memset(sim->state.modes + row, PERP_MODE_UNKNOWN, rows);
  memset(sim->state.laws + memory->state0 + (size_t)first * memory->state_bytes, 0,
         count * memory->state_bytes);
}

/* Copy what the block holds at a pointer into it. */
static void copy(const perp_simulation *sim, int back, const void *at, size_t bytes) {
  unsigned char *block = (unsigned char *)sim->state.head;
  const size_t offset = (size_t)((const unsigned char *)at - block);
  unsigned char *state = block + offset, *backup = sim->state.backup + offset;
  memcpy(back ? state : backup, back ? backup : state, bytes);
}

void perp_pool_backup(perp_simulation *sim, int back) {
  pool_memory *memory = sim->pool;
  const simulation_state *s = &sim->state;
  if (memory->swept != NULL && memory->swept->sleep.awake != NULL) { /* contacts stand at the end */
    memory->backup_count = memory->capacity;
    copy(sim, back, s->head, s->bytes);
    return;
  }
  if (back)
    perp_pool_clear(sim, memory->backup_count, count_of(memory));
  else
    memory->backup_count = count_of(memory);
  const size_t count = (size_t)memory->backup_count;
  const size_t rows = memory->row0 + count * rows_of(memory);
  const size_t begin = (size_t)((const char *)s->lambda - (const char *)s->head);
  copy(sim, back, s->head, begin + rows * sizeof(double));
  copy(sim, back, s->y, rows * sizeof(double));
  copy(sim, back, s->ydot, rows * sizeof(double));
  copy(sim, back, s->laws, memory->state0 + count * memory->state_bytes);
  copy(sim, back, s->modes, rows);
  copy(sim, back, memory->places, count * sizeof *memory->places);
  if (s->off != NULL) copy(sim, back, s->off, (size_t)sim->n_systems);
}
