import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cpuMilliseconds } from '../../source/testing/cpu-time.ts'
import type { OutcomeCase, RunOutcome } from '../outcome.ts'
import { compareSides } from './compare-sides.ts'
import type { ChangeFacts } from './facts.ts'
import { judgeChange } from './judge-change.ts'
import { provesChange } from './proving-tests.ts'
import { changedLines } from './patch-coverage.ts'
import { isOfFile } from './side-tests.ts'
import { testsOfChange } from './tests-of-change.ts'
import {
  code,
  codeFile,
  failed,
  fix,
  measured,
  mutants,
  notLoaded,
  other,
  passed,
  run,
  side,
  skipped,
  stopped,
  tests,
} from './testing.ts'

const file = fc.constantFrom('a.test.ts', 'b.test.ts', null)
const oneCase: fc.Arbitrary<OutcomeCase> = fc
  .record({
    kind: fc.constantFrom('passed', 'passed', 'passed', 'failed', 'not_built', 'skipped', 'retried', 'file'),
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    suite: fc.constantFrom('', 'cart'),
    line: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
    file,
  })
  .map(({ kind, name, line, ...place }) => {
    const change = { ...place, ...(line !== undefined && { line }) }
    if (kind === 'failed') return failed(name, change)
    if (kind === 'not_built') return failed(name, change, 'not_built')
    if (kind === 'skipped') return skipped(name, change)
    if (kind === 'file') return notLoaded(place.file ?? 'a.test.ts')
    return passed(name, { ...change, ...(kind === 'retried' && { passedOnRetry: true as const }) })
  })
const oneRun = fc.oneof(
  { weight: 9, arbitrary: fc.array(oneCase, { maxLength: 8 }).map((cases) => run(cases)) },
  { weight: 1, arbitrary: fc.array(oneCase, { maxLength: 3 }).map((cases) => stopped('timeout', 'Stopped.', cases)) },
)
const runs = fc.array(oneRun, { maxLength: 3 })
const coverage = fc.constantFrom(
  null,
  measured({ [codeFile]: { covered: '1-5', uncovered: '7' } }),
  measured({ [codeFile]: { covered: '1', uncovered: '4' } }),
)
const changedFile = fc.constantFrom(
  code(),
  code({ lines: [], removed: [] }),
  tests({ path: 'a.test.ts', before: 'a.test.ts' }),
  tests({ path: 'b.test.ts', before: 'a.test.ts' }),
  tests({ path: 'b.test.ts', before: null, change: 'added', lines: [[1, 2 ** 31]] }),
  tests({ path: 'fixtures.ts', kind: 'test_support' }),
  other(),
)
const anySide = fc.record({ runs, coverage }).map(({ runs: all, ...change }) => side(all, change))
/** Mostly a proved change of which some facts differ. */
const others = {
  intent: fc.constantFrom('change' as const, 'same' as const),
  files: fc.uniqueArray(changedFile, { maxLength: 4, selector: ({ path }) => path }),
  base: anySide,
  head: anySide,
  withoutChange: fc.option(runs),
  mutation: fc.constantFrom(null, mutants('killed'), mutants('survived'), mutants('killed', 'survived', 'survived')),
  notRun: fc.subarray<'repeats' | 'without_change' | 'mutants'>(['repeats', 'without_change', 'mutants']),
}
const facts: fc.Arbitrary<ChangeFacts> = fc
  .tuple(fc.record(others), fc.subarray(Object.keys(others)))
  .map(([change, kept]) => fix(Object.fromEntries(Object.entries(change).filter(([key]) => !kept.includes(key)))))

/** The names of the tests of a side. */
function namesOf(all: readonly RunOutcome[], withSkipped = false): Set<string> {
  return new Set(
    all.flatMap(({ cases }) =>
      cases
        .filter((found) => !isOfFile(found) && (withSkipped || found.status !== 'skipped'))
        .map(({ suite, name }) => `${suite} ${name}`),
    ),
  )
}

test('gives every test of the reports a transition, and no other', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { tests: found, skipped: left, unknown, isHeadKnown } = compareSides(given)
      const named = new Set(
        found.flatMap(({ head, base }) =>
          [head?.named, base?.named].flatMap((one) => (one ? `${one.suite} ${one.name}` : [])),
        ),
      )
      const ofHead = namesOf(given.head.runs)
      const ofBase = namesOf(given.base.runs)
      for (const name of ofHead) expect(named).toContain(name)
      if (isHeadKnown) {
        for (const name of ofBase) expect(named).toContain(name)
        expect(unknown).toBe(0)
      }
      const all = namesOf([...given.head.runs, ...given.base.runs], true)
      for (const name of named) expect(all).toContain(name)
      for (const one of found) expect(one.head !== null || one.base !== null).toBe(true)
      for (const { example } of left) expect(example.status).not.toBe('failed')
    }),
  )
})

test('does not depend on the order of cases and repeats', () => {
  const shuffled = fc.tuple(facts, fc.infiniteStream(fc.nat())).map(([given, random]) => {
    const shuffle = <Value>(values: readonly Value[]) =>
      values
        .map((value) => [random.next().value, value] as const)
        .toSorted((a, b) => a[0] - b[0])
        .map(([, value]) => value)
    const ofRuns = ([first, ...others]: readonly RunOutcome[]) =>
      [...(first ? [first] : []), ...shuffle(others)].map((one) => ({ ...one, cases: shuffle(one.cases) }))
    const { base, head, withoutChange } = given
    const other = {
      ...given,
      files: shuffle(given.files),
      base: { ...base, runs: ofRuns(base.runs) },
      head: { ...head, runs: ofRuns(head.runs) },
      withoutChange: withoutChange && ofRuns(withoutChange),
    }
    return [given, other] as const
  })
  fc.assert(
    fc.property(shuffled, ([given, other]) => {
      const [one, two] = [judgeChange(given), judgeChange(other)]
      expect([two.verdict, two.evidence.reason, two.evidence.counts, two.evidence.missing.length]).toEqual([
        one.verdict,
        one.evidence.reason,
        one.evidence.counts,
        one.evidence.missing.length,
      ])
    }),
  )
})

test('proves nothing with a failing test, a flaky test of the change or without a test that fails without it', () => {
  let proved = 0
  fc.assert(
    fc.property(facts, (given) => {
      const { verdict, evidence } = judgeChange(given)
      if (verdict !== 'proved') return
      proved++
      expect(evidence.counts.broken + evidence.counts.new_failing).toBe(0)
      const sides = compareSides(given)
      const found = testsOfChange(sides, given)
      expect(found.filter(({ isOfChange, head }) => isOfChange !== null && head?.status === 'flaky')).toEqual([])
      expect(evidence.notRun).toEqual([])
      expect(evidence.files.code).toBeGreaterThan(0)
      const observed = { facts: given, sides, tests: found, lines: changedLines(given), mutation: null }
      if (given.intent === 'change') expect(found.some((one) => provesChange(one, observed))).toBe(true)
      else expect(evidence.counts.passes_to_passes).toBeGreaterThan(0)
      expect(evidence.mutation?.survived ?? 0).toBeLessThan(2)
    }),
    { numRuns: 3_000 },
  )
  expect(proved).toBeGreaterThan(0)
})

/** As many cases as a run can have, in three runs of each side. */
function largeChange(count: number): ChangeFacts {
  const name = (at: number) => (at % 10 === 0 ? 'the same name' : `case ${at}`)
  const cases = (made: typeof passed) =>
    Array.from({ length: count }, (_, at) => made(name(at), { line: at, file: `test/${at % 50}.test.ts` }))
  const three = (made: typeof passed) => [run(cases(made)), run(cases(made)), run(cases(made))]
  const files = Array.from({ length: 50 }, (_, at) =>
    tests({
      path: `test/${at}.test.ts`,
      before: `test/old/${at}.test.ts`,
      lines: Array.from({ length: count / 100 }, (_line, index) => [index * 100, index * 100 + 1] as const),
    }),
  )
  return fix({
    files: [...files, code({ lines: Array.from({ length: count }, (_, at) => [at * 3 + 1, at * 3 + 1] as const) })],
    base: side(three(passed)),
    head: side(three(failed), {
      coverage: measured({ [codeFile]: { uncovered: Array.from({ length: count }, (_, at) => at * 3 + 1).join(',') } }),
    }),
    withoutChange: three(failed),
    sources: new Map([[codeFile, 'x()\n\n\n'.repeat(count)]]),
  })
}

test('takes time in proportion to the number of tests and lines', async () => {
  const timeOf = async (count: number) => {
    const given = largeChange(count)
    judgeChange(given)
    return Math.min(await cpuMilliseconds(() => judgeChange(given)), await cpuMilliseconds(() => judgeChange(given)))
  }
  const small = await timeOf(2_000)
  const large = await timeOf(20_000)
  // Ten times the size: linear work takes about ten times as long, quadratic work a hundred times.
  expect(large).toBeLessThan(Math.max(small, 20) * 35)
})
