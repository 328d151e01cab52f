// Reads source maps, which say of places of a script from which places of its sources they were made.
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const valueOf = new Map(Array.from(digits, (digit, value) => [digit, value]))

/** Reads the mappings of a source map: line and column in the script, source, line and column in the source. */
export function* segmentsOf(mappings) {
  let [source, originalLine, originalColumn] = [0, 0, 0]
  for (const [line, group] of mappings.split(';').entries()) {
    let column = 0
    for (const segment of group.split(',')) {
      const [columns = 0, sources, lines, originalColumns = 0] = numbersOf(segment)
      column += columns
      if (sources === undefined || lines === undefined) continue
      source += sources
      originalLine += lines
      originalColumn += originalColumns
      yield [line, column, source, originalLine, originalColumn]
    }
  }
}

function numbersOf(segment) {
  const numbers = []
  let [value, shift] = [0, 0]
  for (const digit of segment) {
    const bits = valueOf.get(digit) ?? 0
    value += (bits & 31) * 2 ** shift
    if (bits & 32) shift += 5
    else {
      numbers.push(value % 2 === 1 ? -(value - 1) / 2 : value / 2)
      value = shift = 0
    }
  }
  return numbers
}
