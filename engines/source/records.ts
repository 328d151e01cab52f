import type { Readable } from 'node:stream'
import { RepositoryError } from './types.ts'

const maxRecordBytes = 1_048_576

/** What git prints under `-z`: the records that came together, without their ends. */
export const nulRecords = (stream: Readable) => records(stream, 0)

export const lineRecords = (stream: Readable) => records(stream, 10)

async function* records(stream: AsyncIterable<Buffer>, separator: number): AsyncGenerator<Buffer[]> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of stream) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const found: Buffer[] = []
    let start = 0
    for (let end = bytes.indexOf(separator); end !== -1; end = bytes.indexOf(separator, start)) {
      found.push(bytes.subarray(start, end))
      start = end + 1
    }
    rest = bytes.subarray(start)
    if (rest.length > maxRecordBytes)
      throw new RepositoryError('too_large', 'A path in the repository is longer than 1 MiB.')
    yield found
  }
  if (rest.length > 0) yield [rest]
}

/** Takes exact numbers of bytes from a stream. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  /** Undefined when the stream ends before the line does. */
  async line(): Promise<string | undefined> {
    let end = this.#held.indexOf(10)
    while (end === -1) {
      const searched = this.#held.length
      if (searched > maxRecordBytes || !(await this.#more())) return undefined
      end = this.#held.indexOf(10, searched)
    }
    const line = this.#held.toString('utf8', 0, end)
    this.#held = this.#held.subarray(end + 1)
    return line
  }

  /** A copy of the next bytes; undefined when the stream ends before them. */
  async bytes(length: number): Promise<Buffer | undefined> {
    const result = Buffer.allocUnsafe(length)
    let filled = 0
    for (;;) {
      const copied = this.#held.copy(result, filled)
      this.#held = this.#held.subarray(copied)
      filled += copied
      if (filled === length) return result
      const { done, value } = await this.#chunks.next()
      if (done) return undefined
      this.#held = value
    }
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next()
    if (done) return false
    this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value])
    return true
  }
}
