// A route of express around rpg-dice-roller, which rolls dice notation.

import { DiceRoll } from "@dice-roller/rpg-dice-roller";
import express from "express";

const app = express();
app.use(express.json());

app.post("/roll", (request, response) => {
  const roll = new DiceRoll(request.body.notation);
  response.json({ total: roll.total, text: roll.output });
});

app.listen(Number(process.env.PORT), "127.0.0.1");
