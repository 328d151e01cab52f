import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface WantedPort {
  /** The setting that changes the port. */
  setting: string
  host: string
  port: number
}

/**
 * Reports every port in use, all at once. Waits up to `timeoutMs` for the processes of a killed start to release theirs.
 */
export async function findBusyPorts(wanted: WantedPort[], timeoutMs: number): Promise<string[]> {
  const deadline = performance.now() + timeoutMs
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
  if (error.code === 'EADDRINUSE')
    return `port ${port} is in use; stop the program that uses it, or set ${setting} to another port`
  if (error.code === 'EACCES') return `port ${port} requires more rights; set ${setting} to a port above 1023`
  if (error.code === 'EADDRNOTAVAIL') return `${host} is not an address of this machine; set HOST to one`
  return `port ${port} (${setting}) cannot be used: ${error.message}`
}
