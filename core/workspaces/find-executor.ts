import type { Config } from '../config.ts'
import type { Logger } from '../base/log.ts'
import { type Choice, chooseExecutor } from '../../engines/sandbox/auto.ts'
import { whyUnbounded } from '../../engines/sandbox/bounded-folder.ts'
import type { Executor } from '../../engines/sandbox/executor.ts'
import { RunFailure } from './run-failure.ts'

/** Finds the sandbox for test runs. */
export type FindExecutor = () => Promise<Executor>

const timeoutMs = 60_000

/** Returns the sandbox of this process, and chooses it at the first call. */
export async function choiceOfExecutor({ runs, dataDir, outboundAllowCidrs }: Config): Promise<Choice> {
  const { paths, image, uidRange } = runs
  const options = { allowCidrs: outboundAllowCidrs, hiddenPaths: [dataDir], paths, image, uidRange }
  // Not the signal of a run, because other runs wait for the same result.
  const choice = await chooseExecutor(runs.executor, options, AbortSignal.timeout(timeoutMs))
  if ('problem' in choice || choice.executor.name === 'local') return choice
  const why = runs.quota === 'off' ? 'SANDBOX_QUOTA is off' : await whyUnbounded(dataDir)
  const gap = `The kernel does not limit what a run writes to the disk, because ${why}. Assay measures it.`
  return why === null ? choice : { ...choice, gaps: [...choice.gaps, gap] }
}

export function executorFinder(config: Config, log: Logger): FindExecutor {
  let logged = false
  return async () => {
    const choice = await choiceOfExecutor(config)
    if ('problem' in choice) throw new RunFailure('no_executor', choice.problem)
    const { executor, description, gaps } = choice
    if (!logged) log.info({ executor: executor.name, description, gaps }, 'chose the sandbox for test runs')
    logged = true
    return executor
  }
}
