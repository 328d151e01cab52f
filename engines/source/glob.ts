/** One part of a pattern. `folders` is `**` with a slash, which matches any number of whole folders, also none. */
type Part = 'folders' | 'anything' | 'segment' | 'character' | { oneOf: (character: string) => boolean }

const maxAlternatives = 100
/** Of all alternatives together. */
const maxExpanded = 4_000

/** Above this number the states are forgotten, so that a hostile pattern takes time, but no memory. */
const maxStates = 1_000

/** Whether a path is a pattern and not a name. */
export const isGlob = (path: string) => /[*?[{]/.test(path)

/**
 * Whether a path matches a glob: `*` and `?` do not stand for slashes, `**` does, `[a-z]`, `[!a-z]` and `{a,b}` are
 * known, a backslash takes the next character as it is. Dots are characters like others.
 *
 * A matcher remembers where each character led, so most characters of a path cost one look-up. The time is at most the
 * product of both lengths, whatever settings or repositories say: libraries translate patterns into regular expressions,
 * which a pattern of many stars keeps busy for hours.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const automaton = new Automaton(alternativesOf(pattern).map(partsOf))
  return (path) => automaton.matches(path)
}

/** The places at which a path may stand in the pattern after some characters. */
interface State {
  /** Twice the place, and one more within a folder that `folders` has begun to stand for. */
  places: readonly number[]
  isMatch: boolean
  next: Map<string, State>
}

class Automaton {
  /** Of all alternatives, each with its end, which is undefined. */
  readonly #parts: (Part | undefined)[]
  readonly #states = new Map<string, State>()
  readonly #start: State

  constructor(alternatives: readonly (readonly Part[])[]) {
    this.#parts = alternatives.flatMap((parts) => [...parts, undefined])
    const starts = this.#parts.flatMap((_part, place) =>
      place === 0 || this.#parts[place - 1] === undefined ? [2 * place] : [],
    )
    this.#start = this.#stateOf(starts)
  }

  matches(path: string): boolean {
    let state = this.#start
    for (const character of path) {
      state = state.next.get(character) ?? this.#step(state, character)
      if (state.places.length === 0) return false
    }
    return state.isMatch
  }

  #step(state: State, character: string): State {
    const reached: number[] = []
    for (const at of state.places) {
      const to = after(this.#parts[at >> 1], at >> 1, character)
      if (to !== undefined) reached.push(to)
    }
    const next = this.#stateOf(reached)
    state.next.set(character, next)
    return next
  }

  #stateOf(reached: readonly number[]): State {
    const places = this.#withoutStars(reached)
    const key = String.fromCharCode(...places)
    const known = this.#states.get(key)
    if (known) return known
    if (this.#states.size >= maxStates) this.#forget()
    const state = { places, isMatch: places.some((at) => this.#parts[at >> 1] === undefined), next: new Map() }
    this.#states.set(key, state)
    return state
  }

  #forget(): void {
    for (const { next } of this.#states.values()) next.clear()
    this.#states.clear()
  }

  /** Adds the places behind stars, which may stand for nothing, and puts all in order. */
  #withoutStars(reached: readonly number[]): number[] {
    const isReached = new Uint8Array(2 * this.#parts.length)
    for (const at of reached) isReached[at] = 1
    const places: number[] = []
    // Typed arrays are iterated slowly.
    for (let at = 0; at < isReached.length; at++) {
      if (isReached[at] === 0) continue
      places.push(at)
      const part = this.#parts[at >> 1]
      if (at % 2 === 0 && typeof part === 'string' && part !== 'character') isReached[at + 2] = 1
    }
    return places
  }
}

/** Where a place goes with a character; undefined if the part does not match it. */
function after(part: Part | undefined, place: number, character: string): number | undefined {
  if (part === undefined) return undefined
  if (part === 'folders') return 2 * place + (character === '/' ? 0 : 1)
  if (part === 'anything' || (part === 'segment' && character !== '/')) return 2 * place
  const isMatch = part === 'character' ? character !== '/' : typeof part === 'object' && part.oneOf(character)
  return isMatch ? 2 * (place + 1) : undefined
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
