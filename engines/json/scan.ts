/** Receives the tokens of a JSON text near its root. Positions are in bytes. */
export interface JsonListener {
  /** Tokens within more containers are not reported. */
  maxDepth: number
  /** The name of a member of the innermost object, with its quotes. */
  key(depth: number, start: number, end: number): void
  /** A string, number, `true`, `false` or `null`. */
  scalar(depth: number, start: number, end: number): void
  /** An object or array begins. Its members are one deeper. */
  open(depth: number, start: number, isObject: boolean): void
  close(depth: number, end: number): void
}

export interface ScanLimits {
  /** Containers within each other. */
  maxDepth?: number
  /** Members of objects and arrays. */
  maxValues?: number
}

/** The text is not JSON, or exceeds a limit. */
export class JsonProblem extends Error {
  override name = 'JsonProblem'
  readonly kind: 'syntax' | 'depth' | 'values'
  constructor(kind: 'syntax' | 'depth' | 'values', message: string) {
    super(message)
    this.kind = kind
  }
}

const tab = 9
const newline = 10
const carriageReturn = 13
const space = 0x20
const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const dot = 0x2e
const zero = 0x30
const nine = 0x39
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

const literals = new Map(['true', 'false', 'null'].map((text) => [text.charCodeAt(0), Buffer.from(text)]))
/** What may follow a backslash, besides `u`. */
const escapes = new Set(Buffer.from('"\\/bfnrt'))

/** How far a scan goes between two of its pauses, which takes about a millisecond. */
const bytesPerStep = 131_072

/** Scans the whole text at once. Use it for small texts. */
export function scanJson(bytes: Uint8Array, limits: ScanLimits, listener?: JsonListener): void {
  for (const _ of stepsOf(bytes, limits, listener));
}

/** Scans the text and lets other work of this process go on meanwhile. */
export async function scanJsonInSteps(bytes: Uint8Array, limits: ScanLimits, listener?: JsonListener): Promise<void> {
  for (const _ of stepsOf(bytes, limits, listener)) await new Promise((resolve) => void setImmediate(resolve))
}

/**
 * Checks a JSON text without making its values, which would take many times as long and as much memory: strangers choose
 * what a text of some megabytes contains.
 *
 * @throws JsonProblem
 */
function* stepsOf(
  bytes: Uint8Array,
  { maxDepth = Infinity, maxValues = Infinity }: ScanLimits,
  listener?: JsonListener,
): Generator<void> {
  /** The kinds of the containers around the current position. */
  const isObjectAt: boolean[] = []
  const reported = listener?.maxDepth ?? -1
  const end = bytes.length
  let at = startOf(bytes)
  let values = 0
  let pauseAt = at + bytesPerStep
  let expected: 'value' | 'first value' | 'key' | 'first key' | 'end of value' = 'value'
  for (;;) {
    while (at < end && isBlank(bytes[at])) at++
    if (at >= pauseAt) {
      pauseAt = at + bytesPerStep
      yield
    }
    const byte = bytes[at]
    const depth = isObjectAt.length
    if (byte === undefined) {
      if (depth === 0 && expected === 'end of value') return
      throw invalid()
    }
    const isEnd =
      (byte === closeBrace && isObjectAt[depth - 1] === true && expected !== 'value' && expected !== 'key') ||
      (byte === closeBracket && isObjectAt[depth - 1] === false && expected !== 'value')
    if (isEnd) {
      isObjectAt.pop()
      at++
      if (depth - 1 <= reported) listener?.close(depth - 1, at)
      expected = 'end of value'
    } else if (expected === 'end of value') {
      if (byte !== comma || depth === 0) throw invalid()
      at++
      expected = isObjectAt[depth - 1] === true ? 'key' : 'value'
    } else if (expected === 'key' || expected === 'first key') {
      if (byte !== quote) throw invalid()
      const start = at
      at = endOfString(bytes, at)
      if (depth <= reported) listener?.key(depth, start, at)
      while (isBlank(bytes[at])) at++
      if (bytes[at++] !== colon) throw invalid()
      expected = 'value'
    } else {
      if (depth > 0 && ++values > maxValues) {
        throw new JsonProblem('values', `has more than ${maxValues} values`)
      }
      if (byte === openBrace || byte === openBracket) {
        if (depth >= maxDepth) throw new JsonProblem('depth', `nests deeper than ${maxDepth} levels`)
        const isObject = byte === openBrace
        if (depth <= reported) listener?.open(depth, at, isObject)
        isObjectAt.push(isObject)
        at++
        expected = isObject ? 'first key' : 'first value'
      } else {
        const start = at
        at = byte === quote ? endOfString(bytes, at) : endOfPlain(bytes, at)
        if (depth <= reported) listener?.scalar(depth, start, at)
        expected = 'end of value'
      }
    }
  }
}

/** Skips the mark with which some programs begin UTF-8. */
const startOf = (bytes: Uint8Array) => (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0)

const isBlank = (byte: number | undefined) =>
  byte === space || byte === newline || byte === tab || byte === carriageReturn

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= zero && byte <= nine

function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; ; at++) {
    const byte = bytes[at]
    if (byte === undefined || byte < space) throw invalid()
    if (byte === quote) return at + 1
    if (byte !== backslash) continue
    const escape = bytes[++at] ?? 0
    if (escape === 0x75) {
      for (let digit = 0; digit < 4; digit++) if (!isHex(bytes[++at] ?? 0)) throw invalid()
    } else if (!escapes.has(escape)) throw invalid()
  }
}

const isHex = (byte: number) =>
  (byte >= zero && byte <= nine) || (byte >= 0x61 && byte <= 0x66) || (byte >= 0x41 && byte <= 0x46)

function endOfPlain(bytes: Uint8Array, start: number): number {
  const literal = literals.get(bytes[start] ?? 0)
  if (literal) {
    for (let index = 1; index < literal.length; index++) if (bytes[start + index] !== literal[index]) throw invalid()
    return start + literal.length
  }
  let at = bytes[start] === minus ? start + 1 : start
  at = bytes[at] === zero ? at + 1 : endOfDigits(bytes, at)
  if (bytes[at] === dot) at = endOfDigits(bytes, at + 1)
  // e or E
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    const sign = bytes[at + 1]
    at = endOfDigits(bytes, sign === minus || sign === 0x2b ? at + 2 : at + 1)
  }
  return at
}

function endOfDigits(bytes: Uint8Array, start: number): number {
  if (!isDigit(bytes[start])) throw invalid()
  let at = start
  while (isDigit(bytes[at])) at++
  return at
}

const invalid = () => new JsonProblem('syntax', 'is not valid JSON')
