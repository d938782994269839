/**
 * Calls one function of a module again and again; what it throws is answered by its name.
 *
 * @param {Record<string, (...given: any[]) => Promise<unknown>>} module
 * @param {[name: string, calls: any[][]]} question
 * @returns {Promise<unknown[]>} one answer a call
 */
export async function answersOf(module, [name, calls]) {
  const answers = [];
  for (const given of calls) {
    answers.push(await module[name](...given).catch((error) => ({ thrown: error.name })));
  }
  return answers;
}
