import { expect, test } from 'vitest'
import type { Selection } from './plan.ts'
import { select } from './select.ts'
import { partOf, partsOf } from './testing/tree.ts'

function only(selection: Partial<Selection>): Selection {
  return { paths: [], tests: [], ...selection }
}

const js = (runner: string) => ({
  'package.json': { scripts: { test: `${runner} tests` }, devDependencies: { [runner]: '99' } },
})
const adds = { suite: 'math > sums', name: 'adds (1+1)', file: 'tests/a.test.js' }

test.for([
  [js('vitest'), adds, String.raw`npx vitest run -t '^math(?: >)? sums(?: >)? adds \(1\+1\)$' tests/a.test.js`],
  [js('jest'), adds, String.raw`npx jest -t '^math sums adds \(1\+1\)$' 'tests/a\.test\.js'`],
  [js('mocha'), adds, String.raw`npx mocha --grep '^math sums adds \(1\+1\)$' tests/a.test.js`],
  [
    { 'package.json': { scripts: { test: 'node --test' } } },
    adds,
    String.raw`node --test '--test-name-pattern=^math sums adds \(1\+1\)$' tests/a.test.js`,
  ],
  [
    { 'requirements.txt': 'pytest', 'tests/test_a.py': '' },
    { suite: 'tests.test_a.TestSum', name: 'test_adds[1-2]', file: 'tests/test_a.py' },
    "python -m pytest 'tests/test_a.py::TestSum::test_adds[1-2]'",
  ],
  [
    { 'requirements.txt': 'pytest', 'tests/test_a.py': '' },
    { suite: '', name: 'test_adds', file: 'tests/test_a.py' },
    'python -m pytest tests/test_a.py::test_adds',
  ],
  [
    { 'test_a.py': 'import unittest' },
    { suite: 'test_a.Sum', name: 'test_adds (i=1)', file: 'test_a.py' },
    'python -m unittest test_a.Sum.test_adds',
  ],
  [
    { 'go.mod': '', 'sum/a_test.go': '' },
    { suite: 'example.com/x/sum', name: 'TestAdd/one_two', file: null },
    "go test -run '^TestAdd$/^one_two$' example.com/x/sum",
  ],
  [{ 'Cargo.toml': '', 'src/lib.rs': '' }, { suite: 'tests', name: 'adds', file: null }, 'cargo test -- --exact adds'],
  [
    { 'pom.xml': '<project/>', 'src/test/java/ATest.java': '' },
    { suite: 'com.acme.ATest', name: 'adds(int)[1]', file: null },
    "mvn test '-Dtest=com.acme.ATest#adds' -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false",
  ],
  [
    { gradlew: '', 'build.gradle': '', 'src/test/java/ATest.java': '' },
    { suite: 'com.acme.ATest', name: 'adds', file: null },
    './gradlew test --tests com.acme.ATest.adds',
  ],
  [
    { '.rspec': '', 'spec/a_spec.rb': '' },
    { suite: 'sum', name: 'adds', file: 'spec/a_spec.rb' },
    "rspec --example 'sum adds' spec/a_spec.rb",
  ],
  [
    { 'a.gemspec': '', 'test/a_test.rb': '' },
    { suite: 'SumTest', name: 'test_adds', file: 'test/a_test.rb' },
    "ruby -Ilib -Itest test/a_test.rb -n '/^(?:test_adds)$/'",
  ],
  [
    { 'phpunit.xml': '', 'tests/ATest.php': '' },
    { suite: String.raw`Acme\ATest`, name: 'testAdds with data set #0', file: 'tests/ATest.php' },
    "phpunit --filter '/ATest::testAdds with data set #0$/'",
  ],
] as const)('says how to run one test again: %j', async ([files, test, command]) => {
  const selected = select(await partOf(files), only({ tests: [test] }))
  expect(selected).toMatchObject({ step: { short: command } })
})

test('tells tests whose names begin alike apart', async () => {
  const goModule = await partOf({ 'go.mod': '', 'a_test.go': '' })
  const tests = ['TestAdd/one', 'TestAdd/two', 'TestSub'].map((name) => ({ suite: '', name, file: 'a_test.go' }))
  expect(select(goModule, only({ tests }))).toMatchObject({
    step: { short: "go test -run '^(TestAdd|TestSub)$/^(one|two)$' ." },
  })
  const crate = await partOf({ 'Cargo.toml': '', 'src/lib.rs': '' })
  const inDocumentation = { suite: '', name: 'src/lib.rs - sum (line 1)', file: 'src/lib.rs' }
  expect(select(crate, only({ tests: [inDocumentation] }))).toMatchObject({
    step: { short: "cargo test -- 'src/lib.rs - sum (line 1)'" },
  })
})

test('shows the command that is run, with its reporters', async () => {
  const commandOf = async (files: Parameters<typeof partOf>[0], path: string) => {
    const selected = select(await partOf(files), only({ paths: [path] }))
    return 'step' in selected ? selected.step.command : selected.unsupported
  }
  expect(await commandOf(js('vitest'), 'a.test.js')).toMatch(
    /^npx vitest run --reporter=default .*--outputFile.json=\{output\}\/vitest.json.* a\.test\.js$/,
  )
  expect(await commandOf({ 'requirements.txt': 'pytest', 'tests/test_a.py': '' }, 'tests/test_a.py')).toBe(
    'python -m pytest --junitxml={output}/junit.xml -o junit_family=xunit1 tests/test_a.py',
  )
  expect(await commandOf({ 'go.mod': '', 'sum/a_test.go': '' }, 'sum')).toBe(
    'go test -json -coverprofile={output}/cover.out ./sum/...',
  )
  expect(await commandOf({ 'test_a.py': 'import unittest' }, 'test_a.py')).toBe('python -m unittest test_a.py')
})

test.for([
  [js('vitest'), { suite: '', name: 'test/b.test.js', file: 'test/b.test.js' }, 'npx vitest run test/b.test.js'],
  [js('jest'), { suite: '', name: 'test/b.test.js', file: 'test/b.test.js' }, String.raw`npx jest 'test/b\.test\.js'`],
  [
    { 'requirements.txt': 'pytest', 'tests/test_a.py': '' },
    { suite: '', name: 'tests.test_a', file: 'tests/test_a.py' },
    'python -m pytest tests/test_a.py',
  ],
  [
    { 'test_a.py': 'import unittest' },
    { suite: 'test_a', name: 'import', file: 'test_a.py' },
    'python -m unittest test_a',
  ],
  [
    { 'go.mod': '', 'sum/a_test.go': '' },
    { suite: 'example.com/x/sum', name: 'package', file: null },
    'go test example.com/x/sum',
  ],
] as const)('runs all of a file that could not be loaded: %j', async ([files, test, command]) => {
  expect(select(await partOf(files), only({ tests: [test] }))).toMatchObject({ step: { short: command } })
})

test('takes a folder that is, or contains, a part for all of it', async () => {
  const jest = { scripts: { test: 'jest' }, devDependencies: { jest: '29' } }
  const parts = await partsOf({ 'web/package.json': jest, 'services/api/package.json': jest })
  const chosen = (path: string) =>
    parts.flatMap((part) => {
      const selected = select(part, only({ paths: [path] }))
      return 'step' in selected ? [[part.directory, selected.step === part.test]] : []
    })
  expect(chosen('web')).toEqual([['web', true]])
  expect(chosen('./web/')).toEqual([['web', true]])
  expect(chosen('services')).toEqual([['services/api', true]])
  expect(chosen('.')).toHaveLength(2)
  expect(chosen('web/src')).toEqual([['web', false]])
  expect(chosen('we')).toEqual([])
  const single = await partOf(js('jest'))
  expect(select(single, only({ paths: ['.'] }))).toEqual({ step: single.test })
})

test('keeps the reports of a selection, and drops what would run besides', async () => {
  const part = await partOf(js('vitest'))
  expect(part.test.argv.at(-1)).toBe('tests')
  const selected = select(part, only({ paths: ['src/b.test.ts'] }))
  if (!('step' in selected)) throw new Error(selected.unsupported)
  expect(selected.step.argv).toContain('--outputFile.json={output}/vitest.json')
  expect(selected.step.argv.slice(-1)).toEqual(['src/b.test.ts'])
  expect(selected.step.argv).not.toContain('tests')
})

test('takes paths relative to the part, and says when none is in it', async () => {
  const part = await partOf({ 'web/package.json': { scripts: { test: 'jest' }, devDependencies: { jest: '29' } } })
  expect(select(part, only({ paths: ['web/src/a.test.js'] }))).toMatchObject({
    step: { short: String.raw`npx jest 'src/a\.test\.js'` },
  })
  expect(select(part, only({ paths: ['api/a.py'] }))).toEqual({
    unsupported: 'None of the selected files and tests are in web.',
    holdsNone: true,
  })
})

test('leaves files of other languages to the other parts of the folder', async () => {
  const files = {
    'package.json': '{ "scripts": { "test": "node --test" } }',
    'pyproject.toml': '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
    'test/a.test.js': '',
    'tests/test_a.py': '',
  }
  const parts = await partsOf(files)
  const chosen = (selection: Selection) =>
    parts.map((part) => {
      const selected = select(part, selection)
      return 'step' in selected ? selected.step.argv.at(-1) : selected.holdsNone
    })
  expect(chosen({ paths: ['test/a.test.js'], tests: [] })).toEqual(['test/a.test.js', true])
  expect(chosen({ paths: ['test/a.test.js', 'tests/test_a.py'], tests: [] })).toEqual([
    'test/a.test.js',
    'tests/test_a.py',
  ])
  expect(chosen({ paths: [], tests: [{ suite: '', name: 'a', file: 'tests/test_a.py' }] })[0]).toBe(true)
})

test('names files alone where there are too many tests for a command line', async () => {
  const tests = Array.from({ length: 1_000 }, (_, index) => ({
    suite: 's',
    name: `test ${index}`,
    file: `f${index % 3}.js`,
  }))
  const selected = select(await partOf(js('jest')), only({ tests }))
  expect(selected).toMatchObject({ step: { short: String.raw`npx jest 'f0\.js' 'f1\.js' 'f2\.js'` } })
})

test('runs everything where nothing is selected', async () => {
  const part = await partOf(js('jest'))
  expect(select(part, only({}))).toEqual({ step: part.test })
})

test('refuses paths that look like options, and selections of unknown runners', async () => {
  expect(select(await partOf(js('jest')), only({ paths: ['--config=evil.js'] }))).toHaveProperty('unsupported')
  const unknown = await partOf({ 'a.txt': '' }, { testCommand: 'make test' })
  expect(select(unknown, only({ paths: ['a.txt'] }))).toHaveProperty('unsupported')
})
