const declaration =
  /^[ \t]*(?:await[ \t]+)?(?:\w{1,20}\.)?(?:test|it)(?:\.\w{1,20})?\([ \t]*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\$\n]|\\.)*)`)/gm

/**
 * Finds the declarations of tests by their titles, for reports without lines, such as those of node:test.
 *
 * @returns null unless every title is declared exactly once, because the lines of a test end where the next one begins
 */
export function linesByTitle(source: string, titles: readonly string[]): Map<string, number> | null {
  const lines = new Map<string, number | null>()
  let line = 1
  let from = 0
  for (const { index, 0: text, 1: single, 2: double, 3: template } of source.matchAll(declaration)) {
    for (; from < index + text.length; from++) if (source.charCodeAt(from) === 10) line++
    const title = (single ?? double ?? template ?? '').replace(/\\(.)/g, '$1')
    lines.set(title, lines.has(title) ? null : line)
  }
  const found = new Map<string, number>()
  for (const title of titles) {
    const at = lines.get(title) ?? null
    if (at === null || found.has(title)) return null
    found.set(title, at)
  }
  return found
}
