/* SPDX-License-Identifier: MIT */
/* The contacts of a pool in a log: as many as there are, one list with each sample. */
#include <stdlib.h>

#include "base/info.h"
#include "log/log.h"

static unsigned char *put_contact(unsigned char *to, const perp_log_contact *c, int32_t float32) {
  double values[LOG_CONTACT_VALUES];
  for (int32_t s = 0; s < 2; s++) to = put_i32(to, c->systems[s]);
  for (int32_t s = 0; s < 2; s++) to = put_u32(to, c->identity[s]);
  to = put_i32(to, c->law);
  to = put_i32(to, c->rows);
  values[0] = c->gap;
  memcpy(values + 1, c->point, sizeof c->point);
  memcpy(values + 4, c->normal, sizeof c->normal);
  memcpy(values + 7, c->tangent, sizeof c->tangent);
  memcpy(values + 10, c->lambda, sizeof c->lambda);
  return float32 ? put_f32s(to, LOG_CONTACT_VALUES, values)
                 : put_f64s(to, LOG_CONTACT_VALUES, values);
}

void perp_log_get_contacts(const unsigned char *at, size_t n, int32_t float32,
                           perp_log_contact *to) {
  double values[LOG_CONTACT_VALUES] = {0};
  for (perp_log_contact *c = to; c < to + n; c++, at += log_contact_bytes(float32)) {
    for (int32_t s = 0; s < 2; s++) c->systems[s] = get_i32(at + 4 * s);
    for (int32_t s = 0; s < 2; s++) c->identity[s] = get_u32(at + 8 + 4 * s);
    c->law = get_i32(at + 16);
    c->rows = get_i32(at + 20);
    if (float32)
      get_f32s(at + LOG_CONTACT_NUMBERS, LOG_CONTACT_VALUES, values);
    else
      get_f64s(at + LOG_CONTACT_NUMBERS, LOG_CONTACT_VALUES, values);
    c->gap = values[0];
    memcpy(c->point, values + 1, sizeof c->point);
    memcpy(c->normal, values + 4, sizeof c->normal);
    memcpy(c->tangent, values + 7, sizeof c->tangent);
    memcpy(c->lambda, values + 10, sizeof c->lambda);
  }
}

int perp_log_list_contact(perp_log *log, int32_t n, const perp_log_contact *c) {
  const size_t each = log_contact_bytes(log->schema.float32), before = (size_t)n * each;
  if (before + each > log->contacts_room) {
    if (before > (size_t)-1 / 2 - each) return 0;
    const size_t room = 2 * before + 16 * each;
    unsigned char *const longer = realloc(log->contacts, room);
    if (longer == NULL) return 0;
    log->contacts = longer;
    log->contacts_room = room;
  }
  put_contact(log->contacts + before, c, log->schema.float32);
  return 1;
}

perp_status perp_log_put_contacts(perp_log *log, double t, int32_t n, perp_info *info) {
  unsigned char head[LOG_CONTACT_HEAD];
  if (log->failed != NULL) return perp_log_answer(log, info);
  put_u32(put_u32(put_f64(head, t), (uint32_t)n), 0);
  const log_piece before = {head, sizeof head},
                  behind = {log->contacts, (size_t)n * log_contact_bytes(log->schema.float32)};
  return perp_log_put_record(log, PERP_LOG_CONTACT_LIST, before, behind, info);
}

perp_status perp_log_add_contacts(perp_log *log, double t, const perp_log_contact *list, int32_t n,
                                  perp_info *info) {
  info_clear(info);
  if (log == NULL) return fail_field(info, "log", -1);
  if (n < 0) return fail(info, PERP_EINVAL, "n_contacts", -1, n);
  if (n > 0 && list == NULL) return fail_field(info, "list", -1);
  for (int32_t i = 0; log->failed == NULL && i < n; i++)
    if (!perp_log_list_contact(log, i, list + i))
      return fail(info, PERP_EBACKEND, "malloc", -1,
                  (double)n * (double)log_contact_bytes(log->schema.float32));
  return perp_log_put_contacts(log, t, n, info);
}
