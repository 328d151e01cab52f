/** The part of a text from `start` to before `end`. */
export interface Span {
  start: number
  end: number
}

/**
 * Finds a set of texts in a stream of characters with the automaton of Aho and Corasick: each character takes the same
 * time, however many texts there are. With one search per text, a project with 100,000 lines of secrets would stop the
 * server.
 */
export interface Matcher {
  /** Starts at the beginning of a stream. */
  begin(): Scan
}

export interface Scan {
  /**
   * Continues with the next part of the stream, and adds the places at which it found a text, in order. Those that
   * overlap become one.
   *
   * @param spans - the places found before that may still overlap with others
   */
  take(text: string, spans: Span[]): void
  /** The position in the stream from which on a text may have begun that has not ended yet. */
  readonly open: number
}

/** The states of the automaton are the beginnings of the texts, in the order of their lengths. State 0 is empty. */
interface States {
  /** The last character of each state. */
  readonly unit: Uint16Array
  readonly depth: Int32Array
  /** The first of the states that are one character longer; they end where those of the next state begin. */
  readonly firstChild: Int32Array
  /** The longest other state with which the state ends. */
  readonly shorter: Int32Array
  /** The length of the longest text with which the state ends, or 0. */
  readonly found: Int32Array
}

export function matcherOf(texts: readonly string[]): Matcher {
  const states = statesOf([...new Set(texts)].filter((text) => text !== '').toSorted(byUnits))
  const fromStart = new Int32Array(65_536)
  for (let state = childrenOf(states, 0).start; state < childrenOf(states, 0).end; state++) {
    fromStart[states.unit[state] ?? 0] = state
  }
  const next = (from: number, unit: number) => {
    for (let state = from; state !== 0; state = states.shorter[state] ?? 0) {
      const child = childOf(states, state, unit)
      if (child !== 0) return child
    }
    return fromStart[unit] ?? 0
  }
  link(states, next)
  return { begin: () => scanWith(states, next) }
}

function scanWith({ depth, found }: States, next: (state: number, unit: number) => number): Scan {
  let state = 0
  let at = 0
  return {
    take(text, spans) {
      for (let index = 0; index < text.length; index++) {
        state = next(state, text.charCodeAt(index))
        at++
        const length = found[state] ?? 0
        if (length === 0) continue
        const span = { start: at - length, end: at }
        for (let last = spans.at(-1); last && last.end > span.start; last = spans.at(-1)) {
          span.start = Math.min(span.start, last.start)
          spans.pop()
        }
        spans.push(span)
      }
    },
    get open() {
      return at - (depth[state] ?? 0)
    },
  }
}

/** Builds the states level by level from sorted texts: the texts with the same beginning are neighbors. */
function statesOf(texts: readonly string[]): States {
  const max = texts.reduce((sum, { length }) => sum + length, 1)
  const unit = new Uint16Array(max)
  const depth = new Int32Array(max)
  const firstChild = new Int32Array(max + 1)
  const found = new Int32Array(max)
  // The texts that begin with each state.
  const from = new Int32Array(max)
  const to = new Int32Array(max)
  to[0] = texts.length
  let count = 1
  for (let state = 0; state < count; state++) {
    const length = depth[state] ?? 0
    const end = to[state] ?? 0
    let at = from[state] ?? 0
    // The text that ends here comes before those that continue.
    if (texts[at]?.length === length) {
      found[state] = length
      at++
    }
    firstChild[state] = count
    while (at < end) {
      const first = texts[at]?.charCodeAt(length) ?? 0
      unit[count] = first
      depth[count] = length + 1
      from[count] = at
      while (at < end && texts[at]?.charCodeAt(length) === first) at++
      to[count++] = at
    }
  }
  firstChild[count] = count
  return { unit, depth, firstChild: firstChild.subarray(0, count + 1), shorter: new Int32Array(count), found }
}

/** Adds the links to shorter states. Those of shorter states are complete, because they come first. */
function link(states: States, next: (state: number, unit: number) => number): void {
  const { unit, depth, shorter, found } = states
  for (let state = 0; state < shorter.length; state++) {
    const { start, end } = childrenOf(states, state)
    for (let child = start; child < end; child++) {
      const link = (depth[child] ?? 0) > 1 ? next(shorter[state] ?? 0, unit[child] ?? 0) : 0
      shorter[child] = link
      found[child] ||= found[link] ?? 0
    }
  }
}

const childrenOf = ({ firstChild }: States, state: number): Span => ({
  start: firstChild[state] ?? 0,
  end: firstChild[state + 1] ?? 0,
})

/** Searches the children, which are sorted. */
function childOf({ unit, firstChild }: States, state: number, wanted: number): number {
  let low = firstChild[state] ?? 0
  let high = (firstChild[state + 1] ?? 0) - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = unit[middle] ?? 0
    if (found === wanted) return middle
    if (found < wanted) low = middle + 1
    else high = middle - 1
  }
  return 0
}

/** Orders texts by their code units. */
const byUnits = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
