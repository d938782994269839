// Never run: what the compiler must accept and refuse.
import { type AnswerOf, type Schemas, Wurf, WurfProblem } from "wurf-client";
import { checkReceipt } from "wurf-client/verify";

declare const wurf: Wurf;

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
const same = <A, B>(_: Same<A, B>) => {};

export async function answersAreThoseOfTheirAction() {
  const roll = await wurf.roll("zrps/roll", { value: 11, modifiers: [{ value: -3, label: "Sand im Auge" }] });
  same<typeof roll.outcome, Schemas["ZrpsOutcome"]>(true);
  same<typeof roll.odds, Schemas["ZrpsRollOdds"] | undefined>(true);
  same<typeof roll.receipt, string | undefined>(true);
  same<AnswerOf<"pathfinder2e/amount">["result"], number>(true);
  const { distribution } = await wurf.odds("three-marks/roll", { advantage: 2 });
  same<typeof distribution, Schemas["ValueChance"][]>(true);
}

export async function whatIsAskedForIsThere() {
  const roll = await wurf.roll("v20/roll", { pool: 5 }, { odds: true, receipt: true });
  same<typeof roll.odds, Schemas["V20RollOdds"]>(true);
  same<typeof roll.receipt, string>(true);
  const dice = await wurf.roll("dice/roll", { sides: 6, count: 3 }, { receipt: true });
  same<typeof dice.receipt, string>(true);
}

export async function resultsAreThoseOfTheirItems() {
  const { results } = await wurf.batch([
    { roll: "zrps/roll", request: { value: 11, modifiers: [{ value: 1 }] } },
    { odds: "v20/roll", request: { pool: 3 } },
    { compute: "pathfinder2e/amount", request: { value: 7, multipliers: [2] } },
  ]);
  const [roll, odds, amount] = results;
  if (roll.answer) same<typeof roll.answer.grade, number>(true);
  else same<typeof roll.problem, WurfProblem>(true);
  same<NonNullable<typeof odds.answer>["mean"], Schemas["Mean"] | null>(true);
  same<NonNullable<typeof amount.answer>["multiplier"], number>(true);

  const goblins = ["A", "B"].map((ref) => ({ roll: "scorekeeper/roll" as const, request: { attribute: 7, ref } }));
  for (const { answer } of (await wurf.batch(goblins)).results) same<typeof answer, AnswerOf<"scorekeeper/roll"> | undefined>(true);
}

export async function whatTheServiceWouldRefuseIsRefused() {
  // @ts-expect-error no such ruleset
  await wurf.roll("dnd/roll", {});
  // @ts-expect-error no such field
  await wurf.roll("zrps/roll", { value: 11, bonus: 1 });
  // @ts-expect-error a number, not a text
  await wurf.roll("zrps/roll", { value: "11" });
  // @ts-expect-error the base value is missing
  await wurf.roll("zrps/roll", {});
  // @ts-expect-error no dice are thrown
  await wurf.roll("pathfinder2e/amount", { value: 7 });
  // @ts-expect-error plain dice have no odds
  await wurf.odds("dice/roll", { sides: 6, count: 1 });
  // @ts-expect-error not one of the words
  await wurf.roll("three-marks/roll", { advantage: 0, effects: ["sleepy"] });
  // @ts-expect-error an item names its action
  await wurf.batch([{ request: { value: 11 } }]);
}

export async function everyEndpointIsThere() {
  const { data } = await wurf.http.GET("/v1/rulesets/{ruleset}", { params: { path: { ruleset: "zrps" } } });
  same<typeof data, Schemas["RulesetCard"] | undefined>(true);
  const { signature } = await checkReceipt("…", await wurf.keys());
  same<typeof signature, "valid" | "invalid" | "unknown_key" | "malformed">(true);
}
