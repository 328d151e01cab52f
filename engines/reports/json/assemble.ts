import { type ReadOptions, ReportError, type ReportSource } from '../report.ts'
import { tooManyTests } from '../case-batch.ts'
import { alternative, expectedKinds, type JsonKind, type Shape } from './shape.ts'
import { TextCollector } from '../text-collector.ts'

/** Deeper values do not occur in reports, and every level costs memory. */
const maxDepth = 1_000
const maxKey = 200
const maxDigits = 100
/** The maximum number of characters and values that one item of a streamed list may keep. */
const maxHeldText = 64 * 2 ** 20
const maxHeldValues = 4_000_000
/** The length to which texts are shortened once an item has too much text. */
const shortText = 200

interface Frame {
  shape: Shape<unknown>
  value: Record<string, unknown> | unknown[]
  seen: Set<string> | null
  /** The current field, or the index of the current item. */
  key: string
  index: number
}

export type JsonToken = { name: string; value?: string | boolean | null }

/** Builds a value from tokens, limited to the parts that a shape describes. */
export class Assembler {
  root: unknown
  isComplete = false
  readonly #shape: Shape<unknown>
  readonly #source: ReportSource
  readonly #options: ReadOptions
  readonly #frames: Frame[] = []
  readonly #text = new TextCollector()
  /** The current depth inside a skipped value. */
  #skipped = 0
  #reading: 'key' | 'text' | 'number' | 'nothing' = 'nothing'
  #short = ''
  #heldText = 0
  #heldValues = 0
  #hasWarned = false

  constructor(shape: Shape<unknown>, source: ReportSource, options: ReadOptions) {
    this.#shape = shape
    this.#source = source
    this.#options = options
  }

  take(token: JsonToken): void {
    switch (token.name) {
      case 'stringChunk':
      case 'numberChunk':
        return this.#readPart(String(token.value))
      case 'startKey':
        return this.#start('key')
      case 'endKey':
        return this.#endKey()
      case 'startString':
        return this.#startText()
      case 'endString':
        return this.#endText()
      case 'startNumber':
        return this.#startNumber()
      case 'endNumber':
        return this.#endNumber()
      case 'startObject':
        return this.#open('object')
      case 'startArray':
        return this.#open('list')
      case 'endObject':
      case 'endArray':
        return this.#close()
      case 'trueValue':
      case 'falseValue':
        if (this.#wanted('true or false')) this.#put(token.value)
        return
      case 'nullValue':
        if (this.#skipped === 0) this.#put(undefined)
    }
  }

  #start(reading: 'key' | 'text' | 'number' | 'nothing'): void {
    this.#reading = this.#skipped > 0 ? 'nothing' : reading
    this.#short = ''
  }

  #readPart(part: string): void {
    if (this.#reading === 'text') this.#text.add(part)
    else if (this.#reading === 'key') {
      if (this.#short.length <= maxKey) this.#short += part
    } else if (this.#reading === 'number') {
      this.#short += part
      if (this.#short.length > maxDigits)
        throw this.#malformed(`${this.#path()}: the number has more than ${maxDigits} digits`)
    }
  }

  #endKey(): void {
    const frame = this.#frames.at(-1)
    if (this.#skipped > 0 || frame === undefined) return
    frame.key = this.#short
    if (frame.shape.kind !== 'record' || !frame.shape.fields.has(frame.key)) return
    if (frame.seen?.has(frame.key)) throw this.#malformed(`${this.#path()}: the field occurs twice`)
    frame.seen?.add(frame.key)
  }

  #startText(): void {
    const shape = this.#wanted('text')
    if (shape?.kind !== 'text') return this.#start('nothing')
    this.#start('text')
    this.#text.start(this.#heldText > maxHeldText ? Math.min(shape.max, shortText) : shape.max)
  }

  #endText(): void {
    if (this.#reading !== 'text') return
    this.#reading = 'nothing'
    const text = this.#text.end()
    if (!this.#hasWarned && this.#heldText + text.length > maxHeldText) {
      this.#hasWarned = true
      this.#options.warn(
        `${this.#source.name}: ${this.#path()} and later texts are shortened, because they are too long`,
      )
    }
    this.#heldText += text.length
    this.#put(text)
  }

  #startNumber(): void {
    this.#start(this.#wanted('number') ? 'number' : 'nothing')
  }

  #endNumber(): void {
    if (this.#reading !== 'number') return
    this.#reading = 'nothing'
    const value = Number(this.#short)
    if (!Number.isFinite(value)) throw this.#malformed(`${this.#path()}: the number is too large`)
    this.#put(value)
  }

  #open(kind: 'object' | 'list'): void {
    if (this.#frames.length + this.#skipped >= maxDepth) {
      throw this.#malformed(`${this.#path()}: values are nested more than ${maxDepth} deep`)
    }
    const shape = this.#skipped > 0 ? undefined : this.#wanted(kind)
    if (!shape) {
      this.#skipped += 1
      return
    }
    const isRecord = shape.kind === 'record'
    const value: Frame['value'] = isRecord ? {} : []
    this.#frames.push({ shape, value, seen: isRecord ? new Set() : null, key: '', index: 0 })
    if (this.#frames.length === 1) this.root = value
  }

  #close(): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1
      // A skipped item counts, too.
      if (this.#skipped === 0) this.#put(undefined)
      return
    }
    const frame = this.#frames.pop()
    if (frame) this.#put(frame.shape.kind === 'each' ? frame.index : frame.value)
  }

  /** Returns the shape of the next value, or undefined if the value is skipped. */
  #wanted(kind: JsonKind): Shape<unknown> | undefined {
    if (this.#skipped > 0) return undefined
    const shape = this.#expected()
    if (shape === undefined) return undefined
    const fitting = alternative(shape, kind)
    if (fitting) return fitting
    throw this.#malformed(`${this.#path()}: expected ${expectedKinds(shape)}, got ${kind}`)
  }

  #expected(): Shape<unknown> | undefined {
    const frame = this.#frames.at(-1)
    if (frame === undefined) return this.#shape
    if (frame.shape.kind === 'record') return frame.shape.fields.get(frame.key)
    return frame.shape.kind === 'list' || frame.shape.kind === 'each' ? frame.shape.of : undefined
  }

  #put(value: unknown): void {
    const frame = this.#frames.at(-1)
    if (frame === undefined) {
      this.root = value
      this.isComplete = true
      return
    }
    const { shape } = frame
    if (shape.kind === 'record') {
      if (value !== undefined && shape.fields.has(frame.key))
        (frame.value as Record<string, unknown>)[frame.key] = value
    } else if (shape.kind === 'each') {
      if (value === undefined) throw this.#malformed(`${this.#path()}: expected ${expectedKinds(shape.of)}, got null`)
      shape.take(value, this.#path(), this.root)
      this.#heldText = 0
      this.#heldValues = 0
    } else if (shape.kind === 'list' && Array.isArray(frame.value) && value !== undefined) {
      if (frame.value.length < shape.max) frame.value.push(value)
      else if (shape.orFail) throw tooManyTests(this.#source, this.#options)
      else frame.value[shape.max - 1] = value
    }
    frame.index += 1
    this.#heldValues += 1
    if (this.#heldValues > maxHeldValues) throw tooManyTests(this.#source, this.#options)
  }

  /** Returns the current path, such as `testResults[3].name`. */
  #path(): string {
    let path = ''
    for (const frame of this.#frames) {
      if (frame.shape.kind !== 'record') path += `[${frame.index}]`
      else path += path === '' ? frame.key : `.${frame.key}`
    }
    return path === '' ? 'the whole' : path
  }

  #malformed(problem: string): ReportError {
    return new ReportError('malformed', this.#source.name, problem)
  }
}
