import type { Config } from '../config.ts'
import type { Logger } from '../base/log.ts'
import { type Choice, chooseExecutor } from '../../engines/sandbox/auto.ts'
import type { Executor } from '../../engines/sandbox/executor.ts'
import { RunFailure } from './run-failure.ts'

/** Finds the sandbox for test runs. */
export type FindExecutor = () => Promise<Executor>

const timeoutMs = 60_000

/** Returns the sandbox of this process, and chooses it at the first call. */
export function choiceOfExecutor({ runs, dataDir, outboundAllowCidrs }: Config): Promise<Choice> {
  const { paths, image, uidRange } = runs
  const options = { allowCidrs: outboundAllowCidrs, hiddenPaths: [dataDir], paths, image, uidRange }
  // Not the signal of a run, because other runs wait for the same result.
  return chooseExecutor(runs.executor, options, AbortSignal.timeout(timeoutMs))
}

export function executorFinder(config: Config, log: Logger): FindExecutor {
  let logged = false
  return async () => {
    const choice = await choiceOfExecutor(config)
    if ('problem' in choice) throw new RunFailure('no_executor', choice.problem)
    const { executor, description } = choice
    if (!logged) log.info({ executor: executor.name, description }, 'chose the sandbox for test runs')
    logged = true
    return executor
  }
}
