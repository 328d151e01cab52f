import { destination, type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'

export type Log = Logger

/** JSON lines; a token does not get into them. Over stdio they go to stderr, since stdout belongs to the protocol. */
export function createLog(level: string, to: 'stdout' | 'stderr' | DestinationStream): Log {
  return pino(
    {
      level,
      base: { service: 'mcp' },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: (line) => line.replaceAll(/svc_[\w-]{8,}/g, 'svc_[redacted]') },
    },
    typeof to === 'string' ? destination({ dest: to === 'stdout' ? 1 : 2, sync: true }) : to,
  )
}
