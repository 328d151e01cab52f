import type { DataSource } from 'typeorm'
import { type AuditContext, recordAudit } from '../audit/record.ts'
import type { Client, Services } from '../../base/context.ts'

declare module '../../base/context.ts' {
  interface Services {
    guessedTokens: GuessedTokens
  }
}

/** Collects calls with unknown or malformed tokens, and records them as one audit row per client address and minute. */
export interface GuessedTokens extends AsyncDisposable {
  add(client: Client): void
  /** Records the calls since the last flush. */
  flush(): Promise<void>
}

const flushEveryMs = 60_000
/** Further addresses share a row without an address, so that a flood cannot fill the memory. */
const maxAddresses = 10_000

export function createGuessedTokens(
  dataSource: DataSource,
  services: Pick<Services, 'config' | 'log' | 'now' | 'auditChain'>,
): GuessedTokens {
  let collected = new Map<string | null, { client: Client; count: number }>()

  const flush = async () => {
    const rows = [...collected.values()]
    collected = new Map()
    for (const { client, count } of rows) {
      const ctx: AuditContext = { ...services, db: dataSource.manager, client }
      await recordAudit(ctx, 'failed_auth', null, { method: 'token', reason: 'unknown', count }).catch(
        (error: unknown) => services.log.error({ err: error, count }, 'guessed tokens could not be recorded'),
      )
    }
  }
  const timer = setInterval(() => void flush(), flushEveryMs).unref()

  return {
    add(client) {
      const known = collected.get(client.ipAddress)
      const isNew = known === undefined && collected.size < maxAddresses
      const address = known || isNew ? client.ipAddress : null
      const entry = collected.get(address) ?? { client: address === null ? unknownClient : client, count: 0 }
      entry.count++
      collected.set(address, entry)
    },
    flush,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await flush()
    },
  }
}

const unknownClient: Client = { ipAddress: null, userAgent: null }
