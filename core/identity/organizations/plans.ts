import { type Limited, type PlanLimits, PlanName } from './schema.ts'

/**
 * What each plan allows. `free` is enough to try it with a few colleagues, `team` for a company's department; the
 * figures are ours to choose, and nothing else depends on them.
 */
export const plans: Record<PlanName, PlanLimits> = {
  free: { members: 5, projects: 3 },
  team: { members: 50, projects: 100 },
  unlimited: { members: null, projects: null },
}

export function isBetter(plan: PlanName, other: PlanName): boolean {
  return PlanName.options.indexOf(plan) > PlanName.options.indexOf(other)
}

/** The least plan that allows more than so many. */
export function planBeyond(limited: Limited, count: number): PlanName {
  const found = PlanName.options.find((name) => (plans[name][limited] ?? Infinity) > count)
  return found ?? 'unlimited'
}
