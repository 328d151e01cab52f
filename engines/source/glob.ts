/** One part of a pattern. `folders` is `**` with a slash, which matches any number of whole folders, also none. */
type Part = 'folders' | 'anything' | 'segment' | 'character' | { oneOf: (character: string) => boolean }

const maxAlternatives = 100

/**
 * Whether a path matches a glob: `*` and `?` do not stand for slashes, `**` does, `[a-z]`, `[!a-z]` and `{a,b}` are
 * known, a backslash takes the next character as it is. Dots are characters like others.
 *
 * Each step keeps every place in the pattern at which the path so far may stand. The time is thus the product of both
 * lengths at the most, whatever settings or repositories say: libraries translate patterns into regular expressions,
 * which a pattern of many stars keeps busy for hours.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const alternatives = alternativesOf(pattern).map(partsOf)
  return (path) => alternatives.some((parts) => matches(parts, path))
}

/** A place in a pattern; within a folder that `folders` has begun to stand for, half a place further. */
function matches(parts: readonly Part[], path: string): boolean {
  let places = withSkips(new Set([0]), parts)
  for (const character of path) {
    const next = new Set<number>()
    for (const place of places) {
      const part = parts[Math.floor(place)]
      if (part === 'folders') next.add(Math.floor(place) + (character === '/' ? 0 : 0.5))
      else if (part === 'anything' || (part === 'segment' && character !== '/')) next.add(place)
      else if (part === 'character' ? character !== '/' : typeof part === 'object' && part.oneOf(character)) {
        next.add(place + 1)
      }
    }
    if (next.size === 0) return false
    places = withSkips(next, parts)
  }
  return places.has(parts.length)
}

/** Stars may stand for nothing. A set that grows while it is read also gives what was added. */
function withSkips(places: Set<number>, parts: readonly Part[]): Set<number> {
  for (const place of places) {
    const part = parts[place]
    if (part === 'segment' || part === 'anything' || part === 'folders') places.add(place + 1)
  }
  return places
}

function partsOf(pattern: string): Part[] {
  const tokens = pattern.match(/\*\*\/|\*+|\?|\[[!^]?\]?[^\]]*\]|\\[^]|[^]/gu) ?? []
  return tokens.map((token, index): Part => {
    const startsFolder = index === 0 || tokens[index - 1] === '/' || tokens[index - 1] === '**/'
    if (token === '**/' && startsFolder) return 'folders'
    if (token.startsWith('**')) return 'anything'
    if (token === '*') return 'segment'
    if (token === '?') return 'character'
    if (token.length > 1 && token.startsWith('[')) return { oneOf: classOf(token) }
    const literal = token.length > 1 && token.startsWith('\\') ? token.slice(1) : token
    return { oneOf: (character) => character === literal }
  })
}

function classOf(token: string): (character: string) => boolean {
  const negated = /^\[[!^]/.test(token)
  const content = token.slice(negated ? 2 : 1, -1)
  const ranges = [...content.matchAll(/([^])-([^])|([^])/gu)].map(([, from, to, one]) => [
    from ?? one ?? '',
    to ?? one ?? '',
  ])
  return (character) =>
    character !== '/' && ranges.some(([from = '', to = '']) => from <= character && character <= to) !== negated
}

/** Expands `{a,b}`. A pattern with too many alternatives is not expanded. */
function alternativesOf(pattern: string): string[] {
  let found = [pattern]
  for (;;) {
    const next = found.flatMap((text) => {
      const braces = /^((?:[^\\{]|\\[^])*)\{(?=[^{}]*\})([^{}]*,[^{}]*)\}([^]*)$/u.exec(text)
      if (!braces) return [text]
      const [, before = '', choices = '', after = ''] = braces
      return choices.split(',').map((choice) => `${before}${choice}${after}`)
    })
    if (next.length === found.length) return found
    if (next.length > maxAlternatives) return [pattern]
    found = next
  }
}
