import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { pipeline } from 'node:stream'
import { ReportError, type ReportSource } from '../../../engines/reports/report.ts'
import type { ReceivedFile } from './receive.ts'

/** The maximum size of all unpacked reports of one upload. */
const maxUnpacked = 512 * 2 ** 20

/** Opens the reports of one upload, and unpacks those with the extension `.gz`. */
export function reportOpener(): (file: ReceivedFile) => ReportSource {
  let unpacked = 0

  async function* unpack(file: ReceivedFile): AsyncGenerator<Buffer> {
    const stream = pipeline(createReadStream(file.path), createGunzip(), () => {})
    try {
      for await (const chunk of stream) {
        const bytes = Buffer.from(chunk)
        unpacked += bytes.length
        if (unpacked > maxUnpacked) {
          const limit = `${maxUnpacked / 2 ** 20} MiB`
          throw new ReportError('too_large', file.name, `the upload exceeds the limit of ${limit} when unpacked`)
        }
        yield bytes
      }
    } catch (error) {
      if (error instanceof ReportError) throw error
      throw new ReportError('malformed', file.name, 'the file is not valid gzip')
    }
  }
  return (file) =>
    /\.gz$/i.test(file.name)
      ? { name: file.name.replace(/\.gz$/i, ''), bytes: unpack(file) }
      : { name: file.name, bytes: createReadStream(file.path) }
}
