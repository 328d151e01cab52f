import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { openRegularFile } from '../source/regular-file.ts'
import { ReportError, type ReportSource } from './report.ts'

/** A report on this machine. */
export interface ReportFile {
  path: string
  /** For messages. */
  name: string
  /** Unpacks a name that ends in `.gz`, up to this many bytes. Absent: never. */
  maxUnpackedBytes?: number
}

export interface OpenReport extends ReportSource, AsyncDisposable {
  /** How many bytes of the limit were used. */
  unpackedBytes(): number
}

export async function openReportFile({ path, name, maxUnpackedBytes }: ReportFile): Promise<OpenReport> {
  const file = await openRegularFile(path)
  if (!file) throw new ReportError('malformed', name, 'it is not a regular file')
  const packed = file.createReadStream({ autoClose: false, highWaterMark: 256 * 1_024 })
  const close = () => file.close()
  if (maxUnpackedBytes === undefined || !/\.gz$/i.test(name)) {
    return { name, bytes: packed, unpackedBytes: () => 0, [Symbol.asyncDispose]: close }
  }
  let unpacked = 0
  async function* unpack(limit: number): AsyncGenerator<Buffer> {
    const stream = pipeline(packed, createGunzip(), () => {})
    try {
      for await (const chunk of stream) {
        const bytes = Buffer.from(chunk)
        unpacked += bytes.length
        if (unpacked > limit) {
          throw new ReportError('too_large', name, 'the upload exceeds the limit of 512 MiB when unpacked')
        }
        yield bytes
      }
    } catch (error) {
      if (error instanceof ReportError) throw error
      throw new ReportError('malformed', name, 'the file is not valid gzip')
    }
  }
  const bytes = unpack(maxUnpackedBytes)
  return { name: name.replace(/\.gz$/i, ''), bytes, unpackedBytes: () => unpacked, [Symbol.asyncDispose]: close }
}
