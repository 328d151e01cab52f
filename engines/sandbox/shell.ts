/** Quotes a text as one word of a POSIX shell. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
