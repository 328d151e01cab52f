import type { Config } from '../config.ts'
import type { Logger } from '../base/log.ts'
import { isolationOf } from '../../engines/sandbox/isolation.ts'
import { choiceOfExecutor } from '../workspaces/find-executor.ts'
import type { ExecutorCheck } from './schema.ts'

const unknown = { name: null, isolates: null, description: null }

/** Tests the sandbox that the next test run of this process uses. */
export async function checkExecutor(config: Config, log: Logger): Promise<ExecutorCheck> {
  if (config.role === 'web') {
    return { ok: true, problem: null, advice: null, ...unknown, description: 'other processes run the tests' }
  }
  try {
    const choice = await choiceOfExecutor(config)
    if ('problem' in choice) return failed(config, choice.problem)
    const { executor, description, gaps } = choice
    const advice =
      executor.name === 'local'
        ? 'Run only code that you trust, or install bubblewrap and set EXECUTOR=auto.'
        : gaps.join(' ') || null
    return {
      ok: true,
      problem: null,
      advice,
      name: executor.name,
      isolates: isolationOf[executor.name],
      description,
    }
  } catch (error) {
    log.warn({ err: error }, 'the check of the sandbox failed')
    return failed(config, 'The check of the sandbox for test runs failed.')
  }
}

/** In production, hides the problem, because it names folders of the server. */
function failed({ local }: Config, problem: string): ExecutorCheck {
  return {
    ok: false,
    problem: local ? problem : 'The server cannot run tests because it has no sandbox.',
    advice: 'Install bubblewrap (apt-get install bubblewrap) on the server, or set EXECUTOR. See docs/test-runs.md.',
    ...unknown,
  }
}
