import type { TestPolicy } from '../core/test-policy/schema.ts'

type Words<Part extends keyof TestPolicy> = Readonly<Record<keyof TestPolicy[Part], string>>

const health: Words<'health'> = {
  newResults: 'a test with fewer results is new',
  brokenFailures: 'failures in a row on the default branch that make a test broken',
  isolatedResults: 'isolated results on the default branch that make a test flaky',
  isolatedDays: 'days in which they count, or the next setting if that is longer',
  isolatedWindow: 'results in which they count',
  quietDays: 'days without evidence until a flaky test is healthy',
  quietPasses: 'passes without evidence until a flaky test is healthy',
  staleDays: 'days without a result until a test is stale',
  massShare: 'share of failing tests, from 0 to 1, from which a run is an outage',
  massTests: 'tests that such a run has at least',
  incidentTests: 'failures with the same error in one run that are an outage',
  burstFactor: 'times more failures than usual that are an outage',
}

const quarantine: Words<'quarantine'> = {
  grantedBy: 'role that may grant quarantine: member, admin or owner',
  days: 'days that a quarantine lasts',
  muteFlaky: 'whether Assay mutes tests that become flaky',
}

const retention: Words<'retention'> = {
  resultDays: 'days to keep results of single tests',
  dailyDays: 'days to keep counts and durations per day, at least resultDays',
}

/** The settings of a policy by part, with their meanings. */
export const policyWords = { health, quarantine, retention } as const

export type PolicyPart = keyof typeof policyWords

export const policyParts = Object.keys(policyWords) as PolicyPart[]

/** The part that has a setting; undefined if none does. */
export const partOf = (setting: string): PolicyPart | undefined =>
  policyParts.find((part) => Object.hasOwn(policyWords[part], setting))
