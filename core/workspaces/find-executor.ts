import type { Config } from '../config.ts'
import type { Logger } from '../base/log.ts'
import { type Choice, chooseExecutor } from '../../engines/sandbox/auto.ts'
import type { Executor } from '../../engines/sandbox/executor.ts'
import { RunFailure } from './run-failure.ts'

/** Finds the sandbox for test runs. */
export type FindExecutor = () => Promise<Executor>

const patienceMs = 60_000

/** What is known of the sandbox of this process; looked for where it is not known yet. */
export function choiceOfExecutor({ runs, dataDir, outboundAllowCidrs }: Config): Promise<Choice> {
  const options = { allowCidrs: outboundAllowCidrs, hiddenPaths: [dataDir], paths: runs.paths, image: runs.image }
  // Not a run's own signal: others wait for the same answer.
  return chooseExecutor(runs.executor, options, AbortSignal.timeout(patienceMs))
}

export function executorFinder(config: Config, log: Logger): FindExecutor {
  let told = false
  return async () => {
    const choice = await choiceOfExecutor(config)
    if ('problem' in choice) throw new RunFailure('no_executor', choice.problem)
    const { executor, description } = choice
    if (!told) log.info({ executor: executor.name, description }, 'test runs have their sandbox')
    told = true
    return executor
  }
}
