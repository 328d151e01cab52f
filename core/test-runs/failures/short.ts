/** The beginning of a text on one line, at most so long. */
export function short(text: string, most: number): string {
  if (text.length <= most) return text
  // Cutting may part a surrogate pair, of which the half that is left goes.
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
