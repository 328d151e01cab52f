import { destination, type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'

export type Log = Logger

/** JSON lines on stderr, since over stdio stdout belongs to the protocol; a token in a line does not get there. */
export function createLog(level: string, to: DestinationStream = destination({ dest: 2, sync: true })): Log {
  return pino(
    {
      level,
      base: { service: 'mcp' },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: (line) => line.replaceAll(/svc_[\w-]{8,}/g, 'svc_[redacted]') },
    },
    to,
  )
}
