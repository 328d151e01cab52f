import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collectCoverageApart } from '../coverage/collect-apart.ts'
import { findMutants } from '../mutation/find-mutants.ts'
import { ProcessPool } from '../processes/pool.ts'
import { TaskFailure, type TaskRunner } from '../processes/tasks.ts'
import { describeFailures } from '../reports/describe-failures.ts'
import { readReportApart } from '../reports/read-apart.ts'
import { ReportError } from '../reports/report.ts'
import { detectPlanApart, findGoModulesApart } from '../test-plan/detect-apart.ts'
import { PlanError, type PlanPart } from '../test-plan/plan.ts'
import { explainHangApart, inferTargetApart } from './judge-apart.ts'
import { readCasesApart } from './read-cases.ts'
import { readExpectedErrors, readTestStyle } from './test-style.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-apart-'))
  await writeFile(
    join(folder, 'a.xml'),
    '<testsuite><testcase classname="cart" name="adds" file="a.test.ts"/></testsuite>',
  )
  await writeFile(join(folder, 'b.info'), 'SF:a.ts\nDA:1,1\nend_of_record\n')
  await writeFile(join(folder, 'c.info'), 'SF:c.ts\nDA:1,1\nend_of_record\n')
})
afterAll(() => rm(folder, { recursive: true }))

const file = (name: string) => ({ path: join(folder, name), name })
const tree = {
  paths: ['package.json', 'a.test.js', 'go.mod'],
  read: (path: string) =>
    Promise.resolve(path === 'go.mod' ? 'module example.org/a\n' : '{"scripts":{"test":"node --test"}}'),
}
const settings = {
  installCommand: null,
  testCommand: null,
  workingDirectory: null,
  reportGlobs: [],
  coverageGlobs: [],
  // Settings that no task needs, such as this one, stay in this process.
  secret: () => 'a function cannot be sent',
}
const coverage = { isStrict: true, roots: [], maxBytes: 2 ** 20, maxFiles: 100 }
const around = { testPath: 'a.test.js', root: '/work', directory: '' }
const cases = { roots: [], ...around, framework: null, maxCases: 10, maxLength: 1_000 }
const warn = () => {}

async function all<Item>(batches: AsyncIterable<Item[]>): Promise<Item[]> {
  const items: Item[] = []
  for await (const batch of batches) items.push(...batch)
  return items
}

/** Every way from this process to code that parses, with what it gives, and what it gives if the process hangs. */
const entries: Record<string, [(runner: TaskRunner) => Promise<unknown>, result: unknown, hanging: unknown]> = {
  'detects plans': [
    (runner) => detectPlanApart(runner, tree, settings, 'ALL'),
    { parts: [{ framework: 'node:test' }] },
    PlanError,
  ],
  'finds Go modules': [
    (runner) => findGoModulesApart(runner, tree, [{ ecosystem: 'go', directory: '' } as PlanPart]),
    [{ path: 'example.org/a', folder: '' }],
    PlanError,
  ],
  'reads reports': [
    (runner) => all(readReportApart(runner, { file: file('a.xml'), roots: [] }, undefined, warn)),
    [{ name: 'adds', status: 'passed' }],
    ReportError,
  ],
  'reads reports of verifications': [
    (runner) => readCasesApart(runner, { ...cases, file: file('a.xml') }, ['a.test.ts'], warn),
    { cases: [{ name: 'adds', kind: null }], totals: { passedTests: 1 } },
    ReportError,
  ],
  'collects coverage': [
    (runner) => collectCoverageApart(runner, { ...coverage, files: [file('b.info')] }, { paths: null, warn }),
    { files: [{ path: 'a.ts', covered: '1' }], percent: 100 },
    ReportError,
  ],
  'describes failures': [
    (runner) =>
      describeFailures(runner, [{ message: 'expected 3', stack: 'at a (a.js:4:2)', file: null, suite: '' }], []),
    [{ frame: { file: 'a.js', line: 4 }, stackLines: ['at a (a.js:4:2)'] }],
    TaskFailure,
  ],
  'finds mutants': [
    (runner) => findMutants(runner, { path: 'a.js', source: 'x = a < b\n', lines: [[1, 1]] }),
    [{ operator: 'condition' }, { operator: 'boundary' }],
    [],
  ],
  'reads the style of tests': [
    (runner) => readTestStyle(runner, 'a.test.js', 'expect(add(1)).toBe(2)'),
    { assertions: 1 },
    null,
  ],
  'reads which errors tests expect': [
    (runner) => readExpectedErrors(runner, 'test_a.py', 'with pytest.raises(KeyError):\n    add(1)\n'),
    [[2, 2]],
    [],
  ],
  'infers targets': [
    (runner) => inferTargetApart(runner, { path: 'a.test.js', code: "import './b.js'" }, ['b.js', 'a.test.js'], null),
    { path: 'b.js' },
    null,
  ],
  'explains hangs': [
    (runner) =>
      explainHangApart(
        runner,
        {
          written: '    at f (/work/b.js:4:2)',
          runningTests: '',
          printed: '',
          test: { path: 'a.test.js', code: '' },
          around,
        },
        ['b.js', 'a.test.js'],
      ),
    { place: { file: 'b.js', line: 4 } },
    null,
  ],
}

test.for(Object.keys(entries))('%s in another process, which may hang', async (name) => {
  const [read, result, hanging] = entries[name] ?? []
  if (!read) throw new Error('no entry')
  await using pool = new ProcessPool({ size: 2, timeoutMs: 30_000 })
  expect(await read(pool.runnerFor('a'))).toMatchObject(result as object)
  const [pid = 0] = pool.pids
  expect(pool.pids).toEqual([pid])
  // To its parent, a stopped process looks like one in an endless loop.
  process.kill(pid, 'SIGSTOP')
  const runner = pool.runnerFor('a')
  const soon: TaskRunner = {
    ...runner,
    run: (task, input, options) => runner.run(task, input, { ...options, timeoutMs: 300 }),
  }
  const outcome: unknown = await read(soon).catch((error: unknown) => error)
  if (typeof hanging === 'function') {
    expect(outcome).toBeInstanceOf(hanging)
    expect(outcome).toMatchObject({ message: expect.stringContaining('took longer than 0.3 s to read') as string })
  } else expect(outcome).toEqual(hanging)
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  expect(await read(runner)).toMatchObject(result as object)
})

test('names a report that needs too much memory, and reads the next one', async () => {
  await using pool = new ProcessPool({ size: 2, timeoutMs: 60_000, maxHeapBytes: 24 * 2 ** 20 })
  const runner = pool.runnerFor('a')
  const lines = Array.from({ length: 400_000 }, (_, line) => `FN:${line + 1},function number ${line} of many`)
  await writeFile(join(folder, 'large.info'), `SF:a.ts\n${lines.join('\n')}\nend_of_record\n`)
  const collect = (name: string) =>
    collectCoverageApart(runner, { ...coverage, maxBytes: 2 ** 30, files: [file(name)] }, { paths: null, warn })
  await expect(collect('large.info')).rejects.toThrow(/^large\.info: the file needed too much memory to read$/)
  expect(await collect('b.info')).toMatchObject({ percent: 100 })
})

test('leaves out coverage that cannot be read within the limits, and keeps the rest', async () => {
  await using pool = new ProcessPool({ size: 2, timeoutMs: 60_000, maxHeapBytes: 24 * 2 ** 20 })
  const warnings: string[] = []
  const files = ['b.info', 'large.info', 'c.info'].map(file)
  const collected = await collectCoverageApart(
    pool.runnerFor('a'),
    { ...coverage, maxBytes: 2 ** 30, isStrict: false, files },
    { paths: null, warn: (text) => warnings.push(text) },
  )
  expect(collected).toMatchObject({ files: [{ path: 'a.ts' }, { path: 'c.ts' }], percent: 100 })
  expect(warnings).toEqual([
    expect.stringMatching(/^The coverage is incomplete: large\.info: the file needed too much memory to read$/),
  ])
})
