import { type Limited, type PlanLimits, PlanName } from './schema.ts'

/**
 * The limits of each plan. `free` is for trying Assay with a few colleagues, `team` for a department. Nothing else
 * depends on these numbers.
 */
export const plans: Record<PlanName, PlanLimits> = {
  free: { members: 5, projects: 3 },
  team: { members: 50, projects: 100 },
  unlimited: { members: null, projects: null },
}

export function isBetter(plan: PlanName, other: PlanName): boolean {
  return PlanName.options.indexOf(plan) > PlanName.options.indexOf(other)
}

/** Returns the smallest plan that allows more than `count`. */
export function planBeyond(limited: Limited, count: number): PlanName {
  const found = PlanName.options.find((name) => (plans[name][limited] ?? Infinity) > count)
  return found ?? 'unlimited'
}
