import { expect, test } from 'vitest'
import { detectFormat } from './detect.ts'
import { readGoJson } from './go-json.ts'
import { all, brief, briefly, readWith, sample } from './json/testing.ts'
import { reportLimits } from './report.ts'

const event = (Action: string, rest: object = {}) =>
  `${JSON.stringify({ Action, Package: 'example.org/shop', ...rest })}\n`

test('reads go test: sub-tests, a panic, a time-out, and a package that does not build', async () => {
  expect(await briefly(readGoJson, 'go.json')).toEqual([
    'passed | example.org/shop/panics | TestFine | -:-',
    'failed | example.org/shop/panics | TestPanics | panics/x_test.go:6',
    'passed | example.org/shop/shop | TestAdds | -:-',
    'failed | example.org/shop/shop | TestMembers | shop_test.go:15',
    'passed | example.org/shop/shop | TestTotals/of_1 | -:-',
    'failed | example.org/shop/shop | TestTotals/of_2 | shop_test.go:21',
    'skipped | example.org/shop/shop | TestCents | shop_test.go:26',
    'passed | example.org/shop/shop | TestCleans/inner | -:-',
    'failed | example.org/shop/shop | TestCleans | shop_test.go:29',
    'failed | example.org/shop/slow | TestSlow | slow/x_test.go:8',
    'failed | example.org/shop/unbuilt | package | -:-',
  ])
  const { cases, warnings } = await readWith(readGoJson, await sample('go.json'))
  expect(warnings).toEqual([])
  const messages = Object.fromEntries(cases.map(({ name, message }) => [name, message]))
  expect(messages).toMatchObject({
    TestMembers: 'counting\n    shop_test.go:15: got 90, want 80',
    TestSlow: 'The test did not end.\npanic: test timed out after 2s',
    package: 'The package does not compile: FAIL\texample.org/shop/unbuilt [build failed]\nThe log says why.',
  })
})

test('reports repeated runs of a test separately', async () => {
  expect(await briefly(readGoJson, 'go-count.json')).toEqual([
    'passed | example.org/shop/shop | TestAdds | -:-',
    'skipped | example.org/shop/shop | TestCents | shop_test.go:26',
    'passed | example.org/shop/shop | TestAdds | -:-',
    'skipped | example.org/shop/shop | TestCents | shop_test.go:26',
  ])
})

test('knows the folder of a package from the modules of the repository', async () => {
  const goModules = [{ path: 'example.org/shop', folder: 'backend' }]
  const { cases } = await readWith(readGoJson, await sample('go.json'), { goModules })
  expect(cases.find(({ name }) => name === 'TestMembers')).toMatchObject({
    file: 'backend/shop/shop_test.go',
    line: 15,
  })
})

test('reads compiler errors from events and from lines between them', async () => {
  const ImportPath = 'example.org/shop [example.org/shop.test]'
  const events = [
    event('build-output', { ImportPath, Package: undefined, Output: '# example.org/shop\n' }),
    event('build-output', { ImportPath, Package: undefined, Output: 'shop/x_test.go:5:28: undefined: x\n' }),
    event('build-fail', { ImportPath, Package: undefined }),
    event('start'),
    event('output', { Output: 'FAIL\texample.org/shop [build failed]\n' }),
    event('fail', { Elapsed: 0, FailedBuild: ImportPath }),
  ]
  const { cases } = await readWith(readGoJson, events.join(''))
  expect(cases.map(brief)).toEqual(['failed | example.org/shop | package | shop/x_test.go:5'])
  expect(cases[0]?.message).toContain('undefined: x')
  const plain =
    '# example.org/shop [example.org/shop.test]\nshop/x_test.go:5:28: undefined: x\nFAIL\texample.org/shop [build failed]\n'
  const found = await readWith(readGoJson, plain)
  expect(found.cases.map(brief)).toEqual(['failed | example.org/shop | package | shop/x_test.go:5'])
  expect(found.warnings).toEqual(['report: 2 lines are not events (first: line 1)'])
})

test('reports packages that do not compile as failed, even without an event', async () => {
  const printed = 'FAIL\texample.org/shop [build failed]\nFAIL\texample.org/shop/cart [setup failed]\n'
  expect(detectFormat(printed, 'go.json')).toEqual({ format: 'go-json' })
  const { cases, warnings } = await readWith(readGoJson, printed)
  expect(cases).toMatchObject([
    {
      suite: 'example.org/shop',
      name: 'package',
      message: expect.stringContaining('does not compile'),
      failure: 'unexplained',
    },
    { suite: 'example.org/shop/cart', name: 'package', message: expect.stringContaining('cannot be loaded') },
  ])
  expect(warnings).toEqual([])
  expect(detectFormat(`ok  \texample.org/a\t0.1s\n${printed}`, 'out.txt')).toHaveProperty('looksLike')
})

test('does not count a test that failed through its sub-tests alone, but a package that failed without a test', async () => {
  const nested = [
    event('run', { Test: 'A' }),
    event('run', { Test: 'A/b' }),
    event('run', { Test: 'A/b/c' }),
    event('fail', { Test: 'A/b/c' }),
    event('fail', { Test: 'A/b' }),
    event('fail', { Test: 'A' }),
    event('fail'),
  ]
  const exited = [
    event('run', { Test: 'A' }),
    event('pass', { Test: 'A' }),
    event('output', { Output: 'exit status 3\n' }),
    event('fail'),
  ]
  expect((await readWith(readGoJson, nested.join(''))).cases.map(({ name }) => name)).toEqual(['A/b/c'])
  expect((await readWith(readGoJson, exited.join(''))).cases).toMatchObject([
    { name: 'A', status: 'passed' },
    { name: 'package', status: 'failed', message: 'exit status 3' },
  ])
})

test('counts tests and packages that never ended as failed', async () => {
  const { cases } = await readWith(readGoJson, event('run', { Test: 'A' }))
  expect(cases).toMatchObject([{ name: 'A', status: 'failed', message: 'The test did not end.', failure: 'not_ended' }])
  const { cases: packages } = await readWith(readGoJson, event('start'))
  expect(packages).toMatchObject([
    { name: 'package', status: 'failed', message: 'The tests of the package did not end.' },
  ])
})

test('notices that a package was cut after a sub-test failed', async () => {
  const events = [event('run', { Test: 'A' }), event('run', { Test: 'A/b' }), event('fail', { Test: 'A/b' })]
  expect((await readWith(readGoJson, events.join(''))).cases.map(({ name }) => name)).toEqual(['A/b', 'package'])
})

test('counts a test as passed if its output hides its end and its package passed', async () => {
  const events = [
    event('run', { Test: 'A' }),
    event('output', { Test: 'A', Output: 'no newline--- PASS: A\n' }),
    event('pass'),
  ]
  expect((await readWith(readGoJson, events.join(''))).cases).toMatchObject([{ name: 'A', status: 'passed' }])
})

test('refuses what is not from go, and values of the wrong type', async () => {
  await expect(readWith(readGoJson, '{"a": 1}\nhello\n')).rejects.toMatchObject({ code: 'malformed' })
  await expect(readWith(readGoJson, event('run', { Test: 5 }))).rejects.toThrow(
    'report, line 1: Test: expected text, got number',
  )
  await expect(readWith(readGoJson, event('pass', { Test: 'A', Elapsed: '1' }))).rejects.toThrow(
    'Elapsed: expected number',
  )
})

test('reads tests that print endlessly in little memory, and stops at too many tests', async () => {
  const line = event('output', { Test: 'Loud', Output: `${'x'.repeat(10_000)}\n` })
  async function* loud() {
    yield Buffer.from(event('run', { Test: 'Loud' }))
    const block = Buffer.from(line.repeat(50))
    for (let count = 0; count < 200; count += 1) yield block
    yield Buffer.from(event('fail', { Test: 'Loud' }) + event('fail'))
  }
  const before = process.memoryUsage.rss()
  const options = { roots: [], limits: reportLimits, warn: () => {} }
  const [cases] = await all(readGoJson({ name: 'loud', bytes: loud() }, options))
  expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 2 ** 20)
  expect(cases?.[0]?.message?.length).toBeLessThanOrEqual(reportLimits.maxMessage)
  async function* endless() {
    for (let count = 0; ; count += 1) yield Buffer.from(event('run', { Test: `T${count}` }))
  }
  const limits = { ...reportLimits, maxCases: 1_000 }
  const read = all(readGoJson({ name: 'endless', bytes: endless() }, { ...options, limits }))
  await expect(read).rejects.toMatchObject({ code: 'too_many_tests' })
})
