import { destination, pino, type Logger } from 'pino'

export type Log = Logger

/** Logs to stderr: over stdio, stdout belongs to the protocol. */
export function createLog(level: string): Log {
  return pino(
    { name: 'mcp', level, redact: ['token', 'authorization', '*.token', '*.authorization'] },
    destination({ dest: 2, sync: true }),
  )
}
