/** `1-3,7` as a list of numbers, sorted and each once. */
export function expandRanges(text) {
  const numbers = new Set()
  for (const part of text.split(',')) {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part.trim()) ?? []
    if (first === undefined) throw new SyntaxError(`no range: ${part}`)
    if (Number(last) < Number(first)) throw new RangeError(`runs backwards: ${part}`)
    for (let number = Number(first); number <= Number(last); number++) numbers.add(number)
  }
  return [...numbers].toSorted((a, b) => a - b)
}
