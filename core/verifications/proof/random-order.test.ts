import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createVerificationScene, type VerificationScene } from '../testing/scene.ts'

vi.setConfig({ testTimeout: 240_000 })

let scene: VerificationScene
beforeAll(async () => {
  scene = await createVerificationScene()
})
afterAll(() => scene[Symbol.asyncDispose]())

const lines = (...text: string[]) => `${text.join('\n')}\n`
const shop = lines(
  'def total(prices):',
  '    result = 0',
  '    for price in prices:',
  '        if price > 0:',
  '            result = result + price',
  '    return result',
  '',
  '',
  'def discount(price, percent):',
  '    return price - price * percent / 100',
)
/** Its tests pass in the written order only. */
const ordered = lines(
  'import unittest',
  'from shop import discount',
  '',
  'opened = []',
  '',
  '',
  'class ShopTest(unittest.TestCase):',
  '    def test_a_opens(self):',
  '        opened.append(discount(200, 10))',
  '        self.assertEqual(opened[0], 180)',
  '',
  '    def test_b_is_open(self):',
  '        self.assertEqual(opened, [180])',
)
const project = { 'shop.py': shop, 'tests/__init__.py': '', 'tests/test_shop.py': ordered }
const addsUp = ['    def test_total(self):', '        self.assertEqual(total([2, -1, 3]), 5)']
const inNewFile = (comment: string) =>
  lines(
    `# ${comment}`,
    'import unittest',
    'from shop import total',
    '',
    '',
    'class TotalTest(unittest.TestCase):',
    ...addsUp,
  )
const extended = (...added: string[]) =>
  ordered.replace('import discount', 'import discount, total') + lines('', ...added)

const orderWarning = expect.stringMatching(/random order.*without the test too.*test_b_is_open/)

test('a test of the commit that depends on the order does not count against a new file', async () => {
  const { id } = await scene.project(project)
  // The text gives the seeds. With these, the test of the commit passes in the same order without the new file.
  const seen = await Promise.all(
    ['one', 'two', 'three'].map((word) =>
      scene.verify(id, { filePath: 'tests/test_total.py', code: inNewFile(word) }, { repeats: 6, mutants: 6 }),
    ),
  )
  for (const { verdict, evidence, error } of seen)
    expect(verdict, `${error?.message} ${evidence?.summary}`).toBe('accepted')
  expect(seen.some(({ evidence }) => evidence?.runs.some(({ order }) => order === 'random'))).toBe(true)
  expect(seen.flatMap(({ evidence }) => evidence?.warnings ?? [])).toContainEqual(orderWarning)
})

test('a test of the commit that depends on the order does not count against one that is added to its file', async () => {
  const { id } = await scene.project(project)
  const { verdict, evidence, error } = await scene.verify(
    id,
    { filePath: 'tests/test_shop.py', code: extended(...addsUp) },
    { repeats: 6, mutants: 6 },
  )
  expect(verdict, `${error?.message} ${evidence?.summary}`).toBe('accepted')
  expect(evidence?.warnings).toContainEqual(orderWarning)
})

test('a new test that depends on the order is flaky, next to a test of the commit that does too', async () => {
  const { id } = await scene.project(project)
  const added = ['    def test_c_total(self):', '        self.assertEqual(total(opened), 180)']
  const { verdict, evidence } = await scene.verify(
    id,
    { filePath: 'tests/test_shop.py', code: extended(...added) },
    { repeats: 6, mutants: 0 },
  )
  expect(verdict, evidence?.summary).toBe('flaky')
  expect(evidence?.summary).toContain('180')
})

test('an added test that breaks a test of the commit is flaky', async () => {
  const steady = ordered.replace('self.assertEqual(opened, [180])', "self.assertNotIn('sold', opened)")
  const { id } = await scene.project({ ...project, 'tests/test_shop.py': steady.replace('opened[0]', 'opened[-1]') })
  const added = [
    '    def test_z_sells(self):',
    "        opened.append('sold')",
    '        self.assertEqual(total([2]), 2)',
  ]
  const code = steady
    .replace('opened[0]', 'opened[-1]')
    .replace('import discount', 'import discount, total')
    .concat(lines('', ...added))
  const { verdict, evidence } = await scene.verify(
    id,
    { filePath: 'tests/test_shop.py', code },
    { repeats: 6, mutants: 0 },
  )
  expect(verdict, evidence?.summary).toBe('flaky')
})

test('a committed test that fails by chance does not count against one that is added to its file', async () => {
  const chancy = lines(
    "import { test } from 'node:test'",
    "import assert from 'node:assert'",
    "import { total } from './cart.js'",
    // Only the first run of a verification is measured.
    "test('is measured', () => assert.ok(process.env.NODE_V8_COVERAGE))",
  )
  const { id } = await scene.project({
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
    'cart.js': 'export const total = (a, b) => {\n  if (a > 5) return a\n  return a * b\n}\n',
    'cart.test.js': chancy,
  })
  const code = `${chancy}test('multiplies', () => assert.equal(total(2, 3), 6))\n`
  const { verdict, evidence, error } = await scene.verify(
    id,
    { filePath: 'cart.test.js', code },
    { repeats: 3, mutants: 6 },
  )
  expect(verdict, `${error?.message} ${evidence?.summary}`).toBe('accepted')
  expect(evidence?.warnings).toContainEqual(expect.stringMatching(/without the test too.*is measured/))
})
