import { type Matcher, matcherOf, type Span } from './secret-matcher.ts'

const mark = '***'
/** Shorter values are not secrets, and masking them would destroy other text. */
const minLength = 6

/**
 * Masks the values of a project's environment in streams of bytes. Holds back only bytes with which a secret may have
 * begun.
 */
export function byteMaskOf(
  environment: Readonly<Record<string, string>>,
): (bytes: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
  // Latin-1 has one character per byte, so that binary data does not change.
  const matcher = matcherOf(secretsOf(environment).map((text) => Buffer.from(text).toString('latin1')))
  return (bytes) => maskStream(bytes, matcher)
}

async function* maskStream(bytes: AsyncIterable<Buffer>, matcher: Matcher): AsyncGenerator<Buffer> {
  const scan = matcher.begin()
  let held = ''
  let heldFrom = 0
  /** Everything before this position is yielded or masked. */
  let done = 0
  let spans: Span[] = []
  const passTo = (position: number) => {
    let text = ''
    const copyTo = (to: number) => {
      if (to > done) text += held.slice(done - heldFrom, to - heldFrom)
      done = Math.max(done, to)
    }
    const passed = spans.filter(({ start }) => start < position)
    for (const { start, end } of passed) {
      // The mark of a secret that overlaps the one before is there already.
      if (start >= done) {
        copyTo(start)
        text += mark
      }
      done = Math.max(done, end)
    }
    copyTo(position)
    spans = spans.slice(passed.length)
    held = held.slice(position - heldFrom)
    heldFrom = position
    return Buffer.from(text, 'latin1')
  }
  for await (const chunk of bytes) {
    const text = chunk.toString('latin1')
    held += text
    scan.take(text, spans)
    yield passTo(scan.open)
  }
  yield passTo(heldFrom + held.length)
}

/**
 * Returns a function that masks the values of a project's environment in a text, and the single lines of each value.
 * Secrets that overlap become one mark.
 */
export function maskOf(environment: Readonly<Record<string, string>>): (text: string) => string {
  const secrets = secretsOf(environment)
  if (secrets.length === 0) return (text) => text
  const matcher = matcherOf(secrets)
  return (text) => {
    const spans: Span[] = []
    matcher.begin().take(text, spans)
    if (spans.length === 0) return text
    let at = 0
    const shown = spans.map(({ start, end }) => {
      const before = text.slice(at, start)
      at = end
      return before
    })
    return [...shown, text.slice(at)].join(mark)
  }
}

/** Masks secrets in all texts of a value, because tests can write them into reports, names and messages. */
export function masked<Value>(value: Value, mask: (text: string) => string): Value {
  const hide = (inner: unknown): unknown => {
    if (typeof inner === 'string') return mask(inner)
    if (Array.isArray(inner)) return inner.map(hide)
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(Object.entries(inner).map(([name, part]) => [name, hide(part)]))
  }
  return hide(value) as Value
}

function secretsOf(environment: Readonly<Record<string, string>>): string[] {
  return Object.values(environment)
    .flatMap((value) => [value, ...value.split(/\r?\n/)])
    .filter((value) => value.trim().length >= minLength)
}
