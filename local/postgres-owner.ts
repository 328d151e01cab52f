import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** The advisory lock of the start that runs a cluster: "assy" in ASCII. */
const ownerLock = 0x61737379
const retryMs = 200
/** After a cut connection, Postgres may need a moment to release its lock. */
const releaseMs = 5_000

export interface OwnerOptions {
  /** Of a database that always exists. */
  url: string
  /** True once the server has ended. */
  hasEnded: () => boolean
  /** Waits before the first attempt, because a parallel start may have started the server. */
  wait: boolean
}

/** Holds the lock of a cluster for as long as this process runs. */
export interface Owner {
  client(): pg.Client
  /** Resolves when the server ended (`ended`), or when another start took the lock over (`taken`); never after `close`. */
  lost: Promise<'ended' | 'taken'>
  close(): Promise<void>
}

/**
 * Takes the lock of the cluster. A cut connection is replaced, because Postgres also cuts all connections while it
 * recovers from the crash of one of its processes.
 *
 * @returns undefined if another start holds the lock
 */
export async function ownCluster({ url, hasEnded, wait }: OwnerOptions): Promise<Owner | undefined> {
  let closed = false
  const connect = async () => {
    const client = new pg.Client({ connectionString: url })
    const cut = new Promise<void>((resolve) => void client.once('end', resolve))
    client.on('error', () => {}) // 'end' follows.
    await client.connect()
    return { client, cut }
  }
  let connection = await connect()
  if (wait) await waitForStarter(connection.client)
  if (!(await takeLock(connection.client))) {
    await connection.client.end()
    return undefined
  }

  const replace = async (): Promise<'ended' | 'taken' | 'replaced'> => {
    const deadline = performance.now() + releaseMs
    for (;;) {
      if (hasEnded()) return 'ended'
      const next = await connect().catch(() => undefined)
      if (next && (await takeLock(next.client).catch(() => false))) {
        connection = next
        return 'replaced'
      }
      await next?.client.end()
      if (next && performance.now() > deadline) return 'taken'
      await sleep(retryMs)
    }
  }
  const watch = async (): Promise<'ended' | 'taken'> => {
    for (;;) {
      await connection.cut
      if (closed) return new Promise(() => {})
      const result = await replace()
      if (result !== 'replaced') return result
      if (closed) await connection.client.end()
    }
  }
  return {
    client: () => connection.client,
    lost: watch(),
    async close() {
      closed = true
      await connection.client.end()
    },
  }
}

async function takeLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [ownerLock])
  return rows[0]?.locked === true
}

/**
 * If two starts run in parallel, the one that started the server must get the lock, because the server ends with it.
 * Waits for that lock, but not for long, because the start may have been killed.
 */
async function waitForStarter(client: pg.Client): Promise<void> {
  const deadline = performance.now() + 2_000
  while (performance.now() < deadline) {
    const { rowCount } = await client.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1", [
      ownerLock,
    ])
    if (rowCount !== 0) return
    await sleep(50)
  }
}
