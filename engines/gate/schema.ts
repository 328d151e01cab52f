import { z } from 'zod'

/**
 * `pending`: something is missing. `success`, `failure`: all rules hold, or not. `error`: there is no result to judge.
 * `neutral`: a conclusion that does not block.
 */
export const GateState = z.enum(['pending', 'success', 'failure', 'error', 'neutral'])
export type GateState = z.infer<typeof GateState>

/** The rules of a gate, the most important first. */
export const gateRules = [
  'runs',
  'uploads',
  'new_failures',
  'new_flaky',
  'patch',
  'uncovered_lines',
  'component',
  'unmeasured',
  'proof',
  'mutants',
  'project',
] as const

/** What one rule says. */
export const GateReason = z.object({
  rule: z.enum(gateRules),
  /** The name of the component, for the rule `component`. */
  component: z.string().nullable(),
  /** `nothing`: the rule has nothing to judge here. */
  outcome: z.enum(['passed', 'failed', 'waiting', 'error', 'nothing']),
  text: z.string(),
  /** What would satisfy the rule; null unless it failed or waits. */
  fix: z.string().nullable(),
})
export type GateReason = z.infer<typeof GateReason>
