import type { EvidenceRun, HealthRule } from './outcome.ts'

interface Judgement {
  rule: HealthRule
  evidence: readonly EvidenceRun[]
}

/** Says in one sentence why a test has its health. */
export const explainHealth = ({ rule, evidence }: Judgement): string => reasons[rule](evidence)

const reasons: Readonly<Record<HealthRule, (evidence: readonly EvidenceRun[]) => string>> = {
  few_results: () => 'The test has few results so far.',
  no_evidence: () => 'Nothing speaks against the test.',
  same_commit: (evidence) => `The test failed and passed on the same commit, ${short(commitWithBoth(evidence))}.`,
  retried: () => 'The test failed and passed in attempts of one run.',
  isolated: (evidence) =>
    `The test changed between passing and failing for single runs of the default branch, ${evidence.length} times.`,
  failures_in_a_row: (evidence) =>
    `The test has failed in every run of the default branch since ${short(evidence.find(({ failed }) => failed)?.commit)}.`,
  quiet: () => 'The test has passed often and long enough since it was flaky.',
  passed_again: (evidence) => `The test passes again since ${short(evidence.at(-1)?.commit)}.`,
  confirmed_fix: (evidence) =>
    `The test passed every repetition of a confirmation on ${short(evidence.at(-1)?.commit)}.`,
  unseen: () => 'The project has run without the test for a long time.',
}

const short = (commit: string | null | undefined) => (commit ? commit.slice(0, 12) : 'an unknown commit')

function commitWithBoth(evidence: readonly EvidenceRun[]): string | null | undefined {
  const passed = new Set(evidence.flatMap(({ commit, failed }) => (failed ? [] : [commit])))
  return evidence.find(({ commit, failed }) => failed && passed.has(commit))?.commit
}
