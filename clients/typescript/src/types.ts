/** The types of requests and answers by action, read off the generated description of the service. */

import type { components, paths } from "./openapi.js";
import type { WurfProblem } from "./problem.js";

/** Every named part of the service's description, such as `Schemas["ZrpsRollAnswer"]`. */
export type Schemas = components["schemas"];

type Json<T> = { content: { "application/json": T } };
type Takes<Path> = Path extends keyof paths
  ? paths[Path] extends { post: { requestBody: Json<infer Body> } } ? Body : never
  : never;
type Gives<Path> = Path extends keyof paths
  ? paths[Path] extends { post: { responses: { 200: Json<infer Body> } } } ? Body : never
  : never;

/** "zrps/roll" of the path "/v1/zrps/roll", if that is the path of an action. */
type Named<Path> = [Gives<Path>] extends [never] ? never
  : Path extends `/v1/${infer Ruleset}/${infer Action}`
    ? Gives<Path> extends { ruleset: Ruleset; action: Action } ? `${Ruleset}/${Action}` : never
    : never;

/** Every action by its path, such as "zrps/roll". */
export type Action = { [Path in keyof paths]: Named<Path> }[keyof paths];

/** What an action takes. */
export type RequestOf<A extends Action> = Takes<`/v1/${A}`>;
/** What an action answers. */
export type AnswerOf<A extends Action> = Gives<`/v1/${A}`>;

/** The actions that throw dice. */
export type RollAction = { [A in Action]: RequestOf<A> extends { seed?: unknown } ? A : never }[Action];
/** The actions that only work something out. */
export type ComputeAction = Exclude<Action, RollAction>;
/** The actions that have odds. */
export type OddsAction = { [A in RollAction]: [OddsOf<A>] extends [never] ? never : A }[RollAction];

/** What the odds of an action take: its request without dice. */
export type SituationOf<A extends Action> = Takes<`/v1/${A}/odds`>;
/** The odds of an action. */
export type OddsOf<A extends Action> = Gives<`/v1/${A}/odds`>;

/** One action of a batch: a roll, something to work out, or the odds of a roll. */
export type BatchItem =
  | { [A in RollAction]: { roll: A; request: RequestOf<A> } }[RollAction]
  | { [A in ComputeAction]: { compute: A; request: RequestOf<A> } }[ComputeAction]
  | { [A in OddsAction]: { odds: A; request: SituationOf<A> } }[OddsAction];

/** What became of one item: its answer, or its problem. */
export type Result<T> =
  | { status: 200; ref: string | null; answer: T; problem?: never }
  | { status: number; ref: string | null; problem: WurfProblem; answer?: never };

/** What an item answers. */
export type Answered<Item> = Item extends { roll: infer A extends RollAction } ? AnswerOf<A>
  : Item extends { compute: infer A extends ComputeAction } ? AnswerOf<A>
  : Item extends { odds: infer A extends OddsAction } ? OddsOf<A>
  : never;

/** The results of a batch, in the order of its items. */
export interface BatchAnswer<Items extends readonly BatchItem[]> {
  /** What the seeds of the items were made from: item k was rolled with `<seed>#k`. */
  seed: string;
  source: Schemas["Source"];
  results: { [Place in keyof Items]: Result<Answered<Items[Place]>> };
}
