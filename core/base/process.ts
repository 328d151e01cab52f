import type { Config } from '../config.ts'

/** Ends the program with one line for each problem. */
export function exitWith(problems: string[]): never {
  for (const problem of problems) process.stderr.write(`core: ${problem}\n`)
  process.exit(1)
}

/** Longer than anything that is closed in order takes: what is left then waits for a database that does not answer. */
const stopWithinMs = 40_000

/**
 * Stops in order on SIGTERM, SIGINT, and when the launcher that started this process is gone. Signals that come again
 * change nothing. What was under way and could not be ended is taken up again by whoever runs next.
 */
export function stopOnSignal(app: AsyncDisposable): void {
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    setTimeout(() => {
      process.stderr.write(`core: could not stop cleanly within ${stopWithinMs / 1_000} s; does the database answer?\n`)
      process.exit(1)
    }, stopWithinMs).unref()
    app[Symbol.asyncDispose]().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`core: could not stop cleanly: ${String(error)}\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('disconnect', stop)
}

/** One line that names the setting to look at. */
export function describeStartFailure(error: unknown, config: Config): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const message = error instanceof Error ? error.message || code : String(error)
  if (code === 'EADDRINUSE') return `port ${config.port} is in use; stop what uses it, or set PORT to another one`
  if (code === 'EADDRNOTAVAIL') return `HOST ${config.host} is not an address of this machine`
  if (code === 'EACCES') return `port ${config.port} may not be used by this user; set PORT to one above 1023`
  return describeDatabaseFailure(error, config) ?? `could not start: ${message}`
}

/** One line about a database that cannot be reached or entered; undefined for any other failure. */
export function describeDatabaseFailure(error: unknown, config: Config): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const message = error instanceof Error ? error.message || code : String(error)
  if (/^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENETUNREACH|28|3D)/.test(code) || /timeout|terminated/i.test(message)) {
    return `the database at DATABASE_URL (${withoutPassword(config.databaseUrl)}) cannot be used: ${message}`
  }
  return undefined
}

function withoutPassword(url: string): string {
  const shown = new URL(url)
  shown.password = ''
  return shown.toString()
}
