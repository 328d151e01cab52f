import type { EntityManager } from 'typeorm'
import type { Config } from '../config.ts'
import type { FileStorage } from '../files/storage/storage.ts'
import type { Logger } from '../base/log.ts'
import { lookAtAi } from './ai.ts'
import { lookAtExecutor } from './executor.ts'
import { keptCheck } from './kept-check.ts'
import type { AiCheck, ExecutorCheck, StorageCheck } from './schema.ts'
import { lookAtDatabase, type CheckedDatabase } from './database.ts'
import { lookAtStorage } from './storage.ts'

declare module '../base/context.ts' {
  interface Services {
    checks: SystemChecks
  }
}

/** What this process can find out about all that it needs, asked for by whoever calls, and soon answered. */
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

const patienceMs = 2_000
const briefly = () => 3_000
/** Trying a sandbox takes seconds and memory: where there was none, there is none so soon. */
const executorKeptMs = 30_000

export function createSystemChecks(parts: CheckedParts): SystemChecks {
  const { config, log } = parts
  const late = (what: string, advice: string) => ({
    ok: false,
    problem: `${what} did not answer within ${patienceMs / 1_000} s.`,
    advice,
  })
  return {
    database: keptCheck({
      look: () => lookAtDatabase(parts),
      late: { ...late('The database', 'Check whether it is overloaded.'), queues: null },
      patienceMs,
      keptMs: briefly,
    }),
    storage: keptCheck({
      look: () => lookAtStorage(parts),
      late: {
        ...late('The storage of files', 'Check whether it is overloaded (STORAGE_URL).'),
        kind: config.storage.kind,
      },
      patienceMs,
      keptMs: briefly,
    }),
    ai: keptCheck({
      // Shorter than the patience, so that the failure is told and not the wait.
      look: () => lookAtAi(config, patienceMs - 200),
      late: {
        ...late('The AI service', 'Check whether it is overloaded (AI_SERVICE_URL).'),
        reachable: false,
        provider: null,
      },
      patienceMs,
      keptMs: briefly,
    }),
    executor: keptCheck({
      look: () => lookAtExecutor(config, log),
      late: {
        ok: false,
        problem: 'The check of the sandbox for test runs is still running.',
        advice: 'Try again in a few seconds.',
        name: null,
        isolates: null,
        description: null,
      },
      patienceMs,
      keptMs: () => executorKeptMs,
    }),
  }
}
