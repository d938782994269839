/** The client. */

import createClient, { type Client } from "openapi-fetch";

import type { paths } from "./openapi.js";
import { WurfProblem } from "./problem.js";
import { type Patience, persistent, retryAfter } from "./retry.js";
import type {
  AnswerOf, BatchAnswer, BatchItem, ComputeAction, OddsAction, OddsOf, RequestOf, Result, RollAction, Schemas,
  SituationOf,
} from "./types.js";

/** How to talk to a service. */
export interface WurfOptions extends Partial<Patience> {
  /** The language of labels, texts and problems, such as "de". */
  language?: string;
  /** The key of a service that wants one. */
  apiKey?: string;
  /** What to fetch with, instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** What every call takes. */
export interface CallOptions {
  /** The language of this answer. */
  language?: string;
  /** Ends the call, waiting included. */
  signal?: AbortSignal;
}

/** What a roll takes beside its request. */
export interface RollOptions extends CallOptions {
  /** Whether the answer also holds the odds of what was attempted. */
  odds?: boolean;
  /** Whether odds also stand as exact fractions (they do, unless you say no). */
  exact?: boolean;
  /** Whether the answer also holds a signed receipt. */
  receipt?: boolean;
}

/** What a batch takes beside its items. */
export interface BatchOptions extends CallOptions {
  /** Item k is rolled with the seed `<seed>#k`. */
  seed?: string | number;
  /** A name from which the service makes the seed. */
  nonce?: string;
  /** Whether each answer also holds a signed receipt. */
  receipt?: boolean;
}

/** The fields that an answer has because they were asked for. */
type Extras<A extends RollAction, O> =
  & (O extends { odds: true } ? Required<Pick<AnswerOf<A>, "odds" & keyof AnswerOf<A>>> : unknown)
  & (O extends { receipt: true } ? { receipt: string } : unknown);

type Query = Record<string, string | boolean | undefined>;

/** Longer requests for odds go by POST: the service reads addresses of up to 16 KiB. */
const LONGEST_QUERY = 12_000;

/** A Wurf service. Every method throws `WurfProblem` where the service refuses. */
export class Wurf {
  /** Every endpoint as OpenAPI describes it, with the same patience but without seeds of its own. */
  readonly http: Client<paths>;
  readonly #language: string | undefined;
  readonly #mayAskAgain: boolean;

  /** @param baseUrl where the service is, such as "https://wurf.example" */
  constructor(baseUrl: string, options: WurfOptions = {}) {
    const { tries = 3, pause = 250, longestWait = 30_000, fetch = globalThis.fetch } = options;
    this.#language = options.language;
    this.#mayAskAgain = tries > 1;
    this.http = createClient<paths>({
      baseUrl,
      fetch: persistent((request) => fetch(request), { tries, pause, longestWait }),
      headers: {
        // The service reads JSON whatever it is called, and for text a browser asks no preflight.
        "Content-Type": "text/plain;charset=UTF-8",
        ...(options.apiKey === undefined ? {} : { Authorization: `Bearer ${options.apiKey}` }),
      },
    });
  }

  /** Rolls. A request without seed, nonce and faces gets a seed, so that asking again gives the same roll. */
  async roll<A extends RollAction, O extends RollOptions = RollOptions>(
    action: A, request: RequestOf<A>, options?: O,
  ): Promise<AnswerOf<A> & Extras<A, O>> {
    const { odds, exact, receipt, ...call } = options ?? ({} as RollOptions);
    return this.#post(`/v1/${action}`, this.#seeded(request), call, { odds, exact, receipt });
  }

  /** Works out what needs no dice. */
  async compute<A extends ComputeAction>(
    action: A, request: RequestOf<A>, { receipt, ...call }: Omit<RollOptions, "odds" | "exact"> = {},
  ): Promise<AnswerOf<A>> {
    return this.#post(`/v1/${action}`, request, call, { receipt });
  }

  /** Works out the exact odds of a roll. Asked by GET, so that the browser's cache keeps them. */
  async odds<A extends OddsAction>(
    action: A, situation: SituationOf<A>, { exact, ...call }: Omit<RollOptions, "odds" | "receipt"> = {},
  ): Promise<OddsOf<A>> {
    const path = `/v1/${action}/odds`;
    const request = JSON.stringify(situation);
    if (encodeURIComponent(request).length > LONGEST_QUERY) return this.#post(path, situation, call, { exact });
    return this.#ask("get", path, call, { query: { request, exact } });
  }

  /** Resolves up to 1,000 actions in one call. An item that is refused spoils no other. */
  async batch<const Items extends readonly [BatchItem, ...BatchItem[]] | readonly BatchItem[]>(
    items: Items, { seed, nonce, receipt, ...call }: BatchOptions = {},
  ): Promise<BatchAnswer<Items>> {
    const body = this.#seeded({ seed, nonce, items: items.map(asSent) });
    const answer: Schemas["BatchAnswer"] = await this.#post("/v1/batch", body, call, { receipt });
    return { ...answer, results: answer.results.map(asResult) } as unknown as BatchAnswer<Items>;
  }

  /** Lets the service check a receipt. `wurf-client/verify` does so without asking it. */
  async verify(receipt: string, call: CallOptions = {}): Promise<Schemas["ReceiptVerdict"]> {
    return this.#post("/v1/receipts/verify", { receipt }, call);
  }

  /** The public keys that receipts can be checked with. */
  async keys(call: CallOptions = {}): Promise<Schemas["KeySet"]> {
    return this.#ask("get", "/.well-known/jwks.json", call);
  }

  /** All rulesets. */
  async rulesets(call: CallOptions = {}): Promise<Schemas["RulesetEntry"][]> {
    return this.#ask("get", "/v1/rulesets", call);
  }

  /** A ruleset with its actions, its words in each language and examples. */
  async ruleset(id: string, call: CallOptions = {}): Promise<Schemas["RulesetCard"]> {
    return this.#ask("get", `/v1/rulesets/${encodeURIComponent(id)}`, call);
  }

  /** What the service is, can do and allows. */
  async info(call: CallOptions = {}): Promise<Schemas["Info"]> {
    return this.#ask("get", "/v1/info", call);
  }

  /** Draws a seed before the first try. Where there is only one, the service may draw it. */
  #seeded<T extends object>(request: T): T {
    const { seed, nonce, faces } = request as { seed?: unknown; nonce?: unknown; faces?: unknown };
    return this.#mayAskAgain && (seed ?? nonce ?? faces) == null ? { ...request, seed: freshSeed() } : request;
  }

  #post<T>(path: string, body: unknown, call: CallOptions, query: Query = {}): Promise<T> {
    return this.#ask("post", path, call, { query, body });
  }

  async #ask<T>(
    method: "get" | "post", path: string, { language, signal }: CallOptions, sent: { query?: Query; body?: unknown } = {},
  ): Promise<T> {
    const query = { lang: language ?? this.#language, ...sent.query };
    // What a path takes and gives is settled by the types of the methods above.
    const { data, error, response } = await this.http.request(method, path as never, {
      params: { query }, body: sent.body, signal,
    } as never) as { data?: T; error?: unknown; response: Response };
    if (!response.ok) throw new WurfProblem(response.status, error, retryAfter(response));
    return data as T;
  }
}

/** Draws a seed of 128 bits. */
export function freshSeed(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function asSent(item: BatchItem) {
  const [ruleset, action] = ("roll" in item ? item.roll : "odds" in item ? item.odds : item.compute).split("/");
  return { ruleset, action, request: item.request, ...("odds" in item ? { odds: true } : {}) };
}

function asResult({ status, ref, answer, problem }: Schemas["BatchResult"]) {
  return (problem ? { status, ref, problem: new WurfProblem(status, problem) } : { status, ref, answer }) as Result<unknown>;
}
