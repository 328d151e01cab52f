import { destination, type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'

export type Log = Logger

/** Writes JSON lines without tokens. Over stdio they go to stderr, because stdout belongs to the protocol. */
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
