/** The fields of one line; quotes keep commas, and two of them stand for one. */
export function parseCsvLine(line: string): string[] {
  const fields: string[] = []
  let [field, quoted] = ['', false]
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? ''
    if (quoted && character === '"' && line[at + 1] === '"') {
      field += '"'
      at++
    } else if (character === '"') quoted = !quoted
    else if (character === ',' && !quoted) {
      fields.push(field)
      field = ''
    } else field += character
  }
  if (quoted) throw new SyntaxError('a quote is not closed')
  return [...fields, field]
}
