/* SPDX-License-Identifier: MIT */
/* A pool of threads for loops of microseconds. The caller publishes a loop by counting turn up,
 * does its own part, and waits until nobody is left. Who waits looks again and again for a while,
 * and only then sleeps; who publishes wakes sleepers up. In perp::perp only. */
#include "perp/heap.h"

#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__) && !defined(_WIN32)
#include <pthread.h>
#include <sched.h>

enum { MOST_WORKERS = 256, LOOKS = 2000, HASTY = 100, LINE = 64 };

/* A helper, on lines of its own: others only read turn of it, which says what it has done. */
typedef struct helper {
  uint32_t turn;
  int32_t worker;
  perp_threads *pool;
  pthread_t thread;
  char apart[LINE];
} helper;

/* What a loop is lies with turn on one line, so that it arrives with it. */
struct perp_threads {
  perp_parallel_body body;
  void *ctx;
  int32_t chunks;
  uint32_t turn;
  int32_t workers, helpers; /* helpers that run: workers - 1     */
  int32_t quit;
  char apart[LINE];
  int32_t asleep; /* helpers that may need to be woken */
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  void *block; /* from malloc                       */
  char behind[LINE];
  helper list[MOST_WORKERS];
};

static inline void rest(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

static void do_part(const perp_threads *p, int32_t worker) {
  const int64_t chunks = p->chunks;
  const int32_t begin = (int32_t)(chunks * worker / p->workers);
  const int32_t end = (int32_t)(chunks * (worker + 1) / p->workers);
  if (begin < end) p->body(begin, end, worker, p->ctx);
}

static uint32_t turn_of(perp_threads *p) { return __atomic_load_n(&p->turn, __ATOMIC_SEQ_CST); }

/* Between two looks: hardly at first, as it mostly is a matter of a microsecond. */
static inline void look_away(int looks) {
  if (looks >= HASTY) rest();
}

/* Wait for a turn after seen. */
static uint32_t next_turn(perp_threads *p, uint32_t seen) {
  for (int k = 0; k < LOOKS; k++) {
    const uint32_t turn = turn_of(p);
    if (turn != seen) return turn;
    look_away(k);
  }
  /* first asleep, then a last look: who publishes counts first and looks at asleep then */
  pthread_mutex_lock(&p->mutex);
  __atomic_add_fetch(&p->asleep, 1, __ATOMIC_SEQ_CST);
  while (turn_of(p) == seen) pthread_cond_wait(&p->wake, &p->mutex);
  __atomic_sub_fetch(&p->asleep, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&p->mutex);
  return turn_of(p);
}

static void *help(void *user) {
  helper *h = user;
  perp_threads *p = h->pool;
  uint32_t seen = 0;
  for (;;) {
    seen = next_turn(p, seen);
    if (p->quit) return NULL;
    do_part(p, h->worker);
    __atomic_store_n(&h->turn, seen, __ATOMIC_RELEASE);
  }
}

static void publish(perp_threads *p) {
  __atomic_add_fetch(&p->turn, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&p->asleep, __ATOMIC_SEQ_CST) == 0) return;
  pthread_mutex_lock(&p->mutex);
  pthread_cond_broadcast(&p->wake);
  pthread_mutex_unlock(&p->mutex);
}

static void wait_for(const perp_threads *p, const helper *h) {
  for (int k = 0; __atomic_load_n(&h->turn, __ATOMIC_ACQUIRE) != p->turn; k++)
    if (k < LOOKS)
      look_away(k);
    else
      sched_yield(); /* it has lost its processor */
}

void perp_threads_for(int32_t chunks, perp_parallel_body body, void *ctx, void *user) {
  perp_threads *p = user;
  if (chunks <= 0 || body == NULL) return;
  if (p == NULL || p->workers == 1 || chunks == 1) {
    body(0, chunks, 0, ctx);
    return;
  }
  p->body = body;
  p->ctx = ctx;
  p->chunks = chunks;
  publish(p);
  do_part(p, 0);
  for (int32_t k = 0; k < p->helpers; k++) wait_for(p, &p->list[k]);
}

void perp_threads_destroy(perp_threads *threads) {
  if (threads == NULL) return;
  threads->quit = 1;
  publish(threads);
  for (int32_t k = 0; k < threads->helpers; k++) pthread_join(threads->list[k].thread, NULL);
  pthread_cond_destroy(&threads->wake);
  pthread_mutex_destroy(&threads->mutex);
  free(threads->block);
}

static int open_lock(perp_threads *p) {
  if (pthread_mutex_init(&p->mutex, NULL) != 0) return 0;
  if (pthread_cond_init(&p->wake, NULL) == 0) return 1;
  pthread_mutex_destroy(&p->mutex);
  return 0;
}

perp_status perp_threads_create(perp_threads **out, int32_t workers) {
  if (out == NULL) return PERP_EINVAL;
  *out = NULL;
  if (workers < 1 || workers > MOST_WORKERS) return PERP_EINVAL;
  unsigned char *block = malloc(sizeof(perp_threads) + LINE);
  if (block == NULL) return PERP_EBACKEND;
  perp_threads *p = (void *)(block + (LINE - (uintptr_t)block % LINE) % LINE);
  memset(p, 0, sizeof *p);
  p->block = block;
  p->workers = workers;
  if (!open_lock(p)) {
    free(block);
    return PERP_EBACKEND;
  }
  for (; p->helpers < workers - 1; p->helpers++) {
    helper *h = &p->list[p->helpers];
    h->pool = p;
    h->worker = p->helpers + 1;
    if (pthread_create(&h->thread, NULL, help, h) != 0) {
      perp_threads_destroy(p);
      return PERP_EBACKEND;
    }
  }
  *out = p;
  return PERP_OK;
}

#else /* no POSIX threads: a pool of one */

struct perp_threads {
  int32_t workers;
};

void perp_threads_for(int32_t chunks, perp_parallel_body body, void *ctx, void *user) {
  (void)user;
  if (chunks > 0 && body != NULL) body(0, chunks, 0, ctx);
}

void perp_threads_destroy(perp_threads *threads) { free(threads); }

perp_status perp_threads_create(perp_threads **out, int32_t workers) {
  if (out == NULL) return PERP_EINVAL;
  *out = workers >= 1 && workers <= 256 ? malloc(sizeof **out) : NULL;
  if (*out == NULL) return workers >= 1 && workers <= 256 ? PERP_EBACKEND : PERP_EINVAL;
  (*out)->workers = 1;
  return PERP_OK;
}

#endif
