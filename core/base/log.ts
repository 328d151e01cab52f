import { pino, type DestinationStream, type Logger, stdSerializers } from 'pino'

export type { Logger }

const secretPatterns: [RegExp, string][] = [
  [/svc_v1_[A-Za-z0-9_-]{8,}/g, 'svc_[redacted]'],
  // A session's token, after the id of the session.
  [/\b([0-9A-HJKMNP-TV-Z]{26})\.[0-9a-z]{1,6}\.[A-Za-z0-9_-]{16,}/g, '$1.[redacted]'],
  [/whsec_[A-Za-z0-9+/=_-]{8,}/g, 'whsec_[redacted]'],
  [/\b(?:gh[opsur]|github_pat|glpat)[_-][A-Za-z0-9_-]{16}[A-Za-z0-9_-]*/g, '[redacted]'],
  [/\bBearer\s+[^\s"\\]+/gi, 'Bearer [redacted]'],
  [/(:\/\/)[^\s/@"\\]+@/g, '$1[redacted]@'],
]

/** Removes everything that looks like a credential from a log line. */
export function redactLine(line: string): string {
  let redacted = line
  for (const [pattern, replacement] of secretPatterns) redacted = redacted.replace(pattern, replacement)
  return redacted
}

/** Properties of database errors that contain values of the statement. */
const withValues = new Set(['parameters', 'driverError', 'detail', 'where', 'internalQuery'])

function describeError(error: Error): object {
  const described = Object.entries(stdSerializers.err(error))
  return Object.fromEntries(described.filter(([name]) => !withValues.has(name)))
}

/** Writes JSON lines to standard output. Redacts fields with the names of secrets, and text that looks like a secret. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: {
        paths: ['token', 'authorization', 'cookie', 'password', 'secret'].flatMap((key) => [
          key,
          `*.${key}`,
          `*.*.${key}`,
        ]),
        censor: '[redacted]',
      },
      hooks: { streamWrite: redactLine },
    },
    // Lines of the same moment are written together. The rest is written before the process ends.
    destination ?? pino.destination({ dest: 1, sync: false }),
  )
}
