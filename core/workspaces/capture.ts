import { createWriteStream } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { Writable } from 'node:stream'

/** Receives the output of a command: passes it on as text and, if it is a report, writes its bytes to a file. */
export interface Capture extends Writable {
  /** Returns the error that made the file incomplete, such as a full disk. The command continues after it. */
  failure(): Error | undefined
}

/** @param path - the file to create, in a folder that no command sees; if undefined, no file is written */
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
