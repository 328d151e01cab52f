import type { ExecutorName } from './executor.ts'

const confined = { network: true, filesystem: true, limits: true }

/** What an executor that passed its canary keeps commands from. */
export const isolationOf = {
  bwrap: confined,
  gvisor: confined,
  docker: confined,
  local: { network: false, filesystem: false, limits: true },
} satisfies Record<ExecutorName, typeof confined>
