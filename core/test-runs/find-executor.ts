import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { chooseExecutor } from './executors/auto.ts'
import type { Executor } from './executors/executor.ts'
import { RunFailure } from './run/failure.ts'

/** Finds the sandbox for test runs. */
export type FindExecutor = () => Promise<Executor>

const patienceMs = 60_000

export function executorFinder({ runs, dataDir, outboundAllowCidrs }: Config, log: Logger): FindExecutor {
  const options = { allowCidrs: outboundAllowCidrs, hiddenPaths: [dataDir], paths: runs.paths, image: runs.image }
  let told = false
  return async () => {
    // Not a run's own signal: others wait for the same answer.
    const choice = await chooseExecutor(runs.executor, options, AbortSignal.timeout(patienceMs))
    if ('problem' in choice) throw new RunFailure('no_executor', choice.problem)
    const { executor, description } = choice
    if (!told) log.info({ executor: executor.name, description }, 'test runs have their sandbox')
    told = true
    return executor
  }
}
