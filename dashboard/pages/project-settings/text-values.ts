/** Patterns, one on a line. */
export const linesOf = (patterns: readonly string[]) => patterns.join('\n')

export const patternsIn = (lines: string) =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** An empty field means that the setting is not set. */
export const orNull = (text: string) => (text.trim() === '' ? null : text.trim())
