/** `test('`, `await t.test("` */
const call = /^(?:await )?([\w.]{1,60})\((['"`])/

/**
 * Finds the declarations of tests by their titles, for reports without lines, such as those of node:test.
 *
 * @returns null unless every title is declared exactly once, because the lines of a test end where the next one begins
 */
export function linesByTitle(source: string, titles: readonly string[]): Map<string, number> | null {
  const lines = new Map<string, number | null>()
  for (const [index, line] of source.split('\n').entries()) {
    const title = titleIn(line.trimStart())
    if (title !== null) lines.set(title, lines.has(title) ? null : index + 1)
  }
  const found = new Map<string, number>()
  for (const title of titles) {
    const at = lines.get(title) ?? null
    if (at === null || found.has(title)) return null
    found.set(title, at)
  }
  return found
}

/** Returns the title of the test that a line declares. */
function titleIn(line: string): string | null {
  const [start, callee = '', quote] = call.exec(line) ?? []
  if (start === undefined || !callee.split('.').some((name) => name === 'test' || name === 'it')) return null
  let title = ''
  for (let at = start.length; at < line.length; at++) {
    const character = line.charAt(at)
    if (character === quote) return title
    // The title of a template is not in the source.
    if (quote === '`' && character === '$') return null
    title += character === '\\' ? line.charAt(++at) : character
  }
  return null
}
