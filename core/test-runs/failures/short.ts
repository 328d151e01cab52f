/** Shortens a text to `maxLength` characters. */
export function short(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  // A cut through a surrogate pair would leave half a character.
  return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
