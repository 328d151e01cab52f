import { ProcessPool } from '../pool.ts'

/** Runs tasks for tests of engines. Its processes end with this one. */
export const testRunner = new ProcessPool({ size: 2, timeoutMs: 60_000 }).runnerFor('tests')
