import { expect, test } from 'vitest'
import type { Ranges } from '../coverage/ranges.ts'
import { decideGate } from './decide.ts'
import type { GateFacts } from './facts.ts'
import { patchCoverage } from './patch-coverage.ts'
import type { PatchFile } from './patch.ts'
import { defaultGatePolicy, type GatePolicy, type GateRules } from './policy.ts'
import { trendOf } from './trend.ts'
import { mergeLines, moveLines, parseStored } from './report-lines.ts'

const change = (path: string, lines: string | null): PatchFile => ({
  path,
  before: path,
  kind: 'code',
  change: 'changed',
  lines,
  removed: '',
  namesakes: [],
})
const report = (covered: Ranges, uncovered: Ranges) => ({ covered, uncovered, branches: null })
const patchOf = (files: Record<string, { covered: Ranges; uncovered: Ranges }>) =>
  patchCoverage(
    Object.keys(files).map((path) => change(path, null)),
    {
      files: new Map(Object.entries(files).map(([path, lines]) => [path, report(lines.covered, lines.uncovered)])),
      unknown: new Map(),
    },
  )

const test1 = { testId: '1', variant: '', suite: 'cart', name: 'adds', file: 'cart.test.ts', runId: 'run' }
const facts = (given: Partial<GateFacts> = {}): GateFacts => ({
  patch: patchOf({ 'a.ts': { covered: [[1, 10]], uncovered: [] } }),
  components: [],
  incomparable: null,
  project: null,
  runs: { open: 0, ended: 1, errors: [], withTests: 1, withCoverage: 1 },
  uploads: { names: [], count: 1, isDone: false },
  failures: { fresh: [], freshCount: 0, known: 0, muted: 0 },
  flaky: { fresh: [], freshCount: 0 },
  mutants: null,
  proof: null,
  prefixes: [],
  isDeadlineOver: false,
  ...given,
})
const policy = (rules: Partial<GateRules> = {}, rest: Partial<GatePolicy> = {}): GatePolicy => ({
  ...defaultGatePolicy,
  ...rest,
  rules: { ...defaultGatePolicy.rules, ...rules },
})
const stateOf = (given: Partial<GateFacts>, by = policy()) => decideGate(facts(given), by).state
const reasonOf = (rule: string, given: Partial<GateFacts>, by = policy()) =>
  decideGate(facts(given), by).reasons.find((reason) => reason.rule === rule)

test('a change with passing tests and enough coverage succeeds', () => {
  const { state, reasons } = decideGate(facts(), policy())
  expect(state).toBe('success')
  expect(reasons.find(({ rule }) => rule === 'patch')).toMatchObject({
    outcome: 'passed',
    text: '10 of 10 changed lines are covered (100 %; the goal is 80 %).',
  })
})

test('a change without a line to cover has no percentage, and succeeds', () => {
  const patch = patchOf({})
  expect(stateOf({ patch })).toBe('success')
  expect(reasonOf('patch', { patch })).toMatchObject({
    outcome: 'nothing',
    text: 'The change contains no line that a test could run.',
  })
})

test('a snapshot waits for no uploads', () => {
  const expecting = policy({}, { uploads: { names: ['unit'], count: 2, untilDone: true } })
  expect(stateOf({}, expecting)).toBe('pending')
  expect(stateOf({ uploads: null }, expecting)).toBe('success')
  expect(reasonOf('uploads', { uploads: null }, expecting)).toBeUndefined()
})

test('where nothing was measured, the advice is to upload coverage', () => {
  const patch = patchCoverage([change('src/a.py', '1-9')], { files: new Map(), unknown: new Map() })
  const runs = { ...facts().runs, withCoverage: 0 }
  expect(reasonOf('unmeasured', { patch, runs })?.fix).toContain('Upload a report of coverage')
})

test('a test that fails in two uploads is told apart by their names', () => {
  const fresh = ['unit', 'e2e'].map((variant) => ({ ...test1, variant }))
  expect(reasonOf('new_failures', { failures: { ...facts().failures, fresh, freshCount: 2 } })?.text).toBe(
    '2 tests fail with the change: cart › adds (unit) and cart › adds (e2e).',
  )
})

test('code that no report names is named, and fails only where it is required', () => {
  const patch = patchCoverage([change('src/a.py', '1-9')], { files: new Map(), unknown: new Map() })
  const prefixes = [{ path: 'src/a.py', report: 'lib/', repository: 'src/' }]
  expect(stateOf({ patch, prefixes })).toBe('success')
  expect(reasonOf('patch', { patch })).toMatchObject({ outcome: 'nothing', text: 'No report names a changed line.' })
  expect(reasonOf('unmeasured', { patch, prefixes }, policy({ requireMeasured: true }))).toEqual({
    rule: 'unmeasured',
    component: null,
    outcome: 'failed',
    text: 'No report names 1 changed file with code: src/a.py.',
    fix: 'The reports name files elsewhere. Add {"report":"lib/","repository":"src/"} to `pathPrefixes` of the gate.',
  })
})

test('percentages are compared exactly and shown rounded down', () => {
  const patch = patchOf({ 'a.ts': { covered: [[1, 7996]], uncovered: [[7997, 10000]] } })
  expect(reasonOf('patch', { patch })).toMatchObject({ outcome: 'failed', text: expect.stringContaining('(79.9 %;') })
  expect(reasonOf('patch', { patch }, policy({ tolerance: 0.04 }))?.outcome).toBe('passed')
  expect(reasonOf('patch', { patch }, policy({ tolerance: 0.03 }))?.outcome).toBe('failed')
  const nearly = patchOf({ 'a.ts': { covered: [[1, 9999]], uncovered: [[10000, 10000]] } })
  expect(reasonOf('patch', { patch: nearly }, policy({ patchTarget: 100 }))).toMatchObject({
    outcome: 'failed',
    text: expect.stringContaining('(99.9 %;'),
    fix: 'Cover the uncovered line: a.ts:10000.',
  })
})

test('one uncovered line among many is found by the rule for lines, which an average hides', () => {
  const patch = patchOf({ 'a.ts': { covered: [[1, 99]], uncovered: [[100, 100]] } })
  expect(stateOf({ patch })).toBe('success')
  expect(reasonOf('uncovered_lines', { patch }, policy({ maxUncovered: 0 }))).toMatchObject({
    outcome: 'failed',
    text: '1 changed line is uncovered; at most 0 may be.',
    fix: 'Cover 1 more line: a.ts:100.',
  })
})

test('coverage is not judged before all expected uploads are there, and a failing test is', () => {
  const patch = patchOf({ 'a.ts': { covered: [], uncovered: [[1, 9]] } })
  const expecting = policy({}, { uploads: { names: ['unit', 'e2e'], count: null, untilDone: false } })
  const uploads = { names: ['unit'], count: 1, isDone: false }
  expect(stateOf({ patch, uploads }, expecting)).toBe('pending')
  expect(reasonOf('uploads', { patch, uploads }, expecting)).toMatchObject({
    outcome: 'waiting',
    text: 'An upload is missing: e2e.',
  })
  expect(stateOf({ patch, uploads, isDeadlineOver: true }, expecting)).toBe('error')
  expect(stateOf({ patch, uploads: { ...uploads, isDone: true } }, expecting)).toBe('failure')
  const failures = { fresh: [test1], freshCount: 1, known: 0, muted: 0 }
  expect(stateOf({ patch, uploads, failures }, expecting)).toBe('failure')
})

test('a commit without any run waits, and ends with an error after the deadline', () => {
  const runs = { open: 0, ended: 0, errors: [], withTests: 0, withCoverage: 0 }
  expect(stateOf({ runs })).toBe('pending')
  expect(stateOf({ runs, isDeadlineOver: true })).toBe('error')
  expect(stateOf({ runs: { ...runs, open: 1 } })).toBe('pending')
})

test('a run without a result is an error, not a failure', () => {
  const runs = { open: 0, ended: 1, errors: [{ id: 'r', message: 'npm ci failed' }], withTests: 0, withCoverage: 0 }
  expect(stateOf({ runs })).toBe('error')
  expect(decideGate(facts({ runs }), policy()).reasons[0]).toMatchObject({
    rule: 'runs',
    text: 'A run of the commit has no result: npm ci failed',
  })
})

test('reasons that fail come first, the most important one at the top', () => {
  const patch = patchOf({ 'a.ts': { covered: [], uncovered: [[1, 9]] } })
  const failures = { fresh: [test1], freshCount: 4, known: 1, muted: 0 }
  const flaky = { fresh: [test1], freshCount: 1 }
  const { reasons } = decideGate(facts({ patch, failures, flaky }), policy())
  expect(reasons.map(({ rule, outcome }) => `${rule} ${outcome}`)).toEqual([
    'new_failures failed',
    'new_flaky failed',
    'patch failed',
    'runs passed',
  ])
  expect(reasons[0]?.text).toBe('4 tests fail with the change: cart › adds and 3 more.')
})

test('components have their own targets', () => {
  const component = { name: 'payment', paths: ['pay/**'], upload: null, patchTarget: 100, maxUncovered: null }
  const patch = patchOf({ 'a.ts': { covered: [[1, 99]], uncovered: [[100, 100]] } })
  expect(reasonOf('component', { patch, components: [patch] }, policy({}, { components: [component] }))).toMatchObject({
    component: 'payment',
    outcome: 'failed',
  })
})

test('the target auto is what the base has, and without a measured base there is none', () => {
  const patch = patchOf({ 'a.ts': { covered: [[1, 7]], uncovered: [[8, 10]] } })
  const project = {
    head: { covered: 60, total: 100 },
    base: { covered: 60, total: 100 },
    removed: { covered: 0, total: 0 },
    baseSha: 'b',
  }
  const auto = policy({ patchTarget: 'auto' })
  expect(reasonOf('patch', { patch, project }, auto)?.outcome).toBe('passed')
  expect(reasonOf('patch', { patch, project: { ...project, base: { covered: 71, total: 100 } } }, auto)?.outcome).toBe(
    'failed',
  )
  expect(reasonOf('patch', { patch, project: { ...project, base: null } }, auto)?.outcome).toBe('nothing')
})

test('coverage that falls because covered code was removed does not fail the project', () => {
  const project = {
    head: { covered: 30, total: 50 },
    base: { covered: 80, total: 100 },
    removed: { covered: 50, total: 50 },
    baseSha: 'b',
  }
  expect(trendOf(project)).toEqual({ head: 60, base: 80, change: -20, fromRemoved: -20 })
  expect(reasonOf('project', { project }, policy({ projectTarget: 'auto' }))).toMatchObject({
    outcome: 'passed',
    text: 'The project is covered by 60 %, −20.0 points against 80 %, of which −20.0 points because code was removed.',
  })
  const worse = { ...project, removed: { covered: 0, total: 0 } }
  expect(reasonOf('project', { project: worse }, policy({ projectTarget: 'auto' }))?.outcome).toBe('failed')
})

test('a proof and mutants count only where they are required', () => {
  expect(reasonOf('proof', {})).toBeUndefined()
  const required = policy({ requireProof: true, killedMutants: 70 })
  expect(stateOf({}, required)).toBe('pending')
  const proof = { verdict: 'proved', changeId: 'c' }
  expect(stateOf({ proof, mutants: { killed: 7, total: 10 } }, required)).toBe('success')
  expect(stateOf({ proof: { ...proof, verdict: 'unproved' }, mutants: { killed: 6, total: 10 } }, required)).toBe(
    'failure',
  )
})

test('lines that were measured in another version only, are unknown and not covered', () => {
  const patch = patchCoverage([change('a.ts', '4-6')], {
    files: new Map([['a.ts', report([[1, 3]], [])]]),
    unknown: new Map([['a.ts', [[5, 5]]]]),
  })
  expect(stateOf({ patch })).toBe('error')
  expect(reasonOf('patch', { patch })?.text).toContain('another version of a.ts')
})

test('branches are counted by line, and merged over runs', () => {
  const stored = { path: 'a.ts', covered: '1-4', uncovered: '6', partial: '2:1/2,6:0/2', complete: '3:2' }
  const one = parseStored(stored)
  const other = parseStored({ ...stored, partial: '3:1/2', complete: '2:2' })
  const judged = (lines: typeof one) =>
    patchCoverage([change('a.ts', null)], { files: new Map([['a.ts', lines]]), unknown: new Map() })
  expect(judged(one)).toMatchObject({
    lines: { covered: 4, total: 5 },
    branches: { covered: 3, total: 6 },
    files: [{ partial: [{ line: 2, covered: 1, total: 2 }] }],
  })
  expect(judged(mergeLines(one, other))).toMatchObject({ branches: { covered: 4, total: 6 }, files: [{ partial: [] }] })
  const moved = moveLines(one, [{ oldStart: 1, oldLines: 0, newStart: 2, newLines: 5 }])
  expect([...(moved.branches ?? [])].map(([line]) => line)).toEqual([7, 8, 11])
  const patch = judged(one)
  expect(reasonOf('patch', { patch }, policy({ partialIsUncovered: true, patchTarget: 61 }))?.outcome).toBe('failed')
})
