const cut = '…'

/** One line of at most `max` characters. The source may be a megabyte long, of which only the start is read. */
export function oneLine(text: string, max: number): string {
  const start = text.length > max * 4 ? text.slice(0, max * 4) : text
  const line = start.replace(/\s+/g, ' ').trim()
  if (line.length <= max && start.length === text.length) return line
  // A cut inside of a surrogate pair would not be text.
  return `${line.slice(0, max - cut.length).replace(/[\uD800-\uDBFF]$/, '')}${cut}`
}
