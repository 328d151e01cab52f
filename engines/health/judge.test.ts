import fc from 'fast-check'
import { expect, test } from 'vitest'
import { explainHealth } from './explain.ts'
import { judgeHealth } from './judge.ts'
import type { Outcome } from './outcome.ts'
import { dayMs, defaultPolicy } from './policy.ts'

const hourMs = 3_600_000

/**
 * Outcomes on the default branch, one an hour and each on a commit of its own: `.` passed, `F` failed, `r` passed on a
 * retry, `e` failed in an incident.
 */
function outcomesOf(text: string, change: (index: number) => Partial<Outcome> = () => ({})): Outcome[] {
  return Array.from(text, (letter, index): Outcome => ({
    runId: `run ${index}`,
    at: index * hourMs,
    commit: `commit ${index}`,
    isDefault: true,
    failed: letter === 'F' || letter === 'e',
    retried: letter === 'r',
    fingerprint: letter === '.' ? null : 'error',
    excused: letter === 'e',
    ...change(index),
  }))
}

const judge = (outcomes: readonly Outcome[], more: Partial<Parameters<typeof judgeHealth>[1]> = {}) =>
  judgeHealth(outcomes, { policy: defaultPolicy, latestRunAt: outcomes.at(-1)?.at ?? 0, ...more })
const passes = (count: number) => '.'.repeat(count)

test.each([
  ['', 'new', 'few_results'],
  [passes(9), 'new', 'few_results'],
  [passes(10), 'healthy', 'no_evidence'],
  [`${passes(9)}F`, 'healthy', 'no_evidence'],
  // One isolated failure can be a bug that the next commit fixed.
  [`${passes(10)}F${passes(10)}`, 'healthy', 'no_evidence'],
  [`${passes(10)}F..F..`, 'flaky', 'isolated'],
  [`${passes(10)}FF..FF..`, 'healthy', 'no_evidence'],
  [`${passes(10)}FF.FF.FF.`, 'flaky', 'isolated'],
  [`${passes(10)}F${passes(120)}F.`, 'flaky', 'isolated'],
  [`${passes(10)}F${passes(400)}F.`, 'healthy', 'no_evidence'],
  [`${passes(10)}r`, 'flaky', 'retried'],
  [`${passes(10)}FF`, 'healthy', 'no_evidence'],
  [`${passes(10)}FFF`, 'broken', 'failures_in_a_row'],
  [`${passes(10)}FFF.`, 'healthy', 'passed_again'],
  ['FFF', 'broken', 'failures_in_a_row'],
  [`${passes(10)}e.e.e.`, 'healthy', 'no_evidence'],
  [`${passes(10)}eeeee`, 'healthy', 'no_evidence'],
  [`${passes(10)}${'e'.repeat(26)}`, 'broken', 'failures_in_a_row'],
])('%j is %s: %s', (text, health, rule) => {
  expect(judge(outcomesOf(text))).toMatchObject({ health, rule })
})

test('says since when, and with which runs', () => {
  const broken = judge(outcomesOf(`${passes(12)}FFFF`))
  expect(broken.since).toMatchObject({ runId: 'run 12', commit: 'commit 12' })
  expect(broken.evidence.map(({ runId }) => runId)).toEqual(['run 12', 'run 13', 'run 14', 'run 15'])
  // The first failure stays among the evidence, however long the test fails.
  for (const before of [passes(12), 'F.FF.F.F.FF.F']) {
    const long = judge(outcomesOf(`${before}.${'F'.repeat(30)}`))
    expect(long.health).toBe('broken')
    expect(long.evidence).toHaveLength(10)
    expect(long.evidence[0]).toEqual(long.since)
    expect(long.changes.at(-1)?.evidence[0]).toEqual(long.since)
  }
  const flaky = judge(outcomesOf(`${passes(12)}F.F.`))
  expect(flaky.evidence.map(({ runId }) => runId)).toEqual(['run 12', 'run 13', 'run 14'])
  expect(flaky.changes.map(({ from, to }) => [from, to])).toEqual([
    [null, 'new'],
    ['new', 'healthy'],
    ['healthy', 'flaky'],
  ])
})

test('a failure and a pass on one commit are evidence on every branch; later passes on it are not', () => {
  const onOne = (index: number) => (index >= 10 ? { commit: 'x', isDefault: false } : {})
  const judged = judge(outcomesOf(`${passes(10)}F......`, onOne))
  expect(judged).toMatchObject({ health: 'flaky', rule: 'same_commit', since: { runId: 'run 10' } })
  expect(judged.missing?.passes).toBeLessThan(60)
  expect(
    judge(outcomesOf(`${passes(10)}F......`, (index) => (index === 10 ? { isDefault: false } : {}))),
  ).toMatchObject({
    health: 'healthy',
  })
})

test('a flaky test is healthy after a week and enough passes, and every failure begins anew', () => {
  const once = `${passes(10)}r`
  expect(judge(outcomesOf(once + passes(24 * 7 - 1))).health).toBe('flaky')
  const judged = judge(outcomesOf(once + passes(24 * 7)))
  expect(judged).toMatchObject({ health: 'healthy', rule: 'quiet', missing: null })
  expect(judge(outcomesOf(`${once + passes(100)}F${passes(100)}`)).health).toBe('flaky')
  // With a failure in 20 results, 60 passes are likely by chance, and so are 80 with one in 60.
  const slow = (text: string) => outcomesOf(text, (index) => ({ at: index * 3 * hourMs }))
  const rare = `${passes(100)}r${passes(100)}r`
  expect(judge(slow(rare + passes(100)))).toMatchObject({ health: 'flaky', missing: { days: 0 } })
  expect(judge(slow(rare + passes(8 * 21)))).toMatchObject({ health: 'healthy', rule: 'quiet' })
})

test('a test that often fails is broken only after a row that chance does not explain', () => {
  const often = `${passes(10)}${'F.'.repeat(30)}`
  expect(judge(outcomesOf(`${often}FFFF`)).health).toBe('flaky')
  expect(judge(outcomesOf(`${often}${'F'.repeat(12)}`)).health).toBe('broken')
})

test('after one pass, a few failures on the same commit are not yet a row that chance does not explain', () => {
  const failures = (count: number) => outcomesOf(`.${'F'.repeat(count)}`, () => ({ commit: 'one' }))
  expect(judge(failures(3)).health).toBe('flaky')
  expect(judge(failures(20)).health).toBe('broken')
  const patient = { policy: { ...defaultPolicy, brokenFailures: 50 } }
  expect(judge(failures(49), patient).health).toBe('flaky')
  expect(judge(failures(50), patient).health).toBe('broken')
})

test('a test is stale when the project has run without it for two weeks', () => {
  const outcomes = outcomesOf(passes(20))
  const last = outcomes.at(-1)?.at ?? 0
  expect(judge(outcomes, { latestRunAt: last + 14 * dayMs - 1 }).health).toBe('healthy')
  expect(judge(outcomes, { latestRunAt: last + 14 * dayMs })).toMatchObject({ health: 'stale', rule: 'unseen' })
})

test('a confirmed fix drops the evidence from before, and other branches may lag behind', () => {
  const outcomes = outcomesOf(`${passes(10)}F.F.....`)
  const fix = { at: 15 * hourMs, runId: 'run 15', commit: 'commit 15' }
  expect(judge(outcomes, { fixes: [fix] })).toMatchObject({
    health: 'healthy',
    rule: 'confirmed_fix',
    since: { runId: 'run 15' },
  })
  const lagging = outcomesOf(`${passes(10)}F.F...F.`, (index) =>
    index > 15 ? { commit: 'old', isDefault: false } : {},
  )
  expect(judge(lagging, { fixes: [fix] }).health).toBe('healthy')
  const again = outcomesOf(`${passes(10)}F.F...F.`, (index) => (index > 15 ? { commit: 'new' } : {}))
  expect(judge(again, { fixes: [fix] })).toMatchObject({ health: 'flaky', rule: 'same_commit' })
})

test('a fix that no run has tested is named by its commit', () => {
  const fix = { at: 15 * hourMs, runId: '', commit: 'abcdef' }
  const { rule, evidence } = judge(outcomesOf(`${passes(10)}F.F..`), { fixes: [fix] })
  expect(explainHealth({ rule, evidence })).toContain('a confirmation on abcdef')
})

test('of two fixes, the later one decides only if the test was not healthy', () => {
  const fixes = [15, 20].map((at) => ({ at: at * hourMs, runId: `run ${at}`, commit: `commit ${at}` }))
  const since = (history: string) => judge(outcomesOf(`${passes(10)}${history}`), { fixes }).since?.runId
  expect(since('F.F......')).toBe('run 15')
  expect(since('F.F..F.F....')).toBe('run 20')
})

test('counts, rates and evidence hold for every history', () => {
  const letters = fc.array(fc.constantFrom('.', '.', '.', 'F', 'r', 'e'), { maxLength: 200 })
  fc.assert(
    fc.property(letters, (made) => {
      const outcomes = outcomesOf(made.join(''))
      const { counts, failureRate, evidence, changes, health } = judge(outcomes)
      expect(counts.results).toBe(outcomes.length)
      expect(counts.passed + counts.failed).toBe(outcomes.length)
      expect(failureRate).toBeGreaterThanOrEqual(0)
      expect(failureRate).toBeLessThanOrEqual(1)
      expect(evidence.length).toBeLessThanOrEqual(10)
      for (const [index, { from }] of changes.entries()) expect(from).toBe(changes[index - 1]?.to ?? null)
      if (outcomes.length > 0) expect(changes.at(-1)?.to).toBe(health)
    }),
  )
})
