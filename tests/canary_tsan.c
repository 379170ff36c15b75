/* SPDX-License-Identifier: MIT */
/* A data race: fails under the thread sanitizer, and only there. */
#include <pthread.h>
#include <stdio.h>

static int shared;

static void *add(void *times) {
  for (int i = 0; i < *(const int *)times; i++) shared++;
  return NULL;
}

int main(void) {
  int times = 1000;
  pthread_t other;
  if (pthread_create(&other, NULL, add, &times) != 0) return 0;
  add(&times);
  pthread_join(other, NULL);
  printf("%d\n", shared);
  return 0;
}
