export { freshSeed, Wurf } from "./client.js";
export type { BatchOptions, CallOptions, RollOptions, WurfOptions } from "./client.js";
export type { components, operations, paths } from "./openapi.js";
export { WurfProblem } from "./problem.js";
export type { FieldError, ProblemCode, ProblemDocument } from "./problem.js";
export type * from "./types.js";
