/**
 * Removes far-fetched suggestions from Commander's message: it suggests `logout` for `bogus`. Nearly every typing error
 * keeps the first or the last character.
 */
export function withoutFarNames(message: string): string {
  return message.replace(/('-{0,2}([^'\n]*)')\n\(Did you mean (?:one of )?(.*)\?\)/, (_, quoted, typed, names) => {
    const near = String(names)
      .split(', ')
      .filter((name) => isNear(name.replace(/^-+/, ''), String(typed)))
    if (near.length === 0) return String(quoted)
    return `${quoted}\n(Did you mean ${near.length > 1 ? 'one of ' : ''}${near.join(', ')}?)`
  })
}

const isNear = (name: string, typed: string) => name[0] === typed[0] || name.at(-1) === typed.at(-1)
