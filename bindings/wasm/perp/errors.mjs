// SPDX-License-Identifier: MIT
// Statuses and errors. Only negative statuses are thrown: "no solution" is an answer.
import { constants } from "./c.mjs";

const NAMES = ["OK", "MAX_ITER", "RAY", "INACCURATE", "INFEASIBLE", "STOPPED", "END", "RETRY", "UNBOUNDED", "STORM", "EINVAL",
  "EWORKSPACE", "ECALLBACK", "EUNSUPPORTED", "EBACKEND", "ENOTFINITE"];

/** Outcomes of calls by name; the same numbers as in C. */
export const Status = Object.freeze(Object.fromEntries(NAMES.map((name) => [name, constants[name]])));
const names = new Map(NAMES.map((name) => [constants[name], name]));

/** "OK", "MAX_ITER", ... of a number of C. */
export const statusName = (status) => names.get(status) ?? String(status);

/** A call that was wrong, or an environment that failed. */
export class PerpError extends Error {
  constructor(message, field = "", index = -1, value = 0, status = Status.EINVAL) {
    super(message);
    this.name = new.target.name;
    this.status = statusName(status);
    this.field = field;
    this.index = index;
    this.value = value;
  }
}
/** An argument is negative, out of range, of a wrong shape or type, or does not fit another one. */
export class ArgumentError extends PerpError {}
/** NaN or infinity in an input or from a callback. */
export class NotFiniteError extends PerpError {
  constructor(message, field, index, value) { super(message, field, index, value, Status.ENOTFINITE); }
}
/** Not in this build, or the solver does not take this kind of problem. */
export class UnsupportedError extends PerpError {}
/** There is no memory, or too little of it. */
export class WorkspaceError extends PerpError {
  constructor(message, field, index, value) { super(message, field, index, value, Status.EWORKSPACE); }
}
/** A callback gave up without an error of its own. */
export class CallbackError extends PerpError {
  constructor(message) { super(message, "", -1, 0, Status.ECALLBACK); }
}
/** A back end failed, or memory is short. */
export class BackendError extends PerpError {}
/** A simulation, a model or a solver was used after close(). */
export class ClosedError extends PerpError {}
/** A simulation or a solver was used by one of its own callbacks while it is at work. */
export class BusyError extends PerpError {}
/** Thrown by a callback to ask for a smaller step. */
export class Retry extends Error {
  constructor(message = "a smaller step") {
    super(message);
    this.name = "Retry";
  }
}

const CLASSES = new Map([[Status.EWORKSPACE, WorkspaceError], [Status.EUNSUPPORTED, UnsupportedError],
  [Status.EBACKEND, BackendError], [Status.ENOTFINITE, NotFiniteError]]);

/** The error of a status, of whatever class fits it. */
export function errorOf(status, message, field, index, value) {
  if (status === Status.ECALLBACK) return new CallbackError(message);
  const Kind = CLASSES.get(status) ?? ArgumentError;
  return new Kind(message, field, index, value, status);
}
