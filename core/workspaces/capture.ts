import { createWriteStream } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { Writable } from 'node:stream'

/** Takes what a command prints: hands it on as text and, where it is a report, keeps its bytes in a file. */
export interface Capture extends Writable {
  /** Why the file is not complete, such as a disk that is full. The command goes on all the same. */
  failure(): Error | undefined
}

/** @param path - of a file that is made, in a folder that no command sees; undefined where nothing is kept */
export function capture(print: (text: string) => void, path?: string): Capture {
  const decoder = new StringDecoder('utf8')
  const file = path === undefined ? undefined : createWriteStream(path, { flags: 'wx' })
  let failure: Error | undefined
  file?.on('error', (error) => {
    failure ??= error
  })
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      print(decoder.write(chunk))
      if (file && failure === undefined) file.write(chunk, () => done())
      else done()
    },
    final(done) {
      print(decoder.end())
      if (file && failure === undefined) file.end(() => done())
      else done()
    },
    destroy(error, done) {
      file?.destroy()
      done(error)
    },
  })
  return Object.assign(stream, { failure: () => failure })
}
