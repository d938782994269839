// Against a real service, whose address is in WURF_URL. It signs receipts and takes nonces.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { freshSeed, Wurf, WurfProblem } from "wurf-client";
import { checkReceipt, checkRoll, faces } from "wurf-client/verify";

const URL = process.env.WURF_URL;
const SOON = { pause: 1 };

/**
 * Fetches, but lets some answers come to harm on their way back.
 *
 * @param {...(answer: Response) => Response | Promise<Response>} harms one for each of the first answers
 */
function unlucky(...harms) {
  const sent = [];
  const answered = [];
  const fetch = async (request) => {
    sent.push({ url: request.url, body: await request.clone().text(), headers: request.headers });
    const answer = await globalThis.fetch(request);
    answered.push(await answer.clone().text());
    return (harms[sent.length - 1] ?? ((unharmed) => unharmed))(answer);
  };
  return { fetch, sent, answered };
}

const lost = () => {
  throw new TypeError("fetch failed");
};
const cut = (answer) => {
  const body = new ReadableStream({ start: (controller) => controller.error(new TypeError("terminated")) });
  return new Response(body, answer);
};
const instead = (status, headers = {}) => () => new Response("<html>busy</html>", { status, headers });

const wurf = new Wurf(URL);

describe("a roll", () => {
  test("is the one that its faces and seed give", async () => {
    const roll = await wurf.roll("zrps/roll", { value: 11, seed: "demo" });
    assert.deepEqual([roll.outcome, roll.faces, roll.source], ["success", [3], "client_seed"]);
    assert.equal(await checkRoll(roll), true);
  });

  test("gets a seed of 128 bits, each time another", async () => {
    const seeds = await Promise.all([1, 2].map(async () => (await wurf.roll("v20/roll", { pool: 3 })).seed));
    for (const seed of seeds) assert.match(seed, /^[0-9a-f]{32}$/);
    assert.notEqual(seeds[0], seeds[1]);
  });

  test("keeps faces, nonce and a seed of one's own", async () => {
    const thrown = await wurf.roll("zrps/roll", { value: 11, faces: [20], seed: null });
    assert.equal(thrown.source, "given_faces");
    const named = await wurf.roll("zrps/roll", { value: 11, nonce: "round 1, Mara" });
    assert.equal(named.source, "server_keyed");
    const zero = await wurf.roll("zrps/roll", { value: 11, seed: 0 });
    assert.equal(zero.seed, "0");
  });

  test("leaves the seed to the service where nothing is sent twice", async () => {
    const roll = await new Wurf(URL, { tries: 1 }).roll("zrps/roll", { value: 11 });
    assert.equal(roll.source, "server_seed");
  });

  test("speaks the language that was asked for", async () => {
    const german = new Wurf(URL, { language: "de" });
    const request = { value: 11, faces: [3] };
    assert.match((await german.roll("zrps/roll", request)).text, /gegen effektiven Wert 11: Erfolg/);
    assert.match((await german.roll("zrps/roll", request, { language: "en" })).text, /effective value 11: Success/);
    await assert.rejects(german.roll("zrps/roll", { ...request, faces: [21] }), ({ errors }) => {
      assert.match(errors[0].message, /höchstens 20/);
      return true;
    });
  });

  test("brings odds and a receipt where they are asked for", async () => {
    const { odds, receipt } = await wurf.roll("v20/roll", { pool: 2 }, { odds: true, exact: false, receipt: true });
    assert.equal(odds.quantity, "total_successes");
    assert.equal(odds.outcomes[0].exact, undefined);
    assert.equal(receipt.split(".").length, 3);
  });
});

describe("asking again", () => {
  for (const [name, harm] of Object.entries({
    "an answer that was lost": lost,
    "an answer that was cut short": cut,
    "a bad gateway": instead(502),
    "an overload": instead(503, { "Retry-After": "0" }),
    "a gateway that waited too long": instead(504),
    "a limit that says when": instead(429, { "Retry-After": "0" }),
    "a limit that names a moment": instead(429, { "Retry-After": new Date(0).toUTCString() }),
  })) {
    test(`gives the same roll after ${name}`, async () => {
      const { fetch, sent, answered } = unlucky(harm, harm);
      const roll = await new Wurf(URL, { fetch, ...SOON }).roll("dice/roll", { sides: 100, count: 20 });
      assert.equal(sent.length, 3);
      assert.equal(new Set(answered).size, 1);
      assert.deepEqual(roll, JSON.parse(answered[0]));
      assert.match(roll.seed, /^[0-9a-f]{32}$/);
    });
  }

  test("gives the same batch", async () => {
    const { fetch, sent, answered } = unlucky(lost);
    await new Wurf(URL, { fetch, ...SOON }).batch([{ roll: "zrps/roll", request: { value: 11 } }]);
    assert.equal(sent.length, 2);
    assert.equal(answered[0], answered[1]);
  });

  test("ends after as many tries as were allowed", async () => {
    const all = unlucky(lost, lost, lost, lost);
    await assert.rejects(new Wurf(URL, { fetch: all.fetch, tries: 2, ...SOON }).info(), TypeError);
    assert.equal(all.sent.length, 2);
    const busy = unlucky(instead(503), instead(503), instead(503));
    await assert.rejects(new Wurf(URL, { fetch: busy.fetch, ...SOON }).info(), { status: 503, code: null });
    assert.equal(busy.sent.length, 3);
  });

  test("is not done where it would not help or would take too long", async () => {
    for (const [status, headers] of [[429, {}], [429, { "Retry-After": "61" }], [503, { "Retry-After": "61" }], [500, {}]]) {
      const { fetch, sent } = unlucky(instead(status, headers));
      const asked = new Wurf(URL, { fetch, longestWait: 60_000, ...SOON }).info();
      await assert.rejects(asked, { name: "WurfProblem", status, retryAfter: headers["Retry-After"] ? 61 : null });
      assert.equal(sent.length, 1);
    }
  });

  test("stops when its signal is aborted, in the middle of a wait", async () => {
    const stop = new AbortController();
    const { fetch, sent } = unlucky((answer) => {
      setTimeout(() => stop.abort(new Error("the player left")), 10);
      return instead(503, { "Retry-After": "20" })(answer);
    });
    const asked = new Wurf(URL, { fetch }).roll("zrps/roll", { value: 11 }, { signal: stop.signal });
    await assert.rejects(asked, /the player left/);
    assert.equal(sent.length, 1);
  });

  test("never begins when its signal was aborted before", async () => {
    const asked = wurf.roll("zrps/roll", { value: 11 }, { signal: AbortSignal.abort() });
    await assert.rejects(asked, { name: "AbortError" });
  });
});

describe("a problem", () => {
  test("is an error with its code and its fields", async () => {
    const asked = wurf.roll("zrps/roll", /** @type {any} */ ({ value: "11", modifers: [] }));
    await assert.rejects(asked, (problem) => {
      assert(problem instanceof WurfProblem && problem instanceof Error);
      assert.equal(problem.status, 422);
      assert.equal(problem.code, "validation");
      assert.deepEqual(problem.errors.map(({ pointer, code }) => [pointer, code]), [
        ["/value", "wrong_type"], ["/modifers", "unknown_field"],
      ]);
      assert.equal(problem.document.instance, `urn:wurf:request:${problem.requestId}`);
      assert.equal(problem.message, `validation: ${problem.detail}`);
      return true;
    });
  });

  test("of something between here and the service has no document", async () => {
    const { fetch } = unlucky(instead(404));
    await assert.rejects(new Wurf(URL, { fetch }).info(), (problem) => {
      assert.deepEqual([problem.code, problem.document, problem.requestId, problem.errors], [null, null, null, []]);
      assert.match(problem.detail, /404/);
      return true;
    });
  });
});

describe("odds", () => {
  test("are asked by GET, so that caches keep them", async () => {
    const { fetch, sent } = unlucky();
    const odds = await new Wurf(URL, { fetch }).odds("zrps/roll", { value: 11 }, { exact: false });
    assert.equal(odds.success.probability, 0.55);
    assert.equal(sent[0].body, "");
    assert.match(sent[0].url, /\/v1\/zrps\/roll\/odds\?.*request=%7B/);
  });

  test("are asked by POST where the situation is too long for an address", async () => {
    const { fetch, sent } = unlucky();
    const modifiers = Array.from({ length: 50 }, (_, value) => ({ value, label: "ü".repeat(100) }));
    const odds = await new Wurf(URL, { fetch }).odds("zrps/roll", { value: 11, modifiers });
    assert.equal(odds.success.exact, "19/20");
    assert.notEqual(sent[0].body, "");
  });
});

describe("a batch", () => {
  test("has a result for each item, each as alone", async () => {
    const batch = await wurf.batch([
      { roll: "zrps/roll", request: { value: 11, ref: "Mara" } },
      { roll: "three-marks/roll", request: { advantage: 0, damage: 5, faces: [7] } },
      { odds: "zrps/roll", request: { value: 11 } },
      { compute: "pathfinder2e/amount", request: { value: 7, multipliers: [2] } },
    ], { seed: "round 3" });
    const [mara, refused, odds, amount] = batch.results;
    assert.equal(mara.ref, "Mara");
    assert.deepEqual({ ...mara.answer, source: "" }, {
      ...await wurf.roll("zrps/roll", { value: 11, ref: "Mara", seed: "round 3#0" }), source: "",
    });
    assert(refused.problem instanceof WurfProblem);
    assert.deepEqual([refused.status, refused.problem.errors[0].pointer], [422, "/faces/0"]);
    assert.deepEqual(odds.answer, await wurf.odds("zrps/roll", { value: 11 }));
    assert.equal(amount.answer.result, 14);
  });

  test("takes a nonce", async () => {
    const rolled = () => wurf.batch([{ roll: "v20/roll", request: { pool: 9 } }], { nonce: "round 4" });
    assert.deepEqual(await rolled(), await rolled());
  });

  test("as a whole may be refused", async () => {
    await assert.rejects(wurf.batch([]), { code: "validation" });
  });
});

describe("a receipt", () => {
  test("is checked by the service and without it", async () => {
    const { receipt, faces: shown, seed } = await wurf.roll("zrps/roll", { value: 11 }, { receipt: true });
    assert.deepEqual(await faces(seed, "zrps", "roll", 20, 1), shown);
    const { signature, replay, source } = await wurf.verify(receipt);
    assert.deepEqual([signature, replay, source], ["valid", "same", "client_seed"]);
    const checked = await checkReceipt(receipt, await wurf.keys());
    assert.deepEqual([checked.signature, checked.faces], ["valid", "same"]);
    const [head, , end] = receipt.split(".");
    assert.equal((await wurf.verify([head, "e30", end].join("."))).signature, "invalid");
  });

  test("comes with what needs no dice, and with each item of a batch", async () => {
    const amount = await wurf.compute("pathfinder2e/amount", { value: 7 }, { receipt: true });
    assert.equal((await wurf.verify(amount.receipt)).replay, "unavailable");
    const { results } = await wurf.batch([{ roll: "dice/roll", request: { sides: 6, count: 1 } }], { receipt: true });
    assert.equal((await wurf.verify(results[0].answer.receipt)).signature, "valid");
  });
});

describe("the documents", () => {
  test("are there", async () => {
    const rulesets = await wurf.rulesets();
    for (const { id, actions } of rulesets) {
      assert.deepEqual((await wurf.ruleset(id)).actions.map(({ name }) => name), actions);
    }
    assert.equal((await wurf.info()).stream, "dice1");
    await assert.rejects(wurf.ruleset("a/b"), { code: "not_found" });
    const { data } = await wurf.http.GET("/v1/problems/{code}", { params: { path: { code: "not_found" } } });
    assert.equal(data.status, 404);
  });
});

test("a browser asks no preflight, unless there is a key to send", async () => {
  const { fetch, sent } = unlucky();
  await new Wurf(URL, { fetch }).roll("zrps/roll", { value: 11 });
  await new Wurf(URL, { fetch, apiKey: "k" }).roll("zrps/roll", { value: 11 });
  assert.deepEqual([...sent[0].headers], [["content-type", "text/plain;charset=UTF-8"]]);
  assert.equal(sent[1].headers.get("Authorization"), "Bearer k");
});

test("an address with a slash at its end will do", async () => {
  assert.equal((await new Wurf(`${URL}/`).info()).name, "Wurf");
});

test("a fresh seed is 32 digits", () => {
  assert.match(freshSeed(), /^[0-9a-f]{32}$/);
});
