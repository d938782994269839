/** What the service refuses, as an error. */

import type { Schemas } from "./types.js";

/** A problem document (RFC 9457). */
export type ProblemDocument = Schemas["Problem"];
/** The codes known today; the service may learn more. */
export type ProblemCode = ProblemDocument["code"] | (string & {});
/** A field that is wrong. */
export type FieldError = NonNullable<ProblemDocument["errors"]>[number];

/** An answer that is no success. Where it comes from the service, `document` says what is wrong. */
export class WurfProblem extends Error {
  override readonly name = "WurfProblem";
  /** The HTTP status. */
  readonly status: number;
  /** The whole problem document; null where something between here and the service answered. */
  readonly document: ProblemDocument | null;
  /** The seconds after which to ask again, where the answer names them. */
  readonly retryAfter: number | null;

  constructor(status: number, body: unknown, retryAfter: number | null = null) {
    const document = isDocument(body) ? body : null;
    super(document ? `${document.code}: ${document.detail}` : `status ${status} without a problem document`);
    this.status = status;
    this.document = document;
    this.retryAfter = retryAfter;
  }

  /** The problem's word, for programs; null without a document. */
  get code(): ProblemCode | null {
    return this.document?.code ?? null;
  }

  /** What to do about it, for people, in the language that was asked for. */
  get detail(): string {
    return this.document?.detail ?? this.message;
  }

  /** Every field that is wrong. */
  get errors(): readonly FieldError[] {
    return this.document?.errors ?? [];
  }

  /** Finds the request in the service's log. */
  get requestId(): string | null {
    return this.document?.request_id ?? null;
  }
}

function isDocument(body: unknown): body is ProblemDocument {
  return typeof body === "object" && body !== null && "code" in body && "detail" in body;
}
