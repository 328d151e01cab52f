import { testIdentities } from '../../engines/reports/identity.ts'
import type { Cause } from './failures.ts'
import type { KnownTest } from './sources.ts'

/** How a test behaves over the whole history, so that it has a health of its own. */
export const habits = ['flaky', 'muted', 'broken', 'stale', 'slower', 'on_windows', 'renamed', 'new_name'] as const
export type Habit = (typeof habits)[number]

export type Habits = ReadonlyMap<KnownTest, Habit>

/** A result that a habit decides. */
export interface HabitualResult {
  variant: string
  fails: boolean
  muted: boolean
  /** Undefined for the usual duration. */
  durationMs: number | undefined
}

/** Chooses tests that no cause fails, one for each habit, and adds the new name of the one that is renamed. */
export function planHabits(tests: readonly KnownTest[], causes: readonly Cause[]): Habits {
  const failing = new Set(causes.flatMap((cause) => cause.tests))
  const free = tests.filter((test) => !failing.has(test))
  const chosen = new Map<KnownTest, Habit>()
  for (const [index, habit] of habits.entries()) {
    const test = free[index * 2] ?? tests[index]
    if (test && habit !== 'new_name') chosen.set(test, habit)
  }
  const [renamed] = [...chosen].find(([, habit]) => habit === 'renamed') ?? []
  if (renamed) {
    const named = { ...renamed, name: `${renamed.name} in every mode` }
    chosen.set({ ...named, id: testIdentities().keyOf(named) }, 'new_name')
  }
  return chosen
}

export const idWith = (of: Habits, habit: Habit): string | undefined =>
  [...of].find(([, each]) => each === habit)?.[0].id

/** From here on, failures of the test in quarantine are muted. */
export const mutedFrom = (runs: number) => runs - 12

/** Returns the results of a test in the run `index` of `runs`: usually one. */
export function habitualResults(habit: Habit, index: number, runs: number): HabitualResult[] {
  const share = index / runs
  const passed: HabitualResult = { variant: '', fails: false, muted: false, durationMs: undefined }
  const isMutedFailure = index % 20 === 11 || index === runs - 3
  const results: Record<Habit, HabitualResult[]> = {
    flaky: [{ ...passed, fails: index % 20 === 6 }],
    muted: [{ ...passed, fails: isMutedFailure, muted: isMutedFailure && index >= mutedFrom(runs) }],
    broken: [{ ...passed, fails: index >= runs - 7 }],
    stale: share > 0.5 ? [] : [passed],
    slower: [{ ...passed, durationMs: (share < 0.5 ? 180 : 520) + ((index * 37) % 40) }],
    on_windows: [
      { ...passed, variant: 'linux' },
      { ...passed, variant: 'windows', fails: index % 20 === 15 },
    ],
    renamed: share >= 0.9 ? [] : [passed],
    new_name: share < 0.9 ? [] : [passed],
  }
  return results[habit]
}

/** Runs on the main branch in which most tests, or many, fail for a reason that is not theirs. */
export function outageAt(index: number, runs: number): 'most' | 'many' | undefined {
  const first = Math.floor(runs * 0.45)
  const second = Math.floor(runs * 0.7)
  if (index === first - (first % 5)) return 'most'
  return index === second - (second % 5) + 1 ? 'many' : undefined
}
