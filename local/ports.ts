import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface WantedPort {
  /** The setting that moves it. */
  setting: string
  host: string
  port: number
}

/**
 * Names every port that something else uses, all at once. With `patience` it first waits that long (milliseconds) for
 * processes of a start that was killed to let go.
 */
export async function findBusyPorts(wanted: WantedPort[], patience: number): Promise<string[]> {
  const deadline = performance.now() + patience
  for (;;) {
    const failures = await Promise.all(wanted.map(tryPort))
    const problems = failures.filter((problem) => problem !== undefined)
    if (problems.length === 0 || performance.now() >= deadline) return problems
    await sleep(100)
  }
}

function tryPort({ setting, host, port }: WantedPort): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(describe(error, { setting, host, port })))
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}

function describe(error: NodeJS.ErrnoException, { setting, host, port }: WantedPort): string {
  if (error.code === 'EADDRINUSE') return `port ${port} is in use; stop what uses it, or set ${setting} to another one`
  if (error.code === 'EACCES') return `port ${port} may not be used by this user; set ${setting} to one above 1023`
  if (error.code === 'EADDRNOTAVAIL') return `${host} is no address of this machine; set HOST to one that is`
  return `port ${port} (${setting}) cannot be used: ${error.message}`
}
