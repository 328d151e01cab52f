import type { FileHandle } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { openRegularFile } from '../../engines/source/regular-file.ts'

const pollMs = 200
const maxReadBytes = 2 ** 20
/** Longer lines are left out: what a program writes beside the project's code is not to be trusted. */
const maxLineLength = 2 ** 20
const maxBytes = 512 * 2 ** 20

/** Follows a file that another process appends to. */
export interface Following {
  /** Reads what is left and stops. */
  end(): Promise<void>
}

/**
 * Calls `onLine` with each whole line of the file, from its first one, within a fraction of a second. The file need not
 * exist yet.
 */
export function followLines(path: string, onLine: (line: string) => void): Following {
  const stop = new AbortController()
  const reader = lineReader(path, onLine)
  const following = (async () => {
    while (!stop.signal.aborted) {
      await reader.read()
      await delay(pollMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined)
    }
    await reader.read()
    await reader.close()
  })()
  // A failure appears at the end.
  following.catch(() => undefined)
  return {
    async end() {
      stop.abort()
      await following
    },
  }
}

function lineReader(path: string, onLine: (line: string) => void) {
  let file: FileHandle | undefined
  let position = 0
  let rest = ''
  let isTooLong = false
  const decoder = new TextDecoder()
  const take = (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!isTooLong && line.length <= maxLineLength) onLine(line)
      isTooLong = false
    }
    if (rest.length <= maxLineLength) return
    rest = ''
    isTooLong = true
  }
  return {
    async read() {
      const opened = (file ??= await openRegularFile(path))
      if (!opened) return
      while (position < maxBytes) {
        const { bytesRead, buffer } = await opened.read(Buffer.alloc(maxReadBytes), 0, maxReadBytes, position)
        if (bytesRead === 0) return
        position += bytesRead
        take(decoder.decode(buffer.subarray(0, bytesRead), { stream: true }))
      }
    },
    close: () => file?.close(),
  }
}
