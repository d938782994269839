// Answers questions to the module named on the command line: a line of JSON for each line of JSON.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { answersOf } from "./asking.mjs";

const module = await import(pathToFileURL(process.argv[2]).href);
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await answersOf(module, JSON.parse(line))));
}
