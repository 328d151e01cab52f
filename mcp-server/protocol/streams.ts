import type { ServerResponse } from 'node:http'
import type { Authenticator } from '../authenticate.ts'

/** Open streams of one caller. */
export const maxStreams = 20
const checkMs = 60_000

type Stream = Pick<ServerResponse, 'once' | 'destroy'>

/** Bounds long-lived streams in number, and in time by the validity of the caller's token. */
export interface Streams extends Disposable {
  /** False where the caller has too many. */
  admit: (caller: string, header: string | undefined, stream: Stream) => boolean
  /** Closes the streams whose token is no longer valid. */
  check: () => Promise<void>
}

export function createStreams({ authenticate }: Authenticator): Streams {
  const callers = new Map<string, { header: string | undefined; open: Set<Stream> }>()

  const check = async () => {
    await Promise.all(
      [...callers.values()].map(async ({ header, open }) => {
        // Streams stay open unless core refuses the token.
        const auth = await authenticate(header, AbortSignal.timeout(checkMs)).catch(() => undefined)
        if (auth instanceof Response) for (const stream of open) stream.destroy()
      }),
    )
  }
  const timer = setInterval(() => void check(), checkMs)
  timer.unref()

  return {
    admit: (caller, header, stream) => {
      const { open } = callers.get(caller) ?? { open: new Set() }
      if (open.size >= maxStreams) return false
      open.add(stream)
      callers.set(caller, { header, open })
      stream.once('close', () => {
        open.delete(stream)
        if (open.size === 0 && callers.get(caller)?.open === open) callers.delete(caller)
      })
      return true
    },
    check,
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
