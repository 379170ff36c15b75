/* SPDX-License-Identifier: MIT */
/** @file log.h
 * The log of a run: a file that only grows, in which nothing is lost that was written, in
 * perp::perp only. One writer (::perp_log) and one reader (::perp_log_reader), for all languages
 * and tools.
 *
 * What is logged are *quantities*: q, v, λ ... of a *kind* of systems or interactions, each a block
 * of members x components numbers, component by component within a member. A *sample* is a time and
 * the values of all quantities, one after another in their order. Beside samples there are events,
 * checkpoints, notes, and the end.
 *
 * ## The file, byte by byte
 * All numbers are little-endian; f64 and f32 are IEEE 754, u16, u32, u64 unsigned, i32 two's
 * complement. A *text* is u32 n and n bytes of UTF-8 without a 0. CRC-32C is that of Castagnoli:
 * polynomial 0x1EDC6F41, reflected, start and final xor 0xFFFFFFFF ("123456789" gives 0xE3069283).
 *
 * Head, 16 bytes:
 * |  at | bytes | what                                                            |
 * |-----|-------|-----------------------------------------------------------------|
 * |   0 |     8 | 89 50 4C 4F 47 0D 0A 1A (89, P L O G CR LF SUB)                 |
 * |   8 |     2 | u16 major version, 1: a reader refuses a newer one              |
 * |  10 |     2 | u16 minor version, 0: a newer one has more, and is read         |
 * |  12 |     4 | u32 CRC-32C of bytes 0 ... 11                                   |
 *
 * Then blocks, each of 32 bytes, a payload, and 0 ... 7 bytes 0 up to a multiple of 8:
 * |  at | bytes | what                                                            |
 * |-----|-------|-----------------------------------------------------------------|
 * |   0 |     4 | 50 4C 42 4B (P L B K)                                           |
 * |   4 |     4 | u32 type, PERP_LOG_BEGIN ...; a reader skips what it does not know |
 * |   8 |     8 | u64 bytes of the payload                                        |
 * |  16 |     8 | u64 number of the block, 0, 1, 2 ...                            |
 * |  24 |     4 | u32 records in the payload                                      |
 * |  28 |     4 | u32 CRC-32C of bytes 0 ... 27, the payload and the bytes 0 behind it |
 *
 * What the file says ends before the first block that is not whole: cut short, of another magic or
 * number, of another CRC, or of a length that its records cannot have. Payloads:
 * - **1, schema**, block 0 and no other: u32 version of perp (as perp_version()), u32 bytes of a
 *   value (8 or 4), u32 every, u32 quantities; texts program, model_name, model, options; for each
 *   quantity texts kind, name, unit, description, i32 source, u32 members, u32 components,
 *   u32 names (0, or members), that many texts, components texts (names), components texts (units),
 *   u32 objects (0, or members), that many i32. More may follow.
 * - **2, samples**: for each f64 t and its values, f64 or f32, without gaps.
 * - **3, events**: for each f64 t, u32 kind, i32 index, i32 copy, i32 before, i32 after, u32 n, f64
 *   error, f64 until, n f64 (impulse).
 * - **4, checkpoint**: f64 t, u64 samples offered, text name, then bytes to the end of the payload.
 * - **5, note**: texts name, text.
 * - **6, end**: f64 t, i32 status, u32 0, texts reason, report.
 * - **7, contacts** of a pool: for each f64 t, u32 n, u32 0, n times: i32 x 2 systems, u32 x 2
 *   identity, i32 law, i32 rows, then as values (f64 or f32) gap, 3 of point, 3 of normal, 3 of
 *   tangent, 5 of lambda. They are of the last sample before them.
 *
 * Records stand in the order in which they were added. */
#ifndef PERP_LOG_H
#define PERP_LOG_H

#include "perp/event_driven.h"
#include "perp/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the format that this library writes, and the newest that it reads. */
#define PERP_LOG_VERSION 1

/** Types of blocks and records; `1 << type` are the bits that perp_log_reader_next() takes. */
enum {
  PERP_LOG_BEGIN = 1,       /**< what is logged: perp_log_reader_schema()                      */
  PERP_LOG_SAMPLES = 2,     /**< samples, a stretch of them                                    */
  PERP_LOG_EVENTS = 3,      /**< ::perp_log_event, one of them     */
  PERP_LOG_CHECKPOINT = 4,  /**< what a run can go on from                                     */
  PERP_LOG_NOTE = 5,        /**< a named text                                                  */
  PERP_LOG_END = 6,         /**< how the run ended                                             */
  PERP_LOG_CONTACT_LIST = 7 /**< the contacts of a pool at one time: ::perp_log_contact        */
};

/** Where the values of a quantity come from. Its objects are systems or interactions. */
enum {
  PERP_LOG_OWN = 0,       /**< the caller, in every sample                                      */
  PERP_LOG_Q = 1,         /**< perp_simulation_q() of systems                                   */
  PERP_LOG_V = 2,         /**< perp_simulation_v() of systems                                   */
  PERP_LOG_X = 3,         /**< perp_simulation_x() of systems                                   */
  PERP_LOG_Y = 4,         /**< perp_simulation_y() of interactions                              */
  PERP_LOG_YDOT = 5,      /**< perp_simulation_ydot() of interactions                           */
  PERP_LOG_LAMBDA = 6,    /**< perp_simulation_lambda() of interactions                         */
  PERP_LOG_FORCE = 7,     /**< perp_simulation_force() of interactions                          */
  PERP_LOG_KINETIC = 8,   /**< perp_simulation_energy(): 1 member, 1 component                  */
  PERP_LOG_POTENTIAL = 9, /**< likewise                                                       */
  PERP_LOG_CONTACTS = 10, /**< contacts of the pool that acted in the step: 1 member, 1 component */
  PERP_LOG_OVERLAP = 11,  /**< the deepest overlap of these, >= 0 (m): likewise               */
  PERP_LOG_CONTACT_FORCE = 12 /**< the sum of their forces on each of systems (N): 2 or 3
                                   components, of the fixed frame                             */
};

/**
 * A quantity of one kind: members x components numbers in every sample. Kind and name are not empty
 * and without '.', ',', '*', '[', ']', '/' and control characters, members without ',', '*' and
 * control characters; no two quantities have the same kind and name, no two members of one the same
 * name. Quantities of a kind may have different members. Texts are UTF-8; where they are NULL they
 * are empty.
 */
typedef struct perp_log_quantity {
  const char *kind;        /**< of the members: "ball", "bead", "run"                           */
  const char *name;        /**< "q", "v", "lambda"                                              */
  const char *unit;        /**< of all components, "m"; "" where it is not known or they differ */
  const char *description; /**< a line                                                          */
  const char *const *member_names;    /**< members different names, "bead[17]"; NULL: kind of a
                                            single one, else kind[0], kind[1] ...                  */
  const char *const *component_names; /**< components names, "x"; NULL: all empty             */
  const char *const *component_units; /**< components units where they differ; NULL: all empty */
  const int32_t *objects; /**< members indices of systems or interactions; NULL: 0, 1, 2 ... */
  int32_t members;        /**< >= 1                                                             */
  int32_t components;     /**< >= 1                                                             */
  int32_t source;         /**< PERP_LOG_OWN ... PERP_LOG_CONTACT_FORCE                          */
  int32_t reserved;       /**< 0                                                                */
} perp_log_quantity;

/** What a log is of. Texts that are NULL are empty. */
typedef struct perp_log_schema {
  uint32_t struct_size;                /**< sizeof(perp_log_schema): PERP_LOG_SCHEMA_INIT       */
  int32_t n_quantities;                /**< >= 0                                                */
  const perp_log_quantity *quantities; /**< n_quantities                                        */
  const char *program;                 /**< who writes, with its version: "perp run 0.2.1"      */
  const char *model_name;              /**< the model's file: "ball.toml"                       */
  const char *model;                   /**< its text                                            */
  const char *options;                 /**< those of the run, as JSON                           */
} perp_log_schema;

/** Initialiser: `perp_log_schema schema = PERP_LOG_SCHEMA_INIT;` */
#define PERP_LOG_SCHEMA_INIT \
  { (uint32_t)sizeof(perp_log_schema), 0, NULL, NULL, NULL, NULL, NULL }

/** How a log is written. */
typedef struct perp_log_options {
  uint32_t struct_size; /**< set by perp_log_options_init()                                    */
  int32_t every;   /**< of the samples offered the first and every every-th after it is written, >=
                        1; default 1                                                           */
  int32_t float32; /**< 1: values in single precision (times never); beyond its range infinite;
                        default 0                                                              */
  int32_t block_bytes; /**< payload after which a block of samples is closed, 1024 ... 2^26;
                            default 65536; what a reader has in memory at once                 */
  double sync_seconds; /**< what was added reaches the disk (fdatasync) this often, >= 0, looked at
                            whenever something is added; 0: at once; HUGE_VAL: at the end
                            and with checkpoints only; default 1                               */
  const char *select;  /**< what is logged of the schema, separated by commas: "ball", "ball.q",
                            "bead[17]", "bead[17].v", "*.lambda"; NULL: everything               */
  int32_t contact_lists; /**< 1: perp_log_step() adds to each sample the contacts of the pool that
                              acted in the step, if the simulation has one; default 0          */
  int32_t reserved;      /**< 0                                                                  */
} perp_log_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.2.1. */
PERP_API void perp_log_options_init(perp_log_options *opts, size_t size);

/** Defaults by value. */
static inline perp_log_options perp_log_options_default(void) {
  perp_log_options o;
  perp_log_options_init(&o, sizeof o);
  return o;
}

/** Something that happened at a time, to one interaction, guard or schedule. Several at one time
 * are several of these. */
typedef struct perp_log_event {
  double t;              /**< time (s)                                                         */
  int32_t kind;          /**< one bit PERP_EVENT_..., or one of the caller's above 2^16          */
  int32_t index;         /**< interaction, guard or schedule, -1: none                          */
  int32_t copy;          /**< of the law, -1: none or all                                       */
  int32_t before;        /**< PERP_CONTACT_... before, -1: none                                 */
  int32_t after;         /**< PERP_CONTACT_... after, -1: none                                  */
  int32_t n_impulse;     /**< length of impulse, >= 0                                           */
  double error;          /**< as perp_event.error, else 0                                       */
  double until;          /**< as perp_event.until, else t                                       */
  const double *impulse; /**< of the rows of the interaction (N s); NULL with n_impulse 0        */
} perp_log_event;

/** A contact of a pool that acted; as ::perp_contact_view. */
typedef struct perp_log_contact {
  int32_t systems[2];   /**< the two, -1: none, as the ground                                   */
  uint32_t identity[2]; /**< as the pool's callback has given it                                */
  int32_t law;          /**< index into the pool's laws                                         */
  int32_t rows;         /**< size of the law                                                    */
  double gap;           /**< at the end of the step (m)                                         */
  double point[3];      /**< where the reaction acts (m), fixed frame                           */
  double normal[3];     /**< to the first system                                                */
  double tangent[3];    /**< the first; the second is normal x tangent                          */
  double lambda[5];     /**< rows: reaction along normal and tangents, about axes, then 0; N s with
                             Moreau-Jean                                                       */
} perp_log_contact;

/** A log that is being written. One thread at a time; two logs share nothing. */
typedef struct perp_log perp_log;

/**
 * Begin a log. A file of that name is replaced.
 * @param[out] out  the log, NULL on failure; end with perp_log_close()
 * @param path      of the file, UTF-8
 * @param schema    copied
 * @param options   copied; NULL: the defaults
 * @param[out] info  may be NULL: the offending field, index counts quantities or entries of select;
 *                  of the file "log.open", "log.write", "log.sync" with errno as value
 * @return PERP_OK, PERP_EINVAL, PERP_EBACKEND (file, memory, or another process writes it). Since
 * 0.2.1. */
PERP_API perp_status perp_log_create(perp_log **out, const char *path,
                                     const perp_log_schema *schema, const perp_log_options *options,
                                     perp_info *info);

/** Up to where perp_log_append() keeps a log. */
enum {
  PERP_LOG_AT_END = 0,       /**< to its last whole block                                      */
  PERP_LOG_AT_CHECKPOINT = 1 /**< to its last checkpoint, from which the run goes on            */
};

/**
 * Open a log to go on with it: it is cut behind its last whole block or checkpoint, and what is
 * added comes behind that. every, float32 and what is selected stay as the file has them.
 * @param[out] out  the log, NULL on failure
 * @param path      of the file
 * @param schema    NULL: that of the file, of which all is selected; or that of perp_log_create(),
 *                  which with options' select must give the quantities of the file: then
 *                  perp_log_add_sample() takes what it took before. Its texts are not read
 * @param options   as for perp_log_create(); every and float32 are not read
 * @param where     PERP_LOG_AT_END or PERP_LOG_AT_CHECKPOINT
 * @param[out] info  may be NULL: as of perp_log_create() and perp_log_reader_open();
 *                  "log.checkpoint" where there is none; "quantities" where they differ
 * @return PERP_OK, PERP_EINVAL, PERP_EUNSUPPORTED (newer version), PERP_EBACKEND; on failure the
 *         file is as it was. Since 0.2.1. */
PERP_API perp_status perp_log_append(perp_log **out, const char *path,
                                     const perp_log_schema *schema, const perp_log_options *options,
                                     int32_t where, perp_info *info);

/**
 * Add a sample.
 * @param log     the log
 * @param t       time (s)
 * @param values  n numbers, of all quantities of the schema, selected or not, one after another;
 *                NaN and infinity are kept as they are
 * @param n       their number
 * @param[out] info  may be NULL
 * @return PERP_OK, PERP_EINVAL (another n), or PERP_EBACKEND: "log.write", "log.sync", value errno.
 *         Then the file is whole up to its last whole block, and each further call answers the
 * same. Allocates nothing. Since 0.2.1. */
PERP_API perp_status perp_log_add_sample(perp_log *log, double t, const double *values, int32_t n,
                                         perp_info *info);

/**
 * Add the contacts of a pool, those of the last sample. perp_log_step() does so by itself with the
 * option contact_lists.
 * @param log       the log
 * @param t         time (s)
 * @param list      n of them
 * @param n         >= 0
 * @param[out] info  may be NULL
 * @return as perp_log_add_sample(), or PERP_EBACKEND "malloc". Since 0.2.1. */
PERP_API perp_status perp_log_add_contacts(perp_log *log, double t, const perp_log_contact *list,
                                           int32_t n, perp_info *info);

/** Add an event. @return as perp_log_add_sample(). Since 0.2.1. */
PERP_API perp_status perp_log_add_event(perp_log *log, const perp_log_event *event,
                                        perp_info *info);

/**
 * Add a checkpoint, and see it on the disk before this returns.
 * @param log    the log
 * @param t      its time (s)
 * @param name   what the bytes are: "perp-simulation"; not NULL
 * @param bytes  n_bytes bytes, as perp_simulation_checkpoint() writes them, with whatever else a
 *               run goes on from
 * @param n_bytes  their number
 * @param[out] info  may be NULL
 * @return as perp_log_add_sample(). Since 0.2.1. */
PERP_API perp_status perp_log_add_checkpoint(perp_log *log, double t, const char *name,
                                             const void *bytes, size_t n_bytes, perp_info *info);

/** Add a named text. @return as perp_log_add_sample(). Since 0.2.1. */
PERP_API perp_status perp_log_add_note(perp_log *log, const char *name, const char *text,
                                       perp_info *info);

/**
 * Say how the run ended. A log without it is of a run that was interrupted.
 * @param log     the log
 * @param t       last time (s)
 * @param status  what the run answered
 * @param reason  a sentence, as perp_simulation_ending() writes it; NULL: empty
 * @param report  counters, as JSON; NULL: empty
 * @param[out] info  may be NULL
 * @return as perp_log_add_sample(). Since 0.2.1. */
PERP_API perp_status perp_log_add_end(perp_log *log, double t, perp_status status,
                                      const char *reason, const char *report, perp_info *info);

/** Close the present block and write it; with sync 1 see it on the disk. @return as
 * perp_log_add_sample(). Since 0.2.1. */
PERP_API perp_status perp_log_flush(perp_log *log, int32_t sync, perp_info *info);

/** Write what is left, see it on the disk, close the file and free the log, whatever happens; NULL
 * is fine. @return PERP_OK, or what could not be written, or could not before. Since 0.2.1. */
PERP_API perp_status perp_log_close(perp_log *log, perp_info *info);

/** Bytes that the file will have once samples more samples have been offered, the records so far
 * included: exactly so but for 39 bytes at most each time that sync_seconds are over, and
 * other records, which end blocks likewise. -1 for NULL, negative samples, more than 2^62. Since
 * 0.2.1. */
PERP_API int64_t perp_log_bytes(const perp_log *log, int64_t samples);

/** Numbers that perp_log_add_sample() takes; 0 for NULL. Since 0.2.1. */
PERP_API int32_t perp_log_n_values(const perp_log *log);

/**
 * Begin the log of a simulation: q, v of its systems of order 2, x of those of order 1, y and λ of
 * its interactions, then the quantities of schema. Of a pool: how many contacts acted, the deepest
 * overlap, and the force of contacts on each system of order 2; each contact with the option
 * contact_lists alone.
 * @param[out] out  as perp_log_create()
 * @param path      of the file
 * @param sim       the simulation, any of the same model later
 * @param systems   a name for each system, "ball", "bead[17]": what is before '[' is its kind;
 * those of a kind are of one size. NULL: kinds by what the systems are and their size
 * @param interactions  a name for each interaction, likewise
 * @param schema    texts, and quantities beside those of the simulation, whose kinds it has not;
 *                  NULL: none
 * @param options   copied; NULL: the defaults
 * @param[out] info  may be NULL
 * @return as perp_log_create(). Since 0.2.1. */
PERP_API perp_status perp_log_simulation_create(perp_log **out, const char *path,
                                                const perp_simulation *sim,
                                                const char *const *systems,
                                                const char *const *interactions,
                                                const perp_log_schema *schema,
                                                const perp_log_options *options, perp_info *info);

/** perp_log_simulation_create() of an event-driven simulation. Since 0.2.1. */
PERP_API perp_status perp_log_event_driven_create(perp_log **out, const char *path,
                                                  const perp_event_driven *sim,
                                                  const char *const *systems,
                                                  const char *const *interactions,
                                                  const perp_log_schema *schema,
                                                  const perp_log_options *options, perp_info *info);

/**
 * Add a sample of a simulation as it is now: at the start, and after each step.
 * @param log   the log; its quantities with a source are read from sim
 * @param sim   the simulation
 * @param own   n_own numbers of the quantities that are PERP_LOG_OWN, one after another; may be
 * NULL with n_own 0
 * @param n_own  their number
 * @param[out] info  may be NULL: "quantities", index which of them sim does not have in that size
 * @return as perp_log_add_sample(), or as perp_simulation_energy(). Since 0.2.1. */
PERP_API perp_status perp_log_step(perp_log *log, perp_simulation *sim, const double *own,
                                   int32_t n_own, perp_info *info);

/** perp_log_step() of an event-driven simulation: from its observer's output, or after an event.
 * Since 0.2.1. */
PERP_API perp_status perp_log_event_driven_step(perp_log *log, perp_event_driven *sim,
                                                const double *own, int32_t n_own, perp_info *info);

/** Add all that happened at an event: each of its changes with the impulse of its interaction, then
 * interactions with an impulse that did not change.
 * @return as perp_log_add_event(). Since 0.2.1. */
PERP_API perp_status perp_log_event_driven_event(perp_log *log, perp_event_driven *sim,
                                                 const perp_event *event, perp_info *info);

/** A log that is being read. One thread at a time. */
typedef struct perp_log_reader perp_log_reader;

/** What a log holds. */
typedef struct perp_log_summary {
  uint32_t struct_size; /**< set by the caller: PERP_LOG_SUMMARY_INIT                          */
  int32_t major;        /**< version of the format                                             */
  int32_t minor;        /**< likewise                                                          */
  int32_t perp_version; /**< of the library that wrote it, as perp_version()                   */
  int32_t every;        /**< of the samples offered each every-th is in it                      */
  int32_t float32;      /**< 1: values were written in single precision                        */
  int32_t n_values;     /**< numbers in a sample                                               */
  int32_t ended;        /**< 1: it has an end                                                  */
  int64_t samples;      /**< samples                                                           */
  int64_t events;       /**< events                                                            */
  int64_t checkpoints;  /**< checkpoints                                                       */
  int64_t notes;        /**< notes                                                             */
  int64_t bytes;        /**< of the file                                                       */
  int64_t whole; /**< of which that many are whole; less than bytes: it was cut there          */
  int64_t contact_lists; /**< samples with contacts of a pool                                  */
} perp_log_summary;

/** Initialiser: `perp_log_summary summary = PERP_LOG_SUMMARY_INIT;` */
#define PERP_LOG_SUMMARY_INIT \
  { (uint32_t)sizeof(perp_log_summary), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** A record, with views that end with the next call that reads from the same reader. */
typedef struct perp_log_record {
  uint32_t struct_size; /**< set by the caller: PERP_LOG_RECORD_INIT                          */
  int32_t type;         /**< PERP_LOG_SAMPLES ... PERP_LOG_CONTACT_LIST                       */
  int32_t count;        /**< of samples, of contacts: how many; else 1                        */
  perp_status status;   /**< of the end                                                       */
  double t;             /**< time (s), of samples the first; 0 of a note                      */
  int64_t first;   /**< of samples, of contacts: the number of the first, of their sample, from 0;
                        -1: there was none                                                       */
  int64_t offered; /**< of a checkpoint: samples offered before it                       */
  const double *times;  /**< of samples: count; else NULL                                     */
  const double *values; /**< of samples: count x n_values, sample after sample; else NULL      */
  perp_log_event event; /**< of an event                                                      */
  const char *name;     /**< of a note or a checkpoint; else NULL                             */
  const char *text;     /**< of a note; of the end its reason; else NULL                      */
  const char *report;   /**< of the end; else NULL                                            */
  const void *bytes;    /**< of a checkpoint; else NULL                                       */
  size_t n_bytes;       /**< likewise                                                         */
  const perp_log_contact *contacts; /**< of contacts: count; else NULL                        */
} perp_log_record;

/** Initialiser: `perp_log_record record = PERP_LOG_RECORD_INIT;` */
#define PERP_LOG_RECORD_INIT                                                     \
  {                                                                              \
    (uint32_t)sizeof(perp_log_record), 0, 0, 0, 0.0, 0, 0, NULL, NULL,           \
        {0.0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, NULL}, NULL, NULL, NULL, NULL, 0, NULL \
  }

/**
 * Open a log: all blocks are checked, and what lies behind the last whole one is not there. The
 * file is only read; a run may be writing it.
 * @param[out] out  the reader, NULL on failure; end with perp_log_reader_close()
 * @param path      of the file
 * @param[out] info  may be NULL: "log.open", "log.read" with errno as value; "log.magic" (no log),
 *                  "log.version" (value: the file's, newer than #PERP_LOG_VERSION), "log.schema"
 *                  (the beginning is damaged, so that nothing can be read)
 * @return PERP_OK, PERP_EINVAL, PERP_EUNSUPPORTED (newer version), PERP_EBACKEND (file, memory)
 * Any bytes at all are safe to open; memory stays below a small multiple of the file's size. Since
 * 0.2.1. */
PERP_API perp_status perp_log_reader_open(perp_log_reader **out, const char *path, perp_info *info);

/** End it; NULL is fine. Since 0.2.1. */
PERP_API void perp_log_reader_close(perp_log_reader *reader);

/** What it is of; valid as long as the reader, texts never NULL, member_names NULL where they go by
 * the kind, objects NULL where they are 0, 1, 2 ... NULL for NULL. Since 0.2.1. */
PERP_API const perp_log_schema *perp_log_reader_schema(const perp_log_reader *reader);

/** Fill a summary whose struct_size the caller has set. @return PERP_OK or PERP_EINVAL. Since
 * 0.2.1. */
PERP_API perp_status perp_log_reader_summary(const perp_log_reader *reader,
                                             perp_log_summary *summary);

/** The quantity called "kind.name", -1 if there is none. Since 0.2.1. */
PERP_API int32_t perp_log_reader_find(const perp_log_reader *reader, const char *name);

/** Where the values of a quantity begin in a sample, 0 ... n_values; -1 for a bad index. Since
 * 0.2.1. */
PERP_API int32_t perp_log_reader_offset(const perp_log_reader *reader, int32_t quantity);

/**
 * Write the name of a member, "bead[17]".
 * @param reader    the reader
 * @param quantity  which
 * @param member    of it
 * @param[out] text  room bytes, ends with a 0 always if room > 0; may be NULL
 * @param room     bytes of text
 * @return length of the whole name without its 0, as snprintf() does; 0 for a bad index. Since
 * 0.2.1. */
PERP_API size_t perp_log_reader_member(const perp_log_reader *reader, int32_t quantity,
                                       int32_t member, char *text, size_t room);

/**
 * Read a stretch of samples, or each stride-th of them.
 * @param reader    the reader
 * @param quantity  which; -1: all of them
 * @param first     the first sample, >= 0
 * @param count     how many, >= 0: first + (count - 1) stride is less than samples
 * @param stride    distance of two, >= 1
 * @param[out] times   count times (s); may be NULL
 * @param[out] values  count x members x components, sample after sample; of all quantities count x
 *                     n_values; may be NULL
 * @param[out] info  may be NULL
 * @return PERP_OK, PERP_EINVAL, PERP_EBACKEND: "log.read", the file has changed. Since 0.2.1. */
PERP_API perp_status perp_log_reader_read(perp_log_reader *reader, int32_t quantity, int64_t first,
                                          int64_t count, int64_t stride, double *times,
                                          double *values, perp_info *info);

/**
 * The next record in the order of the file.
 * @param reader  the reader
 * @param types   bits `1 << type` of those wanted; others are passed over; 0: all
 * @param[out] record  struct_size set by the caller: #PERP_LOG_RECORD_INIT
 * @param[out] info  may be NULL
 * @return PERP_OK; PERP_END behind the last; PERP_EINVAL (a block that is whole, but not what the
 *         format says: "log.record"); PERP_EBACKEND as perp_log_reader_read(). Since 0.2.1. */
PERP_API perp_status perp_log_reader_next(perp_log_reader *reader, uint32_t types,
                                          perp_log_record *record, perp_info *info);

/** The last record of some types, as perp_log_reader_next(), which goes on behind it. PERP_END:
 * there is none; then it goes on as before. Since 0.2.1. */
PERP_API perp_status perp_log_reader_last(perp_log_reader *reader, uint32_t types,
                                          perp_log_record *record, perp_info *info);

/** perp_log_reader_next() begins anew; NULL is fine. Since 0.2.1. */
PERP_API void perp_log_reader_rewind(perp_log_reader *reader);

#ifdef __cplusplus
}
#endif
#endif
