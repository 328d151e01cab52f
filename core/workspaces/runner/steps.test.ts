import { expect, test } from 'vitest'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import { partOf, partsOf } from '../../../engines/test-plan/testing/tree.ts'
import { partOfTest } from './part-of-test.ts'
import { aloneStep, canShuffle, suiteStep } from './steps.ts'

const npm = (test: string, devDependencies: Record<string, string>) => ({
  'package.json': JSON.stringify({ scripts: { test }, devDependencies }),
  'package-lock.json': '{}',
})
const parts: Record<string, () => Promise<PlanPart>> = {
  vitest: () => partOf(npm('vitest run src', { vitest: '^5.0.0', '@vitest/coverage-v8': '^5.0.0' })),
  jest: () => partOf(npm('jest', { jest: '^30.0.0' })),
  'jest 28': () => partOf(npm('jest', { jest: '^28.0.0' })),
  'jest 29.1': () => partOf(npm('jest', { jest: '~29.1.2' })),
  'jest 29.7': () => partOf(npm('jest', { jest: '29.7.0' })),
  mocha: () => partOf(npm('c8 mocha', { mocha: '^11.0.0', c8: '^10.0.0' })),
  'node:test': () => partOf(npm('node --test', {})),
  borp: () => partOf(npm('borp', { borp: '^0.20.0', c8: '^10.0.0' })),
  ava: () => partOf(npm('ava', { ava: '^6.0.0' })),
  pytest: () => partOf({ 'requirements-dev.txt': 'pytest\npytest-cov\npytest-randomly\n', 'tests/test_a.py': '' }),
  'pytest with coverage': () => partOf({ 'requirements-dev.txt': 'pytest\ncoverage\n', 'tests/test_a.py': '' }),
  unittest: () => partOf({ 'tests/test_a.py': 'import unittest\nclass A(unittest.TestCase): pass\n', 'setup.py': '' }),
  'go test': () => partOf({ 'go.mod': 'module example.org/shop', 'cart/cart_test.go': '' }),
  rspec: () => partOf({ Gemfile: "gem 'rspec'", 'spec/a_spec.rb': '' }),
  minitest: () => partOf({ Gemfile: "gem 'minitest'", 'test/a_test.rb': '' }),
  'test-unit': () => partOf({ Gemfile: "gem 'test-unit'", 'test/test_a.rb': '' }),
  phpunit: () => partOf({ 'composer.json': '{"require-dev":{"phpunit/phpunit":"^11"}}', 'tests/ATest.php': '' }),
  'cargo test': () => partOf({ 'Cargo.toml': '[package]\nname = "shop"', 'src/lib.rs': '', 'tests/cart.rs': '' }),
  maven: () => partOf({ 'pom.xml': '<project/>', 'src/test/java/ATest.java': '' }),
}

async function part(name: string): Promise<PlanPart> {
  const found = await parts[name]?.()
  if (!found) throw new Error(`no plan of ${name}`)
  return found
}

async function alone(name: string, path: string, code = '', how = { coverage: false, seed: '7' }): Promise<string> {
  const confined = aloneStep(await part(name), { path, code }, how)
  return 'step' in confined ? confined.step.argv.join(' ') : confined.unsupported
}

test.for([
  ['vitest', 'src/cart.test.ts', / --coverage.enabled=false --sequence.shuffle --sequence.seed=7 src\/cart\.test\.ts$/],
  ['jest', 'src/[id].test.ts', / --coverage=false --randomize --seed=7 src\/\\\[id\\\]\\\.test\\\.ts$/],
  ['mocha', 'test/cart.js', /^npx --no-install mocha .* test\/cart\.js$/],
  ['node:test', 'test/cart.test.js', /^node --test (?!.*coverage).* test\/cart\.test\.js$/],
  ['borp', 'test/cart.test.js', /^npx --no-install borp .* test\/cart\.test\.js$/],
  ['ava', 'test/cart.js', / ava --tap test\/cart\.js$/],
  ['pytest', 'tests/test_cart.py', / --no-cov -p randomly --randomly-seed=7 tests\/test_cart\.py$/],
  ['pytest with coverage', 'tests/test_cart.py', /^\{deps\}\/venv\/bin\/python -m pytest .* tests\/test_cart\.py$/],
  ['unittest', 'tests/test_cart.py', /unittest_junit\.py --output=\S+ --shuffle=7 tests\/test_cart\.py$/],
  ['rspec', 'spec/cart_spec.rb', / --order random:7 spec\/cart_spec\.rb$/],
  ['minitest', 'test/cart_test.rb', /minitest_run\.rb --seed 7 test\/cart_test\.rb$/],
  ['test-unit', 'test/test_cart.rb', /test_unit_run\.rb --seed 7 test\/test_cart\.rb$/],
  ['phpunit', 'tests/CartTest.php', / --order-by=random --random-order-seed=7 tests\/CartTest\.php$/],
  ['cargo test', 'tests/cart.rs', / --test cart$/],
  ['maven', 'src/test/java/CartTest.java', / -Dtest=CartTest /],
] as const)('restricts %s to one file, in random order if possible, without coverage', async ([name, path, argv]) => {
  expect(await alone(name, path)).toMatch(argv)
})

test('runs only the test functions of a Go file', async () => {
  const code =
    'package cart\n\nfunc TestTotal(t *testing.T) {}\nfunc Testing() {}\nfunc TestMain(m *testing.M) {}\nfunc ExampleTotal() {}\n'
  expect(await alone('go test', 'cart/total_test.go', code)).toBe(
    'go test -json -count=1 -shuffle=7 -run ^(TestTotal|ExampleTotal)$ ./cart',
  )
  expect(await alone('go test', 'cart/total_test.go', 'package cart\n')).toMatch(/ -shuffle=7 \.\/cart$/)
})

test('measures coverage as in the plan, and keeps the order without a seed', async () => {
  for (const name of ['vitest', 'jest', 'mocha', 'pytest', 'unittest', 'phpunit']) {
    const found = await part(name)
    expect(suiteStep(found, { coverage: true })).toEqual(found.test)
  }
  expect(suiteStep(await part('go test'), { coverage: true }).argv).toContain('-coverprofile={output}/cover.out')
  expect(suiteStep(await part('vitest'), { coverage: false, seed: null }).command).toMatch(
    /--coverage.enabled=false src$/,
  )
})

test('requests a random order only from runners that have one', async () => {
  const knowing = await Promise.all(
    Object.keys(parts).map(async (name) => [name, canShuffle(await part(name))] as const),
  )
  expect(knowing.filter(([, can]) => !can).map(([name]) => name)).toEqual([
    'jest 28',
    'jest 29.1',
    'mocha',
    'node:test',
    'borp',
    'ava',
    'pytest with coverage',
    'cargo test',
    'maven',
  ])
})

test('shows the command as a user would type it', async () => {
  const confined = aloneStep(await part('vitest'), { path: 'src/cart.test.ts', code: '' }, { coverage: true })
  expect('step' in confined && confined.step.short).toBe('npx vitest run src/cart.test.ts')
  expect(suiteStep(await part('go test'), { coverage: false, seed: '7' }).command).toBe(
    'go test -json -count=1 -shuffle=7 ./...',
  )
  expect(suiteStep(await part('unittest'), { coverage: false, seed: '7' }).command).toBe('python -m unittest discover')
})

test('cannot restrict a custom command', async () => {
  const own = await partOf(npm('make check', {}), { testCommand: 'make check | tee log' })
  expect(aloneStep(own, { path: 'a.test.js', code: '' }, { coverage: false })).toEqual({
    unsupported: 'Assay does not know how the setting "testCommand" can run only some of its tests.',
  })
})

test('chooses the part of the language with the deepest folder around the test', async () => {
  const plan = {
    parts: [
      await part('vitest'),
      { ...(await part('jest')), directory: 'services/bank' },
      { ...(await part('pytest')), directory: 'services/rates' },
    ],
  }
  const frameworkOf = (path: string, code = '') => partOfTest(plan, { path, code })?.framework
  expect(frameworkOf('src/a.test.ts')).toBe('vitest')
  expect(frameworkOf('services/bank/src/a.test.ts')).toBe('jest')
  expect(frameworkOf('services/bankrupt/a.test.ts')).toBe('vitest')
  expect(frameworkOf('services/rates/tests/test_b.py')).toBe('pytest')
  expect(frameworkOf('services/rates/tests/a.test.ts')).toBe('vitest')
  expect(frameworkOf('src/a_test.go')).toBeUndefined()
})

test('chooses the runner of the test among several in one folder', async () => {
  const plan = { parts: await partsOf(npm('vitest run && node --test test/', { vitest: '5' })) }
  const frameworkOf = (code: string) => partOfTest(plan, { path: 'test/a.test.js', code })?.framework
  expect(frameworkOf("import { test } from 'node:test'")).toBe('node:test')
  expect(frameworkOf("import { test } from 'vitest'")).toBe('vitest')
  expect(frameworkOf("test('a', () => {})")).toBe('vitest')
})
