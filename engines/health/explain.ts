import type { EvidenceRun, HealthRule } from './outcome.ts'

interface Judgement {
  rule: HealthRule
  evidence: readonly EvidenceRun[]
}

const short = (commit: string | null | undefined) => (commit ? commit.slice(0, 12) : 'an unknown commit')

function commitWithBoth(evidence: readonly EvidenceRun[]): string | null | undefined {
  const passed = new Set(evidence.flatMap(({ commit, failed }) => (failed ? [] : [commit])))
  return evidence.find(({ commit, failed }) => failed && passed.has(commit))?.commit
}

/** Says in one sentence why a test has its health. */
export function explainHealth({ rule, evidence }: Judgement): string {
  const failures = evidence.filter(({ failed }) => failed)
  switch (rule) {
    case 'few_results':
      return 'The test has few results so far.'
    case 'no_evidence':
      return 'Nothing speaks against the test.'
    case 'same_commit':
      return `The test failed and passed on the same commit, ${short(commitWithBoth(evidence))}.`
    case 'retried':
      return 'The test failed and passed in attempts of one run.'
    case 'isolated':
      return `The test changed for a single run ${evidence.length} times and changed back.`
    case 'failures_in_a_row':
      return `The test has failed in every run of the default branch since ${short(failures[0]?.commit)}.`
    case 'quiet':
      return 'The test has passed often and long enough since it was flaky.'
    case 'passed_again':
      return `The test passes again since ${short(evidence.at(-1)?.commit)}.`
    case 'confirmed_fix':
      return `The test passed every repetition of a confirmation on ${short(evidence.at(-1)?.commit)}.`
    case 'unseen':
      return 'The project has run without the test for a long time.'
  }
}
