/** Where Foundry and the module meet. */

import { RollDialog, rollInChat } from "./dialog.mjs";
import { registerFulfillment } from "./fulfillment.mjs";
import { MODULE, registerSettings } from "./settings.mjs";

/** There is one dialog; it is made when it is first opened. */
let dialog;

const COMMAND = /^\/wurf(?:\s+(\S+))?\s*$/i;

Hooks.once("init", () => {
  registerSettings();
  registerFulfillment();
  game.modules.get(MODULE).api = { open, roll: rollInChat };
});

Hooks.on("getSceneControlButtons", (controls) => {
  const tool = { name: MODULE, title: "WURF.Title", icon: "fa-solid fa-receipt", button: true, visible: true };
  if (Array.isArray(controls)) {
    // Foundry 12 has lists, and calls what a click does by another name.
    controls.find(({ name }) => name === "token")?.tools.push({ ...tool, onClick: () => open() });
  } else if (controls.tokens) {
    const order = Object.keys(controls.tokens.tools).length;
    controls.tokens.tools[MODULE] = { ...tool, order, onChange: () => open() };
  }
});

// "/wurf", or "/wurf zrps/roll" to open the dialog with that action.
Hooks.on("chatMessage", (log, message) => {
  const command = COMMAND.exec(message);
  if (!command) return undefined;
  open(command[1]);
  return false;
});

async function open(action) {
  dialog ??= new RollDialog();
  return dialog.open(action);
}
