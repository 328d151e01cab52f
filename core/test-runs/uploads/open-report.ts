import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { pipeline } from 'node:stream'
import { ReportError, type ReportSource } from '../../../engines/reports/report.ts'
import type { ReceivedFile } from './receive.ts'

/** What all reports of one upload may unpack to. */
const maxUnpacked = 512 * 2 ** 20

/** Opens the reports of one upload to be read, packed with gzip or not. */
export function reportOpener(): (file: ReceivedFile) => ReportSource {
  let unpacked = 0

  async function* unpack(file: ReceivedFile): AsyncGenerator<Buffer> {
    const stream = pipeline(createReadStream(file.path), createGunzip(), () => {})
    try {
      for await (const chunk of stream) {
        const bytes = Buffer.from(chunk)
        unpacked += bytes.length
        if (unpacked > maxUnpacked) throw new ReportError('too_large', file.name, 'with it there is too much to unpack')
        yield bytes
      }
    } catch (error) {
      if (error instanceof ReportError) throw error
      throw new ReportError('malformed', file.name, 'it cannot be unpacked as gzip')
    }
  }
  return (file) =>
    /\.gz$/i.test(file.name)
      ? { name: file.name.replace(/\.gz$/i, ''), bytes: unpack(file) }
      : { name: file.name, bytes: createReadStream(file.path) }
}
