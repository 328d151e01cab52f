/** One part of a pattern. `folders` is `**` with a slash, which matches any number of whole folders, also none. */
type Part = 'folders' | 'anything' | 'segment' | 'character' | { oneOf: (character: string) => boolean }

const maxAlternatives = 100
/** Of all alternatives together. */
const maxExpanded = 4_000

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

/**
 * Keeps two flags for each place in the pattern at which the path so far may stand: whether it does, and whether it is
 * within a folder that `folders` has begun to stand for.
 */
function matches(parts: readonly Part[], path: string): boolean {
  const size = 2 * (parts.length + 1)
  let places = new Uint8Array(size)
  let next = new Uint8Array(size)
  places[0] = 1
  skipStars(places, parts)
  for (const character of path) {
    next.fill(0)
    let isAnywhere = false
    for (let at = 0; at < size; at++) {
      if (places[at] !== 1) continue
      const place = at >> 1
      const to = after(parts[place], place, character)
      if (to === undefined) continue
      next[to] = 1
      isAnywhere = true
    }
    if (!isAnywhere) return false
    skipStars(next, parts)
    ;[places, next] = [next, places]
  }
  return places[2 * parts.length] === 1
}

/** Where the flag of a place goes with a character; undefined if the part does not match it. */
function after(part: Part | undefined, place: number, character: string): number | undefined {
  if (part === undefined) return undefined
  if (part === 'folders') return 2 * place + (character === '/' ? 0 : 1)
  if (part === 'anything' || (part === 'segment' && character !== '/')) return 2 * place
  const isMatch = part === 'character' ? character !== '/' : typeof part === 'object' && part.oneOf(character)
  return isMatch ? 2 * (place + 1) : undefined
}

/** Stars may stand for nothing. */
function skipStars(places: Uint8Array, parts: readonly Part[]): void {
  for (const [place, part] of parts.entries()) {
    if (places[2 * place] === 1 && typeof part === 'string' && part !== 'character') places[2 * (place + 1)] = 1
  }
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
    const length = next.reduce((sum, text) => sum + text.length, 0)
    if (next.length > maxAlternatives || length > maxExpanded) return [pattern]
    found = next
  }
}
