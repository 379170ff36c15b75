/* SPDX-License-Identifier: MIT */
/* What is allowed where a call refused an argument, by its name. */
#include "heap/rules.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "perp/log.h"
#include "perp/matrix.h"

#define AS_TEXT(x)     #x
#define NUMBER_TEXT(x) AS_TEXT(x)

typedef struct allowance {
  const char *field, *allowed;
} allowance;

/* Fields that may not be missing: with the value 0 they are. */
/* clang-format off */
static const char *const pointers[] = {
    "C", "F", "G", "H", "T", "b", "builder", "bytes", "c", "condensed", "contact", "control.u",
    "degree", "event", "f", "from", "function", "g", "graph", "guards.value", "gyroscopic",
    "harmonics", "impulse", "inner", "integrator", "integrator.weights", "interaction",
    "interactions", "internal", "joint", "law", "laws", "list", "locate", "log", "matrix", "model", "name",
    "nu", "observer", "ops", "options", "out", "own", "owner.kept", "owner.key", "path", "pool",
    "pool.find", "pool.laws", "problem", "project", "project_doubles", "q", "qp", "reader",
    "record", "relation", "restitute", "s", "schema", "sealed", "shift", "sim", "solve", "solver",
    "start", "state", "state_init", "states", "systems", "text", "user", "values", "visit", "w",
    "work", "workspace", "x", "ydot", "z", "zeta"};
/* clang-format on */

/* The same where they stand without an index; with one their entries are refused. */
static const char *const arrays[] = {"K",          "W",     "e",  "lambda", "lower", "q0",
                                     "quantities", "upper", "v0", "x0",     "y"};

/* PERP_EINVAL. */
static const allowance wrong[] = {
    {"A", "must have as many rows and columns as the system has degrees of freedom"},
    {"B", "must have n x m entries"},
    {"C", "must have as many rows and columns as the system has degrees of freedom"},
    {"D", "must be m x m, and of a relation that reads λ"},
    {"G_c", "must be > 0"},
    {"H", "must have a row for each component and a column for each degree of freedom"},
    {"H_rows", "must be m x n, and H absent"},
    {"K", "needs the size of its kind; of a reaction g and PERP_REACTION_READS_X, too"},
    {"M", "must be n x n, and symmetric positive definite where it is a mass"},
    {"W", "must be regular, and symmetric where it is the Delassus matrix"},
    {"F overlaps x", ": two arrays that share no entry are needed"},
    {"F overlaps z", ": two arrays that share no entry are needed"},
    {"P", "is the row of a matrix that is not symmetric"},
    {"acceleration", "must be one of PERP_NSGS_PLAIN ... PERP_NSGS_MOMENTUM"},
    {"accept", "must be 0 or PERP_OTHER_GRID"},
    {"accept_tol", "must be >= 0"},
    {"acts", "is for unilateral laws alone"},
    {"allocate", "must be 0 or 1"},
    {"area", "must be > 0"},
    {"atol", "must be > 0"},
    {"atols", "must be > 0"},
    {"backend", "must have all its functions, and the struct_size of this version"},
    {"bias", "is for relations that do not read λ"},
    {"block_bytes", "must be 1024 ... 2^26"},
    {"block_rows", "must be >= 0, with as many offsets"},
    {"bodies", "must be 0 or 1"},
    {"bounded", "must be 0 or 1"},
    {"bounds", "are needed by a law of a box"},
    {"budget", "must be >= 0 (0: perp_solver_budget())"},
    {"c", "must be >= 0"},
    {"carrier_a", "is not three axes at right angles, of length 1"},
    {"carrier_b", "is not three axes at right angles, of length 1"},
    {"check", "must be >= 1"},
    {"checkpoint within a step", "is not possible: callbacks may look, not touch"},
    {"checkpoint.bytes", "must be as many as were written: the checkpoint is cut off"},
    {"checkpoint.checksum", "is not that of its bytes: they have changed since it was written"},
    {"checkpoint.grid", "must be the grid it was made on, or PERP_OTHER_GRID be accepted"},
    {"checkpoint.magic", "must be that of a checkpoint: these bytes are none"},
    {"checkpoint.model", "is another, or has other options: a constant, a size, an option"},
    {"checkpoint.version", "must be that of this library"},
    {"colours", "must be a whole number"},
    {"cols", "must be as many as the problem has unknowns"},
    {"compliance", "must be one of PERP_STIFFNESS_..."},
    {"condensed.struct_size", "must be set by PERP_PROBLEM_INIT"},
    {"contact", "must be given"},
    {"contact.identity", " is that of contact %s, which joins the same bodies"},
    {"contact.law", "must be the number of one of the pool's laws, and one that suits the systems"},
    {"contact.normal", " of length %s, must be 1"},
    {"contact.place", "must lie in the plane z = 0 in a pool that is plane"},
    {"contact.reserved", "must be 0"},
    {"contact.systems", "are not two different systems of the model, or one and PERP_GROUND"},
    {"contact_tol", "must be > 0"},
    {"contact_lists", "must be 0 or 1"},
    {"contacts", "must be >= 0"},
    {"control.T", "needs n x n_u entries, or effect in its stead"},
    {"control.effect", "may not stand beside T"},
    {"control.n_u", "must be >= 1 where there is control, and 0 where there is none"},
    {"control.u_dq", "may not stand at order 1"},
    {"coordinate", "must be PERP_COORDINATE_ANGLE or PERP_COORDINATE_TRANSLATION"},
    {"correctors", "must be 0 ... 4"},
    {"count", "must be >= 0, and end before the last sample does"},
    {"coupling", "must be one of PERP_FRICTION_INTERIOR_..."},
    {"covering", "must be > 0"},
    {"crash", "must be >= 0"},
    {"crossover", "must be 0 or 1"},
    {"decrease", "must be > 0 and < 1"},
    {"defaults", "must be an options struct with its struct_size"},
    {"depth", "must be 1 or more, and not beyond PERP_NSGS_MOST_DEPTH"},
    {"dim", "must be 2 or 3"},
    {"e", "must be between 0 and 1"},
    {"e_n", "must be between 0 and 1, or to what the law's page says"},
    {"e_t", "must be between -1 and 1, of Fremond's law 0"},
    {"engine", "is no whole solver: its struct_size or functions are not those of this version"},
    {"equalities", "must be 0 ... size"},
    {"equality_tol", "must be >= 0 and finite"},
    {"event.impulse", "must be that of an event of this simulation"},
    {"every", "must be >= 1"},
    {"exponent", "must be > 0 and at most 16"},
    {"first", "must be >= 0"},
    {"float32", "must be 0 or 1"},
    {"floor", "must be >= 0"},
    {"formulation", "must be one of PERP_FORMULATION_..."},
    {"frame_a", "is not three axes at right angles, of length 1"},
    {"frame_b", "is not three axes at right angles, of length 1"},
    {"freeze", "must be >= 0"},
    {"function", "must be one of PERP_FRICTION_..."},
    {"gamma", "must be between 0 and 2, and is for Moreau-Jean's scheme alone"},
    {"gap", "must be at least min_gap"},
    {"gap_tol", "must be >= 0 and finite"},
    {"global", "is needed by this formulation: perp_global_step()"},
    {"global.struct_size", "must be that of this version, with all functions"},
    {"graph.struct_size", "must be set by its initialiser"},
    {"grid", "must increase"},
    {"grow", "must be >= 1"},
    {"guards.direction", "must be -1, 0 or 1"},
    {"gyroscopic", "must be one of PERP_GYROSCOPIC_..."},
    {"h", "must be > 0"},
    {"h_first", "must be >= 0 and finite"},
    {"h_max", "must be >= 0 and finite"},
    {"h_dt", "needs PERP_GAP_READS_TIME among what h reads"},
    {"history", "must be 1 ... 16"},
    {"id", "must be a number that the builder gave"},
    {"impact", "must be PERP_IMPACT_LAW ... PERP_IMPACT_LZB"},
    {"index", "must be given: different degrees of freedom of the system"},
    {"inertia", "must be symmetric positive definite"},
    {"initial gap",
     "must be at least min_gap (or |y| at most |min_gap| of a joint) at the initial values"},
    {"integrator", "must be of the order of the system"},
    {"integrator.struct_size", "must be that of this version"},
    {"integrator.weights", "must be given"},
    {"interaction", "must be the number of one of the model's"},
    {"interaction.systems", "must be different systems of the model"},
    {"interactions.name",
     "is not a name, or its kind (before '[') has interactions with other numbers of rows"},
    {"jacobian", "must have as many entries as the function has arguments and results"},
    {"k", "must be >= 0, and k + c > 0"},
    {"kind", "must be one of the documented kinds"},
    {"lambda", "must not increase along a graph"},
    {"law.size", "must divide the rows of the relation"},
    {"ld", "must be at least the number of rows"},
    {"ldH", "must be at least the number of rows"},
    {"ldM", "must be at least the number of rows"},
    {"linear", "must be one of PERP_LINEAR_..."},
    {"log.checkpoint", "is needed to go on from: there is none in this log"},
    {"log.magic", "is not that of a log: this file is none"},
    {"log.record", "is not what the format says, though its checksum is right"},
    {"log.schema", "is damaged, so that nothing of this log can be read"},
    {"lower", "must not be above upper"},
    {"m", "must be >= 0"},
    {"mass", "must be > 0; as a function it may not stand beside M"},
    {"max_halvings", "must be 0 ... 20"},
    {"max_iter", "must be >= 0 (0: the default)"},
    {"max_pivots", "must be >= 0"},
    {"max_steps", "must be >= 1"},
    {"memory", "must be 0 ... 30 of admm, 1 ... 16 of mcp"},
    {"min_gap", "must be a number, of events <= 0"},
    {"mode", "must be one of PERP_MCP_PATH ... PERP_MCP_JOSEPHY_NEWTON"},
    {"model.struct_size", "must be set by PERP_MODEL_INIT"},
    {"mu", "must be >= 0"},
    {"mu_rolling", "must be >= 0"},
    {"n", "must be >= 0, and fit the blocks"},
    {"n_blocks", "must be >= 0"},
    {"n_contacts", "must be >= 0"},
    {"n_guards", "must be >= 0, and 0 without guards or systems"},
    {"n_harmonics", "must be >= 0"},
    {"n_impulse", "must be >= 0"},
    {"n_interactions", "must be >= 0, and their rows fewer than 2^30"},
    {"n_own", "must be as many as the log has numbers of its caller's own"},
    {"n_quantities", "must be >= 0"},
    {"n_schedules", "must be >= 0, and 0 without schedules"},
    {"n_systems", "must be >= 0 of a model, >= 1 of an interaction"},
    {"n_values", "must be as many as the quantities of the log have"},
    {"n_z", "must be >= 0, and > 0 where F is given"},
    {"newton_halvings", "must be 0 ... 50"},
    {"newton_max", "must be >= 1"},
    {"newton_start", "must be PERP_NEWTON_FROM_CURRENT or PERP_NEWTON_FROM_POSITION"},
    {"newton_stop", "must be PERP_NEWTON_RESIDUAL, PERP_NEWTON_DYNAMICS or PERP_NEWTON_FIXED"},
    {"newton_tol", "must be > 0 and finite"},
    {"normal", "must have length 1"},
    {"observer.every", "must be >= 0, and long enough for t + every to differ from t"},
    {"observer.times", "must increase"},
    {"offset", "must begin with 0 and increase"},
    {"omega", "must be > 0 and < 2"},
    {"on_failure", "must be PERP_FAILURE_STOP, PERP_FAILURE_RETRY or PERP_FAILURE_ACCEPT"},
    {"ops", "must have the struct_size and the functions that its set asks for"},
    {"options.struct_size", "must be set by the initialiser of the options"},
    {"order",
     "must be that of the systems it goes with; of nsgs PERP_NSGS_FORWARD ... PERP_NSGS_SHUFFLED, "
     "of "
     "events >= 0"},
    {"outer", "must be 0 or 1"},
    {"owner.flags", "must be bits PERP_..._PARAMETERS that are documented"},
    {"owner.struct_size", "must be set by PERP_OWNER_INIT"},
    {"patience", "must be >= 0"},
    {"points", "must be >= 1, and fit the relation"},
    {"pool.capacity", "must be >= 1"},
    {"pool.laws", "must be given"},
    {"pool.laws.size", "must be that of laws of contacts in the plane or in space"},
    {"pool.max_per_system", "must be >= 0 (0: no bound)"},
    {"pool.n_laws", "must be >= 1"},
    {"pool.plane", "must be 0 or 1"},
    {"pool.struct_size", "must be set by PERP_CONTACT_POOL_INIT"},
    {"projection", "must be PERP_PROJECT_NONE, PERP_PROJECT_POSITIONS or PERP_PROJECT_COMBINED"},
    {"projection_max", "must be >= 1"},
    {"projection_tol", "must be > 0"},
    {"projection_tol_unilateral", "must be > 0"},
    {"proportion", "must be > 0"},
    {"proximal", "must be > 0, of friction-newton >= 0"},
    {"q0", ": norm %s, must be 1 (a quaternion)"},
    {"quantities",
     "must differ by kind and name, have the sizes of the simulation, and be those of a log that "
     "goes on"},
    {"quantities.components", "must be >= 1, and 1 of an energy"},
    {"quantities.kind", "is empty, or has a control character or one of . , * [ ] / in it"},
    {"quantities.member_names", "are not all there and different, or have a comma or * in one"},
    {"quantities.members", "must be >= 1, at most 2^24 with all components, and 1 of an energy"},
    {"quantities.name", "is empty, or has a control character or one of . , * [ ] / in it"},
    {"quantities.objects", "must be >= 0"},
    {"quantities.source", "must be PERP_LOG_OWN ... PERP_LOG_CONTACT_FORCE"},
    {"quantity", "must be one of the log, or -1"},
    {"ratio", "must be > 0 and < 1"},
    {"reaction_gamma",
     "must be between 0 and 1, not 0 where relations hold at x_{k+gamma}, and is for theta-gamma "
     "schemes of order 1 alone"},
    {"reads", "must be bits that the kind documents"},
    {"reason", "must have at most 2^31 - 1 bytes"},
    {"record.struct_size", "must be set by PERP_LOG_RECORD_INIT"},
    {"regularisation", "must be >= 0"},
    {"relation.m", "must be that of its kind, >= 1"},
    {"relation.n", "must be the degrees of freedom of the systems it joins"},
    {"relation.ops", "lacks functions that its kind needs"},
    {"relation.struct_size", "must be set by the initialiser of its kind"},
    {"relaxation", "must be > 0 and < 2"},
    {"report", "must have at most 2^31 - 1 bytes"},
    {"reserved", "must be 0"},
    {"restarts", "must be >= 0, of mcp 0 ... 5"},
    {"rho", "must be > 0"},
    {"rows", "must be as many as the problem has unknowns"},
    {"rtol", "must be > 0"},
    {"run within a run", "is not possible: callbacks may look, not touch"},
    {"samples", "must be 0 ... 1000"},
    {"schedules.n_times", "must be >= 0, and times given"},
    {"schedules.period", "must be >= 0 (0: once), and first finite"},
    {"schedules.times", "must increase"},
    {"schema", "must have at most 2^30 bytes"},
    {"schema.struct_size", "must be set by PERP_LOG_SCHEMA_INIT"},
    {"search", "must be one of PERP_SEARCH_..."},
    {"select",
     "names nothing that there is: a kind, a member, or one of these, a point and a quantity"},
    {"set", "must be one of PERP_SET_..."},
    {"shrink", "must be > 0 and < 1"},
    {"sigma_c", "must be >= 0"},
    {"size", "must be >= 1, and that of its kind"},
    {"sleep_energy", "must be >= 0 and finite"},
    {"sleep_time", "must be > 0 and finite"},
    {"slip_weight", "must be >= 0"},
    {"solver.struct_size", "must be that of this version"},
    {"speed_tol", "must be >= 0 and finite, PERP_SPEED_PILE or PERP_SPEED_STACK"},
    {"sparse", "must be a table of this version with all its functions"},
    {"start", "must begin with 0 and not decrease"},
    {"state overlaps sealed", ": two blocks that share no byte are needed"},
    {"state.fingerprint", "is that of another model"},
    {"state.h", "must be > 0: the state is damaged"},
    {"state.magic", "must be that of a state: these bytes are none"},
    {"state.pool", "must be a contact of this model: the state is damaged"},
    {"state.step", "must lie on the grid: the state is damaged, or of another grid"},
    {"state.version", "must be that of this library"},
    {"state_bytes", "must be as many as perp_simulation_state_size() says"},
    {"step", "must be >= 0, of impacts > 0 and at most 1"},
    {"step within a step", "is not possible: callbacks may look, not touch"},
    {"stepping", "is needed by PERP_ZENO_STEP"},
    {"steps", "must be >= 0; with a grid the points after its first; 0 needs an end"},
    {"storm_events", "must be 2 ... 1000000"},
    {"storm_time", "must be >= 0"},
    {"stiffness", "must be > 0, and none 1e60 times another"},
    {"stride", "must be >= 1"},
    {"struct_size", "must be set by the initialiser of the struct"},
    {"sweeps", "must be >= 0"},
    {"switchable", "must be 0 or 1"},
    {"symmetric", "must be a whole number"},
    {"sync_seconds", "must be >= 0"},
    {"systems.n", "must be >= 1, and 6 of rigid bodies"},
    {"systems.count", "must be >= 0, and those systems end with the model's last at most"},
    {"systems.first", "must be the number of a system"},
    {"systems.name", "is not a name, or its kind (before '[') has systems of another size"},
    {"systems.ops", "lacks functions that its kind needs"},
    {"systems.struct_size", "must be set by the initialiser of its kind"},
    {"t", "must be where t + h differs from t: h is too short so late"},
    {"teeth_a", "must be >= 1"},
    {"teeth_b", "must not be 0"},
    {"theta", "must be between 0 and 1, of compliant laws > 0"},
    {"tol", "must be >= 0, of impacts > 0 and at most 1"},
    {"torque_frame", "must be PERP_FRAME_BODY or PERP_FRAME_FIXED"},
    {"unilateral", "must be 0 or 1"},
    {"until", "must not lie before the time of now"},
    {"updates", "must be >= 0"},
    {"upper", "must not be below lower"},
    {"use", "must be one of PERP_COORDINATE_RATE ... PERP_COORDINATE_UPPER"},
    {"weight", "must be > 0"},
    {"velocity_tol", "must be > 0"},
    {"watchdog", "must be >= 0"},
    {"where", "must be PERP_LOG_AT_END or PERP_LOG_AT_CHECKPOINT"},
    {"zeno", "must be PERP_ZENO_JUMP ... PERP_ZENO_STOP"},
    {"zeno_tol", "must be > 0"},
    {"work overlaps state", ": two blocks that share no byte are needed"},
    {"w overlaps z", ": two arrays that share no entry are needed"},
    {"y", "must increase along a graph"},
    {"y overlaps lambda", ": two arrays that share no entry are needed"}};

/* PERP_EUNSUPPORTED. */
static const allowance missing[] = {
    {"A", "is of a kind that the system does not take"},
    {"C", "is of a kind that the system does not take"},
    {"H_rows", "is for relations of linear kinds, and integrators that are not ..._constant()"},
    {"K", "is of a kind that the system does not take"},
    {"M", "is of a kind that the system, or the solver, does not take"},
    {"P", "is not positive definite, which the method needs"},
    {"body", "turns, which schemes on positions cannot: take moreau-jean"},
    {"combined projection of a pool",
     "is not possible in global form: projection must be positions, or formulation reduced"},
    {"contact.systems", "are of a kind that contacts of a pool do not join"},
    {"contacts", "must be fewer: the solver has no size for so many"},
    {"control.n_u", "is for perp_lagrangian_linear_init(), not for its ..._constant_init()"},
    {"engine", "takes no boxes with a dense M that is not symmetric: take box-pivoting"},
    {"formulation", "needs constant systems and relations of order 2, without D and compliance"},
    {"impact", "is not possible for this law: perp_event_options.impact must be another"},
    {"integrator.stages", "lack what the scheme needs: take the integrator as it is handed out"},
    {"integrators", "must be of one kind for all systems that one interaction joins"},
    {"interaction.systems", "are of kinds that the relation does not join"},
    {"interactions",
     "is not constant, of order 2 and without D and compliance, as the global form needs"},
    {"law", "is of a set that is not taken here"},
    {"laws", "are not all equalities, complementarity and boxes, as sensitivities need"},
    {"model", "must have at most 2^29 numbers in its state, and as many rows, for events"},
    {"n",
     "must be fewer: the solver has no size for so many unknowns; nsgs has, others with a sparse "
     "back end"},
    {"n_interactions", " are too many: the one-step matrix would take %s bytes"},
    {"n_z", "must be fewer: a matrix of m x n_z has fewer than 2^31 entries"},
    {"order beside a pool", "must be 2 for contacts to be swept: formulation must be reduced"},
    {"pool",
     "is not possible here: event-driven integration and schemes on positions have no pool"},
    {"pool.laws", "are of a set that the solver does not take"},
    {"pool.laws in global form",
     "is neither impact of size 1 nor friction of size 3, in the plane 2, without a state"},
    {"projection", "needs an integrator without _constant"},
    {"relation.m", "must be at most 46340: a matrix of m x m has fewer than 2^31 entries"},
    {"relation.n", "must be fewer: a matrix of m x n has fewer than 2^31 entries"},
    {"sleep_energy", "must be 0 where no contacts of a pool are swept: formulation must be global"},
    {"solver", ": it has no size for %s unknowns: take auto, or fewer contacts at a time"},
    {"switchable", "is not possible with schemes on positions"},
    {"system", "varies: take the integrator without _constant"}};

/* Of a run that did not get on. */
static const allowance stuck[] = {
    {"constraints", "are not met by any state"},
    {"events", "crowd"},
    {"impact", "was not solved"},
    {"jumps", "of x do not come to where the outputs are in their bounds"},
    {"lambda", "of the next mode was not found"},
    {"max_steps", "are over since the last event or output"},
    {"mode", "was not found"},
    {"projection", "did not come within projection_tol in projection_max passes"},
    {"rounds", "do not end: impact follows upon impact"},
    {"x", "comes to no state in which outputs are in their bounds"}};

/* Why a relation is not taken. */
static const char *const relations[] = {
    "varies: take the integrator without _constant",
    "has a D, which event-driven integration at order 2 and schemes on positions do not take",
    "is one of velocities: schemes on positions need a gap",
    "is one of pieces, which the builder makes: perp_builder_connect_graph()"};

/* The same of a law. */
static const char *const laws[] = {
    "is one of impulses, which order 1 does not know: take complementarity, a box, an equality",
    "lets go or slips, which a joint does not: take an equality or a box",
    "is not for positions: schemes on positions take newton-impact, boxes and equalities",
    "is not for events: take newton-impact, complementarity, a box, an equality, friction"};

static const char *look(const allowance *rules, size_t n, const char *field) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(rules[i].field, field) == 0) return rules[i].allowed;
  return NULL;
}

/* A file of a log: what the system answered. */
static const char *of_system(double number) {
  static const struct {
    int number;
    const char *words;
  } answers[] = {
      {EACCES, ": permission is denied"},
      {EAGAIN, ": another process writes this log"},
      {EFBIG, ": the file may not become larger"},
      {EINVAL, ": this is no file of bytes"},
      {EIO, ": the disk fails, or the file is shorter than it was"},
      {EISDIR, ": this is a folder"},
      {ENOENT, ": there is no such file or folder"},
      {ENOSPC, ": the disk is full"},
      {ELOOP, ": links go round in a circle"},
      {ENAMETOOLONG, ": the name is too long"},
      {EROFS, ": the file system is not to be written to"},
  };
  if (number == 0) return ": the file has changed since it was opened";
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
    if (number == answers[i].number) return answers[i].words;
  return ": the system answers errno %s";
}

static int is_pointer(const char *field, int32_t index) {
  for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++)
    if (strcmp(pointers[i], field) == 0) return 1;
  for (size_t i = 0; index < 0 && i < sizeof arrays / sizeof *arrays; i++)
    if (strcmp(arrays[i], field) == 0) return 1;
  return 0;
}

/* "options", but not "ops" and "s" */
static int is_plural(const char *field) {
  const size_t n = strlen(field);
  return n > 3 && field[n - 1] == 's' && strcmp(field + n - 3, "ops") != 0;
}

static int is_matrix(const char *field) { return field[1] == 0 && strchr("AMCK", *field) != NULL; }

const char *perp_rule(perp_status status, const perp_info *info) {
  const char *field = info->field;
  const double value = info->value;
  switch (status) {
    case PERP_EINVAL:
      if (value == 0 && is_pointer(field, info->index))
        return info->index < 0 && is_plural(field) ? "are missing" : "is missing";
      if (strncmp(field, "perp_", 5) == 0)
        return "is needed: these are the options of another solver";
      if (strcmp(field, "h") == 0 && info->of == PERP_OF_INTERACTION) return "is missing";
      return look(wrong, sizeof wrong / sizeof *wrong, field);
    case PERP_EUNSUPPORTED:
      if (strcmp(field, "P") == 0 && info->solver == NULL)
        return "is not positive semidefinite: the program is not convex";
      if (strcmp(field, "law") == 0 && value < 0 && value >= LAW_WITHOUT_EVENTS)
        return laws[-1 - (int)value];
      if (strcmp(field, "relation") == 0 && value >= 0 && value <= RELATION_OF_PIECES)
        return relations[(int)value];
      if (is_matrix(field) && value == PERP_BLOCKS)
        return "is in compressed rows, which need a sparse back end (options.sparse)";
      if (strcmp(field, "log.version") == 0)
        return " %s is newer than " NUMBER_TEXT(PERP_LOG_VERSION) ", the newest that is read";
      return look(missing, sizeof missing / sizeof *missing, field);
    case PERP_ENOTFINITE:
      return strcmp(field, "H W^-1 B") == 0
                 ? ": not finite with h = %s, as a mass is too small beside h and H"
                 : "must be finite";
    case PERP_EWORKSPACE:
      if (strcmp(field, "pool.capacity") == 0)
        return " needs at least %s bytes, which is more than can be numbered: lower it or "
               "max_per_system, or take formulation auto";
      return isinf(value) ? "is more than there are addresses" : "so many bytes are needed";
    case PERP_EBACKEND:
      if (strncmp(field, "log.", 4) == 0) return of_system(value);
      if (strcmp(field, "M") == 0) return "cannot be factorised";
      if (strcmp(field, "malloc") != 0 && strcmp(field, "memory") != 0) return NULL;
      return "so many bytes are not to be had";
    case PERP_ECALLBACK:
      return value > 0 && info->of != PERP_OF_ENTRY ? "so many numbers were written behind its end"
                                                    : "the function gave up";
    default:
      if (strcmp(field, "projection") == 0 && status != PERP_MAX_ITER) return NULL;
      return status > 0 ? look(stuck, sizeof stuck / sizeof *stuck, field) : NULL;
  }
}
