import { defaultPolicy, type HealthPolicy } from '../../../engines/health/policy.ts'
import type { TestPolicy } from '../../../core/test-policy/schema.ts'

/** A rule of the health of tests, and the numbers that the server accepts. */
export interface HealthRule {
  name: keyof HealthPolicy
  label: string
  hint: string
  min: number
  max: number
  /** Shares are shown in percent; factors have digits after the point. */
  unit?: 'percent' | 'factor'
}

interface RuleGroup {
  title: string
  rules: readonly HealthRule[]
}

export const ruleGroups: readonly RuleGroup[] = [
  {
    title: 'Broken',
    rules: [
      {
        name: 'brokenFailures',
        label: 'Failures in a row',
        hint: 'A test is broken after this number of failures in a row on the default branch. Flaky tests need more.',
        min: 2,
        max: 100,
      },
    ],
  },
  {
    title: 'Flaky',
    rules: [
      {
        name: 'isolatedResults',
        label: 'Isolated results',
        hint: 'A test is flaky after this number of single failures between passing runs of the default branch. A failure and a pass on the same commit are always enough.',
        min: 2,
        max: 100,
      },
      {
        name: 'isolatedDays',
        label: 'Days in which they count',
        hint: 'An isolated result counts for this number of days.',
        min: 1,
        max: 60,
      },
      {
        name: 'isolatedWindow',
        label: 'Results in which they count',
        hint: 'It also counts until so many results have followed, if that takes longer.',
        min: 1,
        max: 1_000,
      },
    ],
  },
  {
    title: 'Healthy again',
    rules: [
      {
        name: 'quietDays',
        label: 'Quiet days',
        hint: 'A flaky test is healthy again only after this number of days without evidence.',
        min: 1,
        max: 60,
      },
      {
        name: 'quietPasses',
        label: 'Passes',
        hint: 'It also needs this number of passes. A test that fails rarely needs more.',
        min: 1,
        max: 1_000,
      },
    ],
  },
  {
    title: 'New and stale',
    rules: [
      {
        name: 'newResults',
        label: 'Results of a new test',
        hint: 'A test with fewer results is new, unless it is flaky or broken.',
        min: 1,
        max: 1_000,
      },
      {
        name: 'staleDays',
        label: 'Days without the test',
        hint: 'A test is stale if the project runs without it for this number of days.',
        min: 1,
        max: 60,
      },
    ],
  },
  {
    title: 'Outages',
    rules: [
      {
        name: 'massShare',
        label: 'Share of failing tests, in percent',
        hint: 'A run does not count if at least this share of its tests fails.',
        min: 1,
        max: 100,
        unit: 'percent',
      },
      {
        name: 'massTests',
        label: 'Least tests of such a run',
        hint: 'The share applies to runs with at least this number of tests.',
        min: 1,
        max: 1_000,
      },
      {
        name: 'incidentTests',
        label: 'Tests with the same error',
        hint: 'Failures do not count as flaky if this number of tests of a run have the same error.',
        min: 2,
        max: 10_000,
      },
      {
        name: 'burstFactor',
        label: 'Times more failures than usual',
        hint: 'Failures do not count as flaky if a run has so many times more of them than usual, and at least the number of tests with the same error.',
        min: 1.5,
        max: 1_000,
        unit: 'factor',
      },
    ],
  },
]

export const allRules: readonly HealthRule[] = ruleGroups.flatMap(({ rules }) => rules)

/** How the numbers of a policy appear in its form. */
export type RuleTexts = Record<keyof HealthPolicy, string>

export const textsOf = (policy: HealthPolicy): RuleTexts =>
  Object.fromEntries(allRules.map((rule) => [rule.name, textOf(rule, policy[rule.name])])) as RuleTexts

/** Multiplying fractions adds errors, such as 7.000000000000001. */
export const textOf = ({ unit }: HealthRule, value: number): string =>
  String(unit === 'percent' ? Number((value * 100).toFixed(4)) : value)

export const valueOf = ({ unit }: HealthRule, text: string): number =>
  unit === 'percent' ? Number((Number(text) / 100).toFixed(6)) : Number(text)

export const defaultOf = (rule: HealthRule): string => textOf(rule, defaultPolicy[rule.name])

/** The policy of a project that changed nothing, apart from its rules of health. */
export const otherDefaults: Pick<TestPolicy, 'quarantine' | 'retention'> = {
  quarantine: { grantedBy: 'admin', days: 14, muteFlaky: false },
  retention: { resultDays: 90, dailyDays: 400 },
}
