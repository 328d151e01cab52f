import { expect, test } from 'vitest'
import { testRole } from '../test-names/roles.ts'
import { layoutOf } from '../test-names/test-place.ts'
import { describeTesting } from './describe-testing.ts'
import { detectPlan } from './detect.ts'
import type { TestingPart } from './schema.ts'
import { type TestSubject, testHomeFor, whyUncollected } from './test-home.ts'
import { noSettings, tree } from './testing/tree.ts'

type Files = Record<string, string | object>

async function projectOf(files: Files, settings: Partial<typeof noSettings> = {}) {
  const source = tree(files)
  const { parts } = await detectPlan(source, { ...noSettings, ...settings }, 'ALL')
  const layoutFiles = source.paths.map((path) => ({
    path,
    role: testRole(path) === undefined ? ('source' as const) : ('test' as const),
  }))
  const manifests = source.paths.filter((path) => /(?:^|\/)package\.json$/.test(path)).map((path) => ({ path }))
  return {
    testing: parts.map(describeTesting),
    testFrameworks: [],
    layout: layoutOf(layoutFiles, manifests),
    isFile: (path: string) => source.paths.includes(path),
  }
}

async function homeIn(files: Files, subject: Pick<TestSubject, 'path'> & Partial<TestSubject>) {
  const home = testHomeFor({ testType: 'unit', nearestTests: [], ...subject }, await projectOf(files))
  return [home.framework, home.path, home.exists ? 'exists' : 'new']
}

const script = (test: string, more: object = {}) => ({ name: 'app', scripts: { test }, ...more })

test('the command that runs the tests names the framework, however many files look otherwise', async () => {
  const files = {
    'package.json': script('tape test/*.js', { devDependencies: { tape: '5', vitest: '3' } }),
    'index.js': '',
    'test/a.js': '',
    'fixtures/one/package.json': script('jest', { devDependencies: { jest: '30' } }),
    'fixtures/one/a.test.js': '',
    'fixtures/one/b.test.js': '',
  }
  expect(await homeIn(files, { path: 'index.js' })).toEqual(['tape', 'test/index.js', 'new'])
})

test('a test goes where the command collects it, though most tests are elsewhere', async () => {
  const files = {
    'package.json': script('vitest run', { devDependencies: { vitest: '3' } }),
    'vitest.config.ts': "export default { test: { include: ['test/**/*.spec.ts'] } }",
    'src/cart.ts': '',
    'test/order.spec.ts': '',
    'src/old/a.test.ts': '',
    'src/old/b.test.ts': '',
    'src/old/a.ts': '',
    'src/old/b.ts': '',
  }
  expect(await homeIn(files, { path: 'src/cart.ts' })).toEqual(['vitest', 'test/cart.spec.ts', 'new'])
})

test('a test is added to the only file that the command collects', async () => {
  const files = {
    'pyproject.toml': '[project]\nname = "slug"\n[tool.pytest.ini_options]\ntestpaths = ["test.py"]\n',
    'slug/__init__.py': '',
    'slug/slug.py': 'def slug(): ...\n',
    'test.py': 'import unittest\nclass TestSlug(unittest.TestCase): ...\n',
  }
  expect(await homeIn(files, { path: 'slug/slug.py' })).toEqual(['pytest', 'test.py', 'exists'])
})

test('each part of a repository keeps its own framework', async () => {
  const files = {
    'web/package.json': script('jest', { devDependencies: { jest: '30' } }),
    'web/src/cart.js': '',
    'web/src/order.test.js': '',
    'web/src/order.js': '',
    'api/pyproject.toml': '[project]\nname = "api"\ndependencies = ["pytest"]\n',
    'api/shop/cart.py': '',
    'api/tests/test_order.py': 'import pytest\n',
  }
  expect(await homeIn(files, { path: 'web/src/cart.js' })).toEqual(['jest', 'web/src/cart.test.js', 'new'])
  expect(await homeIn(files, { path: 'api/shop/cart.py' })).toEqual(['pytest', 'api/tests/test_cart.py', 'new'])
})

test('the existing test of a file is extended', async () => {
  const files = {
    'package.json': script('ava', { devDependencies: { ava: '6' } }),
    'source/queue.js': '',
    'test/queue.js': '',
    'test/order.js': '',
  }
  expect(await homeIn(files, { path: 'source/queue.js' })).toEqual(['ava', 'test/queue.js', 'exists'])
})

test('without a plan the detected frameworks and the usual place remain', async () => {
  const files = { 'src/cart.ts': '', 'src/order.ts': '', 'src/order.test.ts': '' }
  const layout = layoutOf(
    Object.keys(files).map((path) => ({
      path,
      role: path.includes('.test.') ? ('test' as const) : ('source' as const),
    })),
    [],
  )
  const project = { testing: [], testFrameworks: [{ name: 'jest', confidence: 0.9 }], layout, isFile: () => false }
  const home = testHomeFor({ path: 'src/cart.ts', testType: 'unit', nearestTests: [] }, project)
  expect(home).toMatchObject({ framework: 'jest', isKnown: true, path: 'src/cart.test.ts', part: undefined })
  expect(
    testHomeFor({ path: 'a.ts', testType: 'unit', nearestTests: [] }, { ...project, testFrameworks: [] }),
  ).toMatchObject({ framework: 'node:test', isKnown: false })
})

const pytest: TestingPart = {
  directory: '',
  ecosystem: 'python',
  framework: 'pytest',
  command: 'pytest',
  testFiles: ['tests/**/test_*.py'],
}

test('says which command would leave a file out', () => {
  expect(whyUncollected('tests/test_a.py', [pytest])).toBeUndefined()
  expect(whyUncollected('src/test_a.py', [pytest])).toBe('`pytest` runs tests/**/test_*.py')
  expect(whyUncollected('src/a.test.ts', [pytest])).toBeUndefined()
  expect(whyUncollected('src/test_a.py', [{ ...pytest, directory: 'api' }])).toBeUndefined()
  expect(
    whyUncollected('src/test_a.py', [{ directory: '', ecosystem: 'python', framework: 'pytest', command: 'make' }]),
  ).toBeUndefined()
})

test('a new file may be beside the only files that a command names', () => {
  const only = { ...pytest, testFiles: ['test.py'] }
  expect(whyUncollected('test_slug.py', [only])).toBeUndefined()
  expect(whyUncollected('tests/test_slug.py', [only])).toBe('`pytest` runs test.py')
})

test('a test goes into the best file whose tests call the code, if the command collects it', async () => {
  const files = {
    'package.json': script('vitest run', { devDependencies: { vitest: '3' } }),
    'vitest.config.ts': "export default { test: { include: ['test/**/*.test.ts'] } }",
    'src/utils.ts': '',
    'src/cart.ts': '',
    'test/base.test.ts': '',
    'test/base.test.js': '',
    'test/cart.test.ts': '',
    'test/e2e/shop.test.ts': '',
    'bench/base.bench.ts': '',
  }
  const place = async (path: string, ...callingTests: string[]) =>
    (await homeIn(files, { path, nearestTests: callingTests, callingTests })).slice(1)
  expect(await place('src/utils.ts', 'test/base.test.ts')).toEqual(['test/base.test.ts', 'exists'])
  expect(await place('src/cart.ts', 'test/base.test.ts')).toEqual(['test/base.test.ts', 'exists'])
  expect(await place('src/cart.ts')).toEqual(['test/cart.test.ts', 'exists'])
  const others = ['bench/base.bench.ts', 'test/e2e/shop.test.ts', 'test/base.test.js', 'test/gone.test.ts']
  for (const other of others) expect(await place('src/utils.ts', other)).toEqual(['test/utils.test.ts', 'new'])
  expect(await place('src/utils.ts', ...others, 'test/base.test.ts')).toEqual(['test/base.test.ts', 'exists'])
})

test('a test that no name shows is extended, if the command collects it', async () => {
  const files = {
    'package.json': script('node --test test/*.js'),
    'source/index.js': '',
    'source/list.js': '',
    'test/list.js': '',
    'test/advanced.js': '',
  }
  const callingTests = ['test/advanced.js']
  expect(await homeIn(files, { path: 'source/index.js', callingTests })).toEqual(['node:test', 'test/advanced.js', 'exists']) // prettier-ignore
})
