import { escaped, type SelectedTest } from './selectors.ts'

/**
 * Separates the words of titles. Vitest 5 joins titles with ` > ` as reports do, all other runners of JavaScript with a
 * space. Reports omit empty titles and the whitespace around titles, which the runners keep.
 */
const separator = /\s+(?:>\s+)*/

export const titlesOf = ({ suite, name }: SelectedTest): string[] =>
  [...suite.split(' > '), name].filter((title) => title.trim() !== '')

/**
 * Returns the words of a text. `patternOf` matches exactly the texts with the same words, so tests with other words are
 * other tests for a runner.
 */
export function wordsOf(text: string): string[] {
  return ` ${text.trimEnd()}`.split(separator).filter((word) => word !== '')
}

/** Returns a pattern without anchors at its ends, for one of several alternatives in `wholly`. */
export function patternOf(words: readonly string[]): string {
  return words.map(escaped).join(separator.source)
}

/** Returns a pattern of JavaScript for texts that one of the alternatives matches from end to end. */
export function wholly(alternatives: readonly string[]): string {
  return String.raw`^\s*(?:>\s+)*(?:${alternatives.join('|')})\s*$`
}

/** Returns a pattern of JavaScript for all other texts. */
export function notWholly(alternatives: readonly string[]): string {
  return `^(?!${wholly(alternatives).slice(1)})`
}
