/* SPDX-License-Identifier: MIT */
/* perp_log.mex for Octave (and MATLAB's mex), made by
 *
 *   mkoctfile --mex perp_log.c $(pkg-config --cflags --libs perp)
 *
 *   log = perp_log(FILE)          a struct: text fields program, model_name, model, options;
 * samples and ended; t, samples x 1 (where there are quantities); and for each kind of systems and
 * interactions a struct of its quantities, members x components x samples (a member's component
 * over time: squeeze(log.ball.q(1, 1, :))) t = perp_log(FILE, "ball.q")  that quantity alone, as
 * [x, t]
 *
 * Names that are no names of Octave have "_" in place of what they may not have. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mex.h"
#include "perp/heap.h"
#include "perp/log.h"

static perp_log_reader *reader; /* closed before an error leaves, and at the next call */

static void fail(perp_status status, const perp_info *info, const char *file) {
  char text[512];
  (void)perp_explain(status, info, 1, text, sizeof text);
  perp_log_reader_close(reader);
  reader = NULL;
  mexErrMsgIdAndTxt("perp:log", "%s: %s", file, text);
}

/* The name of a field, which lives until the next call. */
static const char *field(const char *name) {
  static char out[64];
  size_t n = 0;
  if (!isalpha((unsigned char)*name)) out[n++] = 'x';
  for (; *name != 0 && n + 1 < sizeof out; name++)
    out[n++] = isalnum((unsigned char)*name) || *name == '_' ? *name : '_';
  out[n] = 0;
  return out;
}

static mxArray *values(int32_t quantity, const perp_log_quantity *q, int64_t samples, double *times,
                       const char *file) {
  const mwSize size[3] = {(mwSize)q->members, (mwSize)q->components, (mwSize)samples};
  mxArray *out = mxCreateNumericArray(3, size, mxDOUBLE_CLASS, mxREAL);
  const size_t members = (size_t)q->members, components = (size_t)q->components;
  const size_t each = members * components;
  double *const read = (double *)mxMalloc((size_t)samples * each * sizeof *read + 1);
  perp_info info = PERP_INFO_INIT;
  const perp_status status =
      samples == 0 ? PERP_OK
                   : perp_log_reader_read(reader, quantity, 0, samples, 1, times, read, &info);
  if (status != PERP_OK) fail(status, &info, file);
  double *to = mxGetPr(out);
  const double *from = read;
  for (int64_t k = 0; k < samples; k++, to += each, from += each)
    for (size_t i = 0; i < members; i++) /* by members in the file, by columns here */
      for (size_t j = 0; j < components; j++) to[i + members * j] = from[i * components + j];
  mxFree(read);
  return out;
}

static void put(mxArray *to, const char *name, mxArray *value) {
  if (mxGetFieldNumber(to, name) < 0) (void)mxAddField(to, name);
  mxSetField(to, 0, name, value);
}

static mxArray *whole(const perp_log_schema *schema, const perp_log_summary *s, const char *file) {
  mxArray *log = mxCreateStructMatrix(1, 1, 0, NULL);
  put(log, "program", mxCreateString(schema->program));
  put(log, "model_name", mxCreateString(schema->model_name));
  put(log, "model", mxCreateString(schema->model));
  put(log, "options", mxCreateString(schema->options));
  put(log, "samples", mxCreateDoubleScalar((double)s->samples));
  put(log, "ended", mxCreateDoubleScalar(s->ended));
  mxArray *t = mxCreateDoubleMatrix((mwSize)s->samples, 1, mxREAL);
  for (int32_t i = 0; i < schema->n_quantities; i++) {
    const perp_log_quantity *q = &schema->quantities[i];
    mxArray *kind = mxGetField(log, 0, field(q->kind));
    if (kind == NULL) {
      kind = mxCreateStructMatrix(1, 1, 0, NULL);
      put(log, field(q->kind), kind);
    } else if (!mxIsStruct(kind)) { /* "model": a kind that is called as a field is */
      continue;
    }
    put(kind, field(q->name), values(i, q, s->samples, mxGetPr(t), file));
  }
  put(log, "t", t);
  return log;
}

void mexFunction(int n_out, mxArray *out[], int n_in, const mxArray *in[]) {
  (void)n_out;
  if (n_in < 1 || n_in > 2 || !mxIsChar(in[0]) || (n_in == 2 && !mxIsChar(in[1])))
    mexErrMsgIdAndTxt("perp:log", "expected perp_log(FILE) or perp_log(FILE, \"KIND.QUANTITY\")");
  char *const file = mxArrayToString(in[0]);
  perp_log_reader_close(reader);
  reader = NULL;
  perp_info info = PERP_INFO_INIT;
  const perp_status status = perp_log_reader_open(&reader, file, &info);
  if (status != PERP_OK) fail(status, &info, file);
  perp_log_summary s = PERP_LOG_SUMMARY_INIT;
  (void)perp_log_reader_summary(reader, &s);
  const perp_log_schema *schema = perp_log_reader_schema(reader);
  if (n_in == 1) {
    out[0] = whole(schema, &s, file);
  } else {
    char *const name = mxArrayToString(in[1]);
    const int32_t i = perp_log_reader_find(reader, name);
    if (i < 0) {
      perp_log_reader_close(reader);
      reader = NULL;
      mexErrMsgIdAndTxt("perp:log", "%s: no quantity is called %s", file, name);
    }
    mxArray *t = mxCreateDoubleMatrix((mwSize)s.samples, 1, mxREAL);
    out[0] = values(i, &schema->quantities[i], s.samples, mxGetPr(t), file);
    if (n_out > 1) out[1] = t;
    mxFree(name);
  }
  mxFree(file);
  perp_log_reader_close(reader);
  reader = NULL;
}
