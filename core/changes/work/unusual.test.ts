import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Files, GitRepository } from '../../../engines/source/testing/git-repository.ts'
import type { ProjectSettingsChange } from '../../projects/schema.ts'
import { border, cart, fixed, testFile } from '../testing/cart.ts'
import { type ChangeScene, createChangeScene } from '../testing/scene.ts'

let scene: ChangeScene
beforeAll(async () => {
  scene = await createChangeScene()
})
afterAll(() => scene[Symbol.asyncDispose]())

const shown = (change: unknown) => JSON.stringify(change, null, 1).slice(0, 6_000)

/** Verifies a change of a new project. */
async function verdictOn(
  base: Files,
  head: (repository: Awaited<ReturnType<ChangeScene['project']>>['repository']) => Promise<unknown>,
  settings: ProjectSettingsChange = {},
  how = { repeats: 2, mutants: 3 },
) {
  const { id, repository } = await scene.project(base, settings)
  await repository.git('checkout', '--quiet', '-b', 'topic')
  await head(repository)
  return scene.verify(id, how)
}

test('the first tests of a project prove the change that comes with them, among more files than are read', async () => {
  const { 'package.json': manifest, 'src/cart.js': code } = cart
  const types = Array.from({ length: 500 }, (_, at): [string, string] => [
    `src/types/${at}.d.ts`,
    `export type T = ${at}\n`,
  ])
  const change = await verdictOn({ 'package.json': manifest, 'src/cart.js': code }, (repository) =>
    repository.commit({ ...fixed, ...Object.fromEntries(types), 'test/border.test.js': border }),
  )
  expect(change, shown(change)).toMatchObject({ verdict: 'proved', evidence: { base: { totalTests: 0 } } })
  expect(change.evidence?.warnings).toContain(
    'Assay did not read 2 of the changed files of tests and code, because they are too many, too large or links: src/types/98.d.ts, src/types/99.d.ts. It judges their lines and their tests less exactly.',
  )
  const { tests = [] } = change.evidence ?? {}
  expect(tests.find(({ test: name }) => name === 'gives a discount from 100')).toMatchObject({ withoutChange: 'fails' })
})

const install = { installCommand: 'sh install.sh' }
const installed = 'echo installed\n'
const failing = 'echo "no matching version of left-pad" >&2\nexit 3\n'

test('an install that fails on the head only is not built, with the words of the installer', async () => {
  const change = await verdictOn(
    { ...cart, 'install.sh': installed },
    (repository) => repository.commit({ ...fixed, 'install.sh': failing }),
    install,
  )
  expect(change, shown(change)).toMatchObject({ verdict: 'not_built', evidence: { reason: 'install_failed' } })
  expect(change.evidence?.summary).toContain('no matching version of left-pad')
})

test('an install that fails on the base only leaves the results before the change unknown, and says so', async () => {
  const change = await verdictOn(
    { ...cart, 'install.sh': failing },
    (repository) => repository.commit({ ...fixed, 'install.sh': installed, 'test/border.test.js': border }),
    install,
  )
  expect(change, shown(change)).toMatchObject({ status: 'completed', evidence: { head: { outcome: 'passed' } } })
  expect(change.verdict).not.toBe('proved')
  expect(change.evidence?.warnings.join('\n')).toContain('no matching version of left-pad')
})

test('a head whose tests never end is broken, and a project without a test runner gets an error in words', async () => {
  const endless = await verdictOn(
    cart,
    (repository) => repository.commit({ 'src/cart.js': `for (;;);\n${cart['src/cart.js']}` }),
    { timeoutSeconds: 8 },
  )
  expect(endless, shown(endless)).toMatchObject({ verdict: 'broken', evidence: { reason: 'never_ends' } })
  const unknown = await verdictOn({ 'main.zig': 'pub fn main() void {}\n' }, (repository) =>
    repository.commit({ 'main.zig': 'pub fn main() void { }\n' }),
  )
  expect(unknown, shown(unknown)).toMatchObject({
    status: 'failed',
    verdict: null,
    error: { code: 'nothing_detected' },
  })
})

test('tests that move to another file are the same tests, and deleted ones are gone', async () => {
  const moved = await verdictOn(cart, async (repository) => {
    await repository.git('mv', 'test/cart.test.js', 'test/total.test.js')
    await repository.git('rm', '--quiet', 'test/format.test.js')
    await repository.commit({ ...fixed, 'test/border.test.js': border })
  })
  expect(moved, shown(moved)).toMatchObject({
    evidence: { counts: { broken: 0, passes_to_passes: 2, gone: 1, new_passing: 3 } },
  })
})

test('a test that fails before and after the change is flaky if it passes when it runs again', async () => {
  const marker = "import { existsSync, writeFileSync } from 'node:fs'\nimport { tmpdir } from 'node:os'"
  const base = {
    ...cart,
    'package.json': cart['package.json'].replace('--test', '--test --test-concurrency=1'),
    'test/a.test.js': testFile(marker, { 'leaves a file': "writeFileSync(tmpdir() + '/left', '')" }),
    'test/b.test.js': testFile(marker, { 'needs order': "assert.ok(!existsSync(tmpdir() + '/left'))" }),
    'test/c.test.js': testFile('', { 'always fails': 'assert.fail()' }),
  }
  const change = await verdictOn(base, (repository) => repository.commit(fixed), {}, { repeats: 2, mutants: 0 })
  expect(change, shown(change)).toMatchObject({ evidence: { counts: { flaky: 1, fails_both: 1 } } })
  expect(change.evidence?.warnings).toContain('1 test had different results in runs of the same code: `needs order`.')
})

test('a test of the sources does not notice what the tests of the change miss', async () => {
  const checksum = testFile("import { hash } from 'node:crypto'\nimport { readFileSync } from 'node:fs'", {
    'sources are as they were released':
      "assert.equal(hash('sha256', readFileSync('src/cart.js')), readFileSync('src/cart.sha256', 'utf8'))",
  })
  const released = (code: string) => ({ 'src/cart.js': code, 'src/cart.sha256': hash('sha256', code) })
  const base = { ...cart, ...released(cart['src/cart.js']), 'test/release.test.js': checksum }
  const code = fixed['src/cart.js'].replace('  let', '  if (prices === null) return 0\n  let')
  const change = await verdictOn(
    base,
    (repository) => repository.commit({ ...released(code), 'test/border.test.js': border }),
    {},
    { repeats: 1, mutants: 4 },
  )
  expect(change, shown(change)).toMatchObject({ verdict: 'unproved', evidence: { reason: 'addition_not_noticed' } })
})

test('a symbolic link to code beside a proved change needs no test of its own', async () => {
  const change = await verdictOn(
    cart,
    (repository) =>
      repository.commit({ ...fixed, 'test/border.test.js': border, 'link.js': { linkTo: 'src/cart.js' } }),
    {},
    { repeats: 1, mutants: 1 },
  )
  expect(change, shown(change)).toMatchObject({ verdict: 'proved', evidence: { files: { code: 1, tests: 1, other: 1 } } })
})

test.each([
  ['pytest', 'test_cart.py', 'from cart import total\n\n\ndef test_adds():\n    assert total([1, 2]) == 3\n'],
  ['node', 'test/cart.test.js', ''],
])('a change that removes all tests is named as such (%s)', { timeout: 300_000 }, async (_runner, path, code) => {
  const base = code === '' ? cart : { 'requirements.txt': '', 'cart.py': 'def total(prices):\n    return sum(prices)\n', [path]: code }
  const change = await verdictOn(base, async (repository) => {
    await repository.git('rm', '--quiet', path, ...(code === '' ? ['test/format.test.js'] : []))
    await repository.commit({})
  }, {}, { repeats: 1, mutants: 0 })
  expect(change, shown(change)).toMatchObject({ verdict: 'not_built', evidence: { reason: 'no_tests' } })
  const removed = code === '' ? `${path}, test/format.test.js` : path
  expect(change.evidence?.summary).toBe(
    `The runner finds no test with the change, and finds tests without it. The change removes all tests: ${removed}. Restore the tests, or the configuration that finds them.`,
  )
})

test('of a monorepo, the tests of the changed package judge its change, and all packages run', async () => {
  const part = (name: string): Files => ({
    [`${name}/package.json`]: cart['package.json'].replace('"cart"', `"${name}"`),
    [`${name}/src/cart.js`]: cart['src/cart.js'],
    [`${name}/test/cart.test.js`]: cart['test/cart.test.js'],
  })
  const change = await verdictOn({ ...part('shop'), ...part('store'), 'README.md': 'two' }, (repository) =>
    repository.commit({ 'shop/src/cart.js': fixed['src/cart.js'], 'shop/test/border.test.js': border }),
  )
  expect(change, shown(change)).toMatchObject({
    verdict: 'proved',
    evidence: { base: { totalTests: 4 }, head: { totalTests: 7 }, patch: { lines: 1, coveredLines: 1 } },
  })
  expect(change.evidence?.command).toMatch(/^\(cd shop && node --test test\/border\.test\.js\)$/)
})

test('no secret of the project is in the evidence, and a commit that no branch has sees none', async () => {
  const secret = 'hunter2-hunter2'
  const leak = testFile("import { total } from '../src/cart.js'", {
    leaks:
      'assert.equal(total([100]), 90, `[${process.env.API_KEY}] [${[...(process.env.API_KEY ?? "")].reverse().join("")}]`)',
  })
  const { id, repository } = await scene.project(cart, { environment: { API_KEY: secret } })
  const headSha = await scene.change(repository, {
    'src/cart.js': `${cart['src/cart.js']}// \n`,
    'test/leak.test.js': leak,
  })
  const trusted = await scene.verify(id, { repeats: 1, mutants: 0 })
  expect(trusted.verdict, shown(trusted)).toBe('broken')
  expect(shown(trusted)).not.toContain(secret)
  expect(shown(trusted)).toContain('2retnuh-2retnuh')

  await repository.git('checkout', '--quiet', 'main')
  await repository.git('update-ref', 'refs/pull/7/head', headSha)
  await repository.git('branch', '--quiet', '-D', 'topic')
  const stranger = await scene.verify(id, { head: headSha, repeats: 1, mutants: 0 })
  expect(stranger.verdict, shown(stranger)).toBe('broken')
  expect(stranger.sameAs).toBeNull()
  expect(shown(stranger)).not.toContain('2retnuh-2retnuh')
})

test('unittest: a fix is proved by a test that fails without it', { timeout: 300_000 }, async () => {
  const base = {
    'requirements.txt': '',
    'cart.py': 'def total(prices):\n    s = sum(prices)\n    if s > 100:\n        return s - 10\n    return s\n',
    'test_cart.py':
      'import unittest\nfrom cart import total\n\n\nclass Cart(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(total([1, 2]), 3)\n',
  }
  const change = await verdictOn(base, (repository) =>
    repository.commit({
      'cart.py': base['cart.py'].replace('> 100', '>= 100'),
      'test_border.py':
        'import unittest\nfrom cart import total\n\n\nclass Border(unittest.TestCase):\n    def test_border(self):\n        self.assertEqual(total([100]), 90)\n        self.assertEqual(total([99]), 99)\n        self.assertEqual(total([101]), 91)\n',
    }),
  )
  expect(change, shown(change)).toMatchObject({ verdict: 'proved', evidence: { counts: { new_passing: 1 } } })
})

test(
  'pytest: a conftest.py of the change that turns a failing test green proves nothing',
  { timeout: 300_000 },
  async () => {
    const base = {
      'requirements.txt': '',
      'cart.py': 'def total(prices):\n    s = sum(prices)\n    if s > 100:\n        return s - 10\n    return s\n',
      'conftest.py': 'import pytest\n\n\n@pytest.fixture\ndef empty():\n    return []\n',
      'test_cart.py': 'from cart import total\n\n\ndef test_empty(empty):\n    assert total(empty) == 0\n',
    }
    const forging = `${base['conftest.py']}

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if item.name == 'test_empty':
        outcome.get_result().outcome = 'passed'
`
    const code = base['cart.py'].replace('> 100', '>= 100')
    const forged = (repository: GitRepository) =>
      repository.commit({
        'cart.py': code.replace('    s =', '    if len(prices) == 0:\n        return None\n    s ='),
        'conftest.py': forging,
        'test_border.py':
          'from cart import total\n\n\ndef test_border():\n    assert total([100]) == 90\n    assert total([99]) == 99\n    assert total([101]) == 91\n',
      })
    const change = await verdictOn(base, forged, {}, { repeats: 1, mutants: 0 })
    expect(change, shown(change)).toMatchObject({ verdict: 'unproved', evidence: { reason: 'support_decides' } })
    expect(change.evidence?.summary).toMatch(/`test_cart > test_empty`.* conftest\.py/)
  },
)
