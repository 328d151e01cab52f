import { expect, test } from 'vitest'
import { leaveOut } from './leave-out.ts'
import type { SelectedTest } from './selectors.ts'
import { partOf, partsOf } from './testing/tree.ts'

const js = (runner: string, script = `${runner} tests`) => ({
  'package.json': { scripts: { test: script }, devDependencies: { [runner]: '99' } },
})
const python = { 'requirements.txt': 'pytest', 'tests/test_a.py': '' }
const goModule = { 'go.mod': '', 'sum/a_test.go': '' }
const crate = { 'Cargo.toml': '', 'src/lib.rs': '' }
const dotnet = {
  'a.csproj':
    '<Project><ItemGroup><PackageReference Include="Microsoft.NET.Test.Sdk" Version="17.0.0"/></ItemGroup></Project>',
}

const adds: SelectedTest = { suite: 'math > sums', name: 'adds (1+1)', file: 'tests/a.test.js' }
/** Something that still runs. */
const other: SelectedTest = { suite: 'math > sums', name: 'other', file: 'tests/a.test.js' }
const between = String.raw`\s+(?:>\s+)*`
const title = String.raw`math${between}sums${between}adds${between}\(1\+1\)`
const whole = String.raw`\s*(?:>\s+)*(?:${title})\s*$`

test.for([
  [js('vitest'), adds, `npx vitest run -t '^(?!${whole})' tests`],
  [js('jest'), adds, `npx jest -t '^(?!${whole})' tests`],
  [js('mocha'), adds, `npx mocha --grep '^${whole}' --invert tests`],
  [js('node', 'node --test'), adds, `node --test '--test-skip-pattern=^${whole}'`],
  [
    { 'package.json': { scripts: { test: 'playwright test' }, devDependencies: { '@playwright/test': '1' } } },
    { suite: 'cart', name: 'pays', file: 'e2e/a.spec.ts' },
    String.raw`npx playwright test --grep-invert '^\s*(?:(?:>|@\S+)\s+)*(?:(?:(?:e2e/)?a\.spec\.ts\s+(?:(?:>|@\S+)\s+)*cart|cart\s+(?:(?:>|@\S+)\s+)*(?:e2e/)?a\.spec\.ts)\s+(?:(?:>|@\S+)\s+)*pays)(?:\s+@\S+)*\s*$'`,
  ],
  [
    python,
    { suite: 'tests.test_a.TestSum', name: 'test_adds[1-2]', file: 'tests/test_a.py' },
    "python -m pytest --deselect 'tests/test_a.py::TestSum::test_adds[1-2]'",
  ],
  [
    goModule,
    { suite: 'example.com/x/sum', name: 'TestAdd/one_(two)', file: null },
    String.raw`go test '-skip=^TestAdd$/^one_\(two\)$' ./...`,
  ],
  [crate, { suite: '', name: 'tests::adds', file: null }, 'cargo test -- --exact --skip tests::adds'],
  [
    { 'phpunit.xml': '', 'tests/ATest.php': '' },
    { suite: String.raw`Acme\ATest`, name: 'testAdds with data set "a/b"', file: 'tests/ATest.php' },
    String.raw`phpunit --filter '/^(?!(?:Acme\\ATest::testAdds\s+with\s+data\s+set\s+"a\/b")\z)/'`,
  ],
  [
    dotnet,
    { suite: 'Acme.SumTests', name: 'Adds', file: null },
    "dotnet test --filter 'FullyQualifiedName!=Acme.SumTests.Adds'",
  ],
] as const)('leaves one test out: %j', async ([files, left, command]) => {
  const part = await partOf(files)
  const made = leaveOut(part, [left], [left, other])
  expect(made).toMatchObject({ step: { short: command }, leftOut: [left], kept: [] })
  if (part.unmeasured) expect(made.unmeasured?.short).toBe(command)
})

test('leaves out several tests, with the reports of the plan', async () => {
  const part = await partOf(js('vitest'))
  const tests = ['a', 'b'].map((name) => ({ suite: '', name, file: 'tests/a.test.js' }))
  const { step, unmeasured } = leaveOut(part, tests, [...tests, other])
  expect(step.argv).toContain('--outputFile.json={output}/vitest.json')
  expect(step.argv.slice(-3)).toEqual(['-t', String.raw`^(?!\s*(?:>\s+)*(?:a|b)\s*$)`, 'tests'])
  expect(step.argv).toContain('--coverage.enabled')
  expect(unmeasured?.argv).toContain('--coverage.enabled=false')
  expect(step.because).toBe('the script "test" of package.json runs vitest, and some tests are left out')
})

test('names tests to a plugin of pytest, beside what the environment has', async () => {
  const part = await partOf({ ...python, 'src/a/b.py': '' })
  const test = { suite: 'tests.test_a', name: 'test_adds', file: 'tests/test_a.py' }
  const { step } = leaveOut(part, [test], [test, other])
  expect(step.argv.slice(-2)).toEqual(['-p', 'assay_leave_out'])
  expect(step.environment).toMatchObject({
    ASSAY_LEAVE_OUT: '[["tests.test_a","test_adds"]]',
    PYTHONPATH: '{root}/src:{tools}/pytest',
  })
})

test.for([
  ['another file', js('vitest'), adds, { ...adds, file: 'tests/b.test.js' }],
  ['a title that ends elsewhere', js('mocha'), adds, { ...adds, suite: 'math', name: 'sums adds (1+1)' }],
  ['another case', js('jest'), adds, { ...adds, suite: 'Math > Sums' }],
  [
    'a title of a suite',
    js('node', 'node --test'),
    { ...adds, suite: '' },
    { ...other, suite: 'all > adds (1+1) > b' },
  ],
  ['the same row', js('vitest'), adds, adds],
  [
    'another package',
    goModule,
    { suite: 'example.com/x/sum', name: 'TestAdd', file: null },
    { suite: 'example.com/x/other', name: 'TestAdd', file: null },
  ],
  [
    'a sub-test',
    goModule,
    { suite: 'example.com/x/sum', name: 'TestAdd', file: null },
    { suite: 'example.com/x/sum', name: 'TestAdd/one', file: null },
  ],
  ['another program', crate, { suite: 'a', name: 'adds', file: null }, { suite: 'b', name: 'adds', file: null }],
  ['a row of it', dotnet, { suite: 'A', name: 'Adds', file: null }, { suite: 'A', name: 'Adds(a: 1)', file: null }],
] as const)('keeps a test that the runner could take for one with %s', async ([, files, left, similar]) => {
  const part = await partOf(files)
  const { leftOut, kept, step } = leaveOut(part, [left], [left, similar, other])
  expect(leftOut).toEqual([])
  expect(kept).toEqual([{ test: left, because: expect.stringContaining('could take another test for it') }])
  expect(step).toBe(part.test)
})

test('keeps a test that no run reported, because its name may be that of another one', async () => {
  const { kept } = leaveOut(await partOf(js('vitest')), [adds], [other])
  expect(kept).toEqual([{ test: adds, because: 'No run reported it, so vitest could take another test for it.' }])
})

test.for([
  [js('vitest', 'vitest -t sums'), 'The command has the option -t, which Assay cannot combine.'],
  [js('jest', 'jest --testNamePattern=sums'), 'The command has the option --testNamePattern, which Assay cannot'],
  [js('mocha', 'mocha -g sums'), 'The command has the option -g, which Assay cannot combine.'],
  [js('mocha', 'mocha --fgrep sums -i'), 'The command has the option --fgrep, which Assay cannot combine.'],
  [js('ava'), 'Assay does not know how ava can leave out single tests.'],
  [{ 'test_a.py': 'import unittest' }, 'Assay does not know how unittest can leave out single tests.'],
  [{ 'pom.xml': '<project/>', 'src/test/java/ATest.java': '' }, 'With -Dtest, Maven would also run tests that'],
  [{ gradlew: '', 'build.gradle': '', 'src/test/java/ATest.java': '' }, 'Gradle has no option that leaves out tests.'],
  [{ '.rspec': '', 'spec/a_spec.rb': '' }, 'With --example-matches, RSpec would also run examples that'],
] as const)('keeps all where it cannot tell the runner: %j', async ([files, because]) => {
  const { step, unmeasured, leftOut, kept } = leaveOut(await partOf(files), [adds], [adds, other])
  const part = await partOf(files)
  expect({ step, unmeasured, leftOut }).toEqual({ step: part.test, unmeasured: part.unmeasured, leftOut: [] })
  expect(kept).toEqual([{ test: adds, because: expect.stringContaining(because) }])
})

test.for([
  ['make test', 'Assay does not know how the setting "testCommand" can leave out single tests.'],
  ['go test -skip TestB ./...', 'The command has the option -skip, which Assay cannot combine.'],
  ['cargo test adds', 'The command selects tests, which Assay cannot combine.'],
  ['cargo test -- --ignored', 'The command selects tests, which Assay cannot combine.'],
  ['vendor/bin/pest', 'Pest gives tests other names than its reports.'],
  ['phpunit --filter=Sum', 'The command has the option --filter, which Assay cannot combine.'],
  ['dotnet test --filter Category=Fast', 'The command has the option --filter, which Assay cannot combine.'],
])('keeps all where the setting is `%s`', async ([testCommand, because]) => {
  const part = await partOf({ ...goModule, ...crate, ...dotnet, 'phpunit.xml': '' }, { testCommand })
  const named = { suite: 'A', name: 'adds', file: null }
  expect(leaveOut(part, [named], [named, other]).kept).toEqual([{ test: named, because }])
})

test.for([
  ['cargo test -p shop --features a,b'],
  ['pytest -m "not slow" -k sums'],
  ['go test -run Sum -tags slow ./...'],
])('leaves tests out in addition to `%s`', async ([testCommand]) => {
  const part = await partOf({ ...goModule, ...crate, 'test_a.py': '' }, { testCommand })
  const named = { suite: 'A', name: 'adds', file: null }
  expect(leaveOut(part, [named], [named, other])).toMatchObject({ leftOut: [named], kept: [] })
})

test.for([
  [{ suite: '', name: 'tests/a.test.js', file: 'tests/a.test.js' }, 'It stands for a file or a run that failed'],
  [{ suite: 'a', name: ' ', file: null }, 'Assay cannot name it to vitest exactly.'],
  [{ suite: 'a', name: 'half \uD83C', file: null }, 'Assay cannot name it to vitest exactly.'],
  [{ suite: 'a', name: 'nothing \0', file: null }, 'Assay cannot name it to vitest exactly.'],
  [{ suite: 'a', name: 'long '.repeat(200), file: null }, 'Assay cannot name it to vitest exactly.'],
] as const)('keeps what has no name that a command line can have: %j', async ([odd, because]) => {
  const { kept } = leaveOut(await partOf(js('vitest')), [odd], [odd, other])
  expect(kept).toEqual([{ test: odd, because: expect.stringContaining(because) }])
})

test('keeps tests of other folders', async () => {
  const jest = { scripts: { test: 'jest' }, devDependencies: { jest: '29' } }
  const [part] = await partsOf({ 'web/package.json': jest, 'api/package.json': jest })
  const tests = ['web', 'api'].map((folder) => ({ suite: folder, name: 'adds', file: `${folder}/a.test.js` }))
  if (!part) throw new Error('no part')
  const { leftOut, kept } = leaveOut(part, tests, [...tests, other])
  expect(kept).toEqual(
    tests
      .filter((one) => !leftOut.includes(one))
      .map((one) => ({ test: one, because: `It is not in ${part.directory}.` })),
  )
  expect(leftOut).toHaveLength(1)
})

test('keeps one test of a run, and with Node one of each suite', async () => {
  const named = (suite: string, name: string) => ({ suite, name, file: 'a.test.js' })
  const tests = [named('a', '1'), named('a', '2'), named('b > c', '3'), named('b', '4')]
  const vitest = leaveOut(await partOf(js('vitest')), tests, tests)
  expect(vitest.kept).toEqual([
    { test: tests[3], because: 'It is the only test left, and a run without tests is an error.' },
  ])
  const node = leaveOut(await partOf(js('node', 'node --test')), tests, tests)
  expect(node.leftOut).toEqual([tests[0], tests[3]])
  expect(node.kept[0]?.because).toBe('It is the only test left in its suite, which the runner would report as a test.')
})

test('leaves out as many tests as a command line can have', async () => {
  const known = Array.from({ length: 20_000 }, (_, index) => ({
    suite: `suite ${index % 100}`,
    name: `adds ${index}`,
    file: `tests/${index % 300}.test.js`,
  }))
  const part = await partOf(js('mocha'))
  const short = leaveOut(part, known.slice(0, 300), known)
  expect(short.leftOut.length + short.kept.length).toBe(300)
  const added = short.step.argv.filter((word) => !part.test.argv.includes(word)).join(' ').length
  expect(added).toBeGreaterThan(6_000)
  expect(added).toBeLessThan(8_000)
  expect(short.kept[0]?.because).toBe('There are too many tests to leave out for one command line.')
  const few = known.map((one) => ({ ...one, suite: '' }))
  expect(leaveOut(await partOf(goModule), few.slice(0, 300), few).leftOut).toHaveLength(200)
})
