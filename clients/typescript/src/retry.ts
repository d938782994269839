/** Asking again where the answer was lost or the service had no time. */

/** How often and how long to ask again. */
export interface Patience {
  /** How often to ask at most. */
  tries: number;
  /** Milliseconds before the second try; twice as many before each further one. */
  pause: number;
  /** Milliseconds that `Retry-After` may ask for; one that asks for more is not waited for. */
  longestWait: number;
}

const NO_TIME = [502, 503, 504];
const TOO_OFTEN = 429;
/** Statuses that come without a body. */
const BODYLESS = [204, 205, 304];

/**
 * Makes a `fetch` that asks again after a network error, after 502, 503 and 504, and after 429 where the answer
 * says when. An answer counts only once all of it is here. Whoever uses it must send what may be sent twice.
 */
export function persistent(fetch: typeof globalThis.fetch, patience: Patience) {
  return async (request: Request): Promise<Response> => {
    for (let tries = 1; ; tries++) {
      const last = tries >= patience.tries;
      const backoff = patience.pause * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
      try {
        // A request can be sent once; a copy of it leaves it for the next try.
        const answer = await whole(await fetch(last ? request : request.clone()));
        const wait = delay(answer, backoff);
        if (last || wait === null || wait > patience.longestWait) return answer;
        await sleep(wait, request.signal);
      } catch (error) {
        if (last || request.signal.aborted) throw error;
        await sleep(backoff, request.signal);
      }
    }
  };
}

/** The seconds of `Retry-After`, which is a number or a date (RFC 9110, section 10.2.3); null without one. */
export function retryAfter(answer: Response): number | null {
  const value = answer.headers.get("Retry-After");
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1000);
}

/** The milliseconds to wait before asking again; null where that would not help. */
function delay(answer: Response, backoff: number): number | null {
  const seconds = retryAfter(answer);
  if (NO_TIME.includes(answer.status)) return seconds === null ? backoff : seconds * 1000;
  return answer.status === TOO_OFTEN && seconds !== null ? seconds * 1000 : null;
}

async function whole(answer: Response): Promise<Response> {
  const { status, statusText, headers } = answer;
  const body = BODYLESS.includes(status) ? null : await answer.arrayBuffer();
  return new Response(body, { status, statusText, headers });
}

/** Waits. Throws the signal's reason as soon as it is aborted. */
async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", aborted);
    function done() {
      signal.removeEventListener("abort", aborted);
      resolve();
    }
    function aborted() {
      clearTimeout(timer);
      reject(signal.reason);
    }
  });
}
