import type { EntityManager } from 'typeorm'
import type { Config } from '../config.ts'
import type { FileStorage } from '../files/storage/storage.ts'
import type { Logger } from '../base/log.ts'
import { checkAi } from './ai.ts'
import { checkExecutor } from './executor.ts'
import { cachedCheck } from './cached-check.ts'
import type { AiCheck, ExecutorCheck, StorageCheck } from './schema.ts'
import { checkDatabase, type CheckedDatabase } from './database.ts'
import { checkStorage } from './storage.ts'

declare module '../base/context.ts' {
  interface Services {
    checks: SystemChecks
  }
}

/** Checks the services that this process depends on. Every check answers within `timeoutMs`. */
export interface SystemChecks {
  database: () => Promise<CheckedDatabase>
  storage: () => Promise<StorageCheck>
  ai: () => Promise<AiCheck>
  executor: () => Promise<ExecutorCheck>
}

export interface CheckedParts {
  config: Config
  log: Logger
  db: EntityManager
  storage: FileStorage
}

/** The answer while the first check of the sandbox runs. */
export const pendingExecutorCheck: ExecutorCheck = {
  ok: false,
  pending: true,
  problem: 'The check of the sandbox for test runs is still running.',
  advice: 'Try again in a few seconds.',
  name: null,
  isolates: null,
  description: null,
}

const timeoutMs = 2_000
const cacheMs = 3_000
/** Testing a sandbox takes seconds and memory. */
const executorCacheMs = 30_000

export function createSystemChecks(parts: CheckedParts): SystemChecks {
  const { config, log } = parts
  const late = (what: string, advice: string) => ({
    ok: false,
    problem: `${what} did not answer within ${timeoutMs / 1_000} s.`,
    advice,
  })
  return {
    database: cachedCheck({
      check: () => checkDatabase(parts),
      late: { ...late('The database', 'Check whether it is overloaded.'), queues: null },
      timeoutMs,
      cacheMs,
    }),
    storage: cachedCheck({
      check: () => checkStorage(parts),
      late: {
        ...late('The file storage', 'Check whether it is overloaded (STORAGE_URL).'),
        kind: config.storage.kind,
      },
      timeoutMs,
      cacheMs,
    }),
    ai: cachedCheck({
      // A shorter timeout, so that the answer describes the failure and not the wait.
      check: () => checkAi(config, timeoutMs - 200),
      late: {
        ...late('The AI service', 'Check whether it is overloaded (AI_SERVICE_URL).'),
        reachable: false,
        provider: null,
      },
      timeoutMs,
      cacheMs,
    }),
    executor: cachedCheck({
      check: () => checkExecutor(config, log),
      late: pendingExecutorCheck,
      timeoutMs,
      cacheMs: executorCacheMs,
    }),
  }
}
