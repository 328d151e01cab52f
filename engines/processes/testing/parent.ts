import { ProcessPool } from '../pool.ts'
import type { ProbeWork } from './probe-task.ts'
import { taskAt } from '../tasks.ts'

/** A program with a pool, for tests that end it: one process hangs and one is idle, or one is idle. */
const probe = taskAt<ProbeWork>(new URL('probe-task.ts', import.meta.url))
const pool = new ProcessPool({ size: 3, timeoutMs: 600_000, idleMs: 600_000 })
const runner = pool.runnerFor('a')
if (process.argv[2] !== 'idle') void runner.run(probe, { do: 'loop' })
await runner.run(probe, { do: 'echo', value: 1 })
// Time to load and start the loop.
if (process.argv[2] !== 'idle') await new Promise((resolve) => setTimeout(resolve, 500))
process.send?.(pool.pids)
process.channel?.unref()
