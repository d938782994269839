/** The module's settings. */

export const MODULE = "wurf";

const SETTINGS = {
  // Known to the whole table, and set by the game master alone.
  address: { scope: "world", type: String, default: "http://localhost:8000" },
  everyDie: { scope: "world", type: Boolean, default: false, requiresReload: true },
  // Kept in each player's own browser. Whatever the world keeps is sent to every player, whoever may see the
  // menu for it; a key there would be everybody's.
  apiKey: { scope: "client", type: String, default: "" },
  language: { scope: "client", type: String, default: "" },
};

/** Registers the settings. Their words are `WURF.Setting.<name>.Name` and `.Hint`. */
export function registerSettings() {
  for (const [key, setting] of Object.entries(SETTINGS)) {
    const words = { name: `WURF.Setting.${key}.Name`, hint: `WURF.Setting.${key}.Hint` };
    const choices = key === "language" && { "": "WURF.Setting.language.Foundry", en: "English", de: "Deutsch" };
    game.settings.register(MODULE, key, { config: true, ...words, ...(choices && { choices }), ...setting });
  }
}

/**
 * Reads a setting.
 *
 * @param {keyof typeof SETTINGS} key
 */
export function setting(key) {
  return game.settings.get(MODULE, key);
}
