import type { Config } from '../config.ts'

/** Exits with one line for each problem. */
export function exitWith(problems: string[]): never {
  for (const problem of problems) process.stderr.write(`core: ${problem}\n`)
  process.exit(1)
}

/** Returns the environment, with the settings that the launcher sends to a process that it starts before it knows them. */
export async function completeEnvironment(): Promise<NodeJS.ProcessEnv> {
  if (process.env['SETTINGS_FOLLOW'] !== 'on' || !process.connected) return process.env
  const settings = await new Promise<NodeJS.ProcessEnv>((resolve) => {
    const end = () => process.exit(0)
    process.once('disconnect', end)
    process.once('message', (message: { settings: NodeJS.ProcessEnv }) => {
      // From now on, the end of the launcher shuts this process down gracefully.
      process.off('disconnect', end)
      resolve(message.settings)
    })
  })
  return { ...process.env, ...settings }
}

/** Longer than every ordinary shutdown. Beyond it, the process waits for a database that does not answer. */
const stopWithinMs = 40_000

/**
 * Shuts down gracefully on SIGTERM, on SIGINT, and when the launcher that started this process exits. Repeated signals
 * have no effect. The next process continues jobs that did not complete.
 */
export function stopOnSignal(app: AsyncDisposable): void {
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    setTimeout(() => {
      process.stderr.write(
        `core: could not shut down within ${stopWithinMs / 1_000} s; check that the database answers\n`,
      )
      process.exit(1)
    }, stopWithinMs).unref()
    app[Symbol.asyncDispose]().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`core: could not shut down cleanly: ${String(error)}\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('disconnect', stop)
}

/** Describes the failure in one line that names the setting to change. */
export function describeStartFailure(error: unknown, config: Config): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const message = error instanceof Error ? error.message || code : String(error)
  if (code === 'EADDRINUSE') {
    return `port ${config.port} is in use; stop the program that uses it, or set PORT to another port`
  }
  if (code === 'EADDRNOTAVAIL') return `HOST ${config.host} is not an address of this machine`
  if (code === 'EACCES') return `port ${config.port} requires more rights; set PORT to a port above 1023`
  return describeDatabaseFailure(error, config) ?? `could not start: ${message}`
}

/** Describes a database that cannot be reached or used in one line. Returns undefined for any other failure. */
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
