import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { failureOf, type FailureText } from './failure-text.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { TestCase } from './report.ts'
import { readSample } from './testing.ts'

interface Sample {
  ecosystem: string
  cause: string
  /** One failure on two machines: another checkout, other lines, ports, times and values, sometimes another test. */
  failures: Partial<FailureText>[]
}

const samples = JSON.parse(
  readFileSync(new URL('samples/fingerprints.json', import.meta.url), 'utf8'),
) as readonly Sample[]

const failure = (given: Partial<FailureText>): FailureText => ({
  message: null,
  stack: null,
  file: null,
  suite: '',
  ...given,
})
const idOf = (given: Partial<FailureText>, roots: readonly string[] = []) => fingerprintOf(failure(given), { roots }).id
const checkouts = ['/home/ci/shop', '/builds/b7731/shop']

test.each([
  ['knows the checkout', checkouts],
  ['does not know the checkout', []],
])('every cause has a fingerprint of its own in reports of every ecosystem if Assay %s', (_, roots) => {
  const ids = samples.map(({ ecosystem, cause, failures }) => ({
    name: `${ecosystem}: ${cause}`,
    ids: failures.map((one) => idOf(one, roots)),
  }))
  expect(ids.filter((one) => new Set(one.ids).size !== 1)).toEqual([])
  const shared = [...Map.groupBy(ids, (one) => one.ids[0]).values()].map((group) => group.map(({ name }) => name))
  // Runners for one ecosystem describe one failure in the same words.
  const within = shared.filter((names) => new Set(names.map((name) => name.split(':')[0])).size < names.length)
  expect(within).toEqual([])
})

const refused = (port: number) => `connect ECONNREFUSED 127.0.0.1:${port}`

test('an outage has one fingerprint in all tests and files', () => {
  const ids = Array.from({ length: 60 }, (_, index) => {
    const file = `test/part-${index % 10}.test.ts`
    const stack = `Error: ${refused(40_000 + index)}\n    at TCPConnectWrap.afterConnect (node:net:1555:16)\n    at /app/${file}:${index}:3`
    return idOf({ message: refused(40_000 + index), stack, file }, ['/app'])
  })
  expect(new Set(ids).size).toBe(1)
})

test('the file and function of the product in which an error happened are part of the fingerprint, its line is not', () => {
  const at = (place: string) =>
    idOf(
      {
        message: "Cannot read properties of undefined (reading 'total')",
        stack: `    at ${place}\n    at /app/a.test.ts:3:1`,
        file: 'a.test.ts',
      },
      ['/app'],
    )
  const id = at('Cart.sum (/app/src/cart.ts:12:7)')
  expect(at('Object.sum (/app/src/cart.ts:120:3)')).toBe(id)
  expect(at('async Cart.sum (file:///app/src/cart.ts:14:9)')).toBe(id)
  expect(at('Cart.tax (/app/src/cart.ts:12:7)')).not.toBe(id)
  expect(at('Cart.sum (/app/src/invoice.ts:12:7)')).not.toBe(id)
})

test('the test file tells assertions apart, and no other errors', () => {
  const inFile = (message: string, file: string) => idOf({ message, stack: `    at /app/${file}:3:1`, file }, ['/app'])
  for (const message of ['expected 3 to be 2', 'got 3, want 2', 'assert 3 == 2', 'Failed asserting that 3 is 2.'])
    expect(inFile(message, 'a.test.ts')).not.toBe(inFile(message, 'b.test.ts'))
  for (const message of ['Missing environment variable DATABASE_URL', 'x is not a function', 'Test timed out in 50ms'])
    expect(inFile(message, 'a.test.ts')).toBe(inFile(message, 'b.test.ts'))
  expect(inFile('expected 3 to be 2', 'a.test.ts')).toBe(inFile('expected 17 to be 9', 'a.test.ts'))
})

test.each(['test/helpers/check.ts', 'src/testing/check.ts'])(
  'an assertion in %s belongs to the test that called it',
  (helper) => {
    const message = 'expected 3 to be 2'
    const called = (file: string) =>
      idOf({ message, stack: `    at check (/app/${helper}:2:1)\n    at /app/${file}:3:1`, file }, ['/app'])
    expect(called('test/a.test.ts')).not.toBe(called('test/b.test.ts'))
    // Only some attempts are reported with a stack.
    expect(called('test/a.test.ts')).toBe(idOf({ message, file: 'test/a.test.ts' }))
  },
)

test('an assertion that fails inside the product is that of the product', () => {
  const stack = (file: string) => `AssertionError: size < 3\n    at add (/app/src/cart.ts:9:1)\n    at /app/${file}:3:1`
  const failed = (file: string) => idOf({ message: 'size < 3', stack: stack(file), file }, ['/app'])
  expect(failed('a.test.ts')).toBe(failed('b.test.ts'))
})

test('an assertion that finds an outage counts as the outage', () => {
  const found = (file: string, port: number) =>
    idOf({ message: `AssertionError: expected [Error: ${refused(port)}] to be undefined`, file })
  expect(found('a.test.ts', 4000)).toBe(found('b.test.ts', 5000))
})

test('tests without any reason are told apart by their files', () => {
  expect(idOf({ file: 'a.test.ts' })).not.toBe(idOf({ file: 'b.test.ts' }))
  expect(idOf({ message: 'Failed', file: 'a_test.go' })).not.toBe(idOf({ message: 'Failed', file: 'b_test.go' }))
})

test('a message that says nothing is completed by the stack', () => {
  const withLine = (line: string) =>
    idOf({ message: 'AssertionError', stack: `>   ${line}\ntests/test_a.py:3: AssertionError` })
  expect(withLine('assert ready')).not.toBe(withLine('assert paid'))
})

test('on the JVM the class stands for a file, also if the repository is unknown', () => {
  const message = 'expected: <1> but was: <2>'
  const stack =
    'AssertionFailedError\n\tat org.junit.Assert.fail(Assert.java:89)\n\tat com.acme.CartTest.adds(CartTest.java:7)'
  const id = idOf({ message, stack, suite: 'com.acme.CartTest' })
  expect(idOf({ message, stack, suite: 'com.acme.CartTest', file: 'src/test/java/com/acme/CartTest.java' })).toBe(id)
  expect(idOf({ message, suite: 'com.acme.CartTest' })).toBe(id)
  expect(idOf({ message, stack: stack.replaceAll('CartTest', 'TaxTest'), suite: 'com.acme.TaxTest' })).not.toBe(id)
})

test('on the JVM the class that a test is named after is the product', () => {
  const inClass = (name: string) =>
    idOf({
      message: 'no total',
      stack: `java.lang.IllegalStateException: no total\n\tat com.acme.${name}.sum(${name}.java:7)\n\tat com.acme.CartTest.adds(CartTest.java:9)`,
      suite: 'com.acme.CartTest',
    })
  expect(inClass('Cart')).not.toBe(inClass('Tax'))
})

test('on the JVM a test with a title instead of a class is told apart by the title', () => {
  const stack = 'AssertionFailedError\n\tat org.junit.jupiter.api.Assertions.fail(Assertions.java:138)'
  const titled = (suite: string) => idOf({ message: 'expected: <1> but was: <2>', stack, suite })
  expect(titled('A cart')).not.toBe(titled('An invoice'))
})

test('relative paths begin at the folder in which the tests ran', () => {
  const stack = 'TypeError: no\n    at sum (src/cart.ts:3:7)'
  const absolute = stack.replace('src/', '/ws/packages/shop/src/')
  const of = (text: string, directory: string) =>
    fingerprintOf(failure({ message: 'no', stack: text }), { roots: ['/ws'], directory }).id
  expect(of(stack, 'packages/shop')).toBe(of(absolute, 'packages/shop'))
  expect(of(stack, 'packages/shop')).not.toBe(of(stack, 'packages/tax'))
})

test('the order of the listed values does not matter', () => {
  const listed = (...names: string[]) => idOf({ message: `Extra items in the left set:\n${names.join('\n')}` })
  expect(listed('red', 'blue')).toBe(listed('blue', 'red'))
})

test('a test that passed has the fingerprint of its last failed attempt', () => {
  const blank = { suite: '', name: 'a', file: 'a.test.ts', line: null, durationMs: null, message: null, stack: null }
  const failed = (message: string) => ({ status: 'failed' as const, durationMs: null, message })
  const passed: TestCase = { ...blank, status: 'passed', attempts: [failed('first'), failed(refused(1000))] }
  const outage: TestCase = { ...blank, status: 'failed', message: refused(2000), file: 'b.test.ts', attempts: [] }
  const idOfCase = (one: TestCase) => idOf(failureOf(one) ?? {})
  expect(idOfCase(passed)).toBe(idOfCase(outage))
  expect(failureOf({ ...blank, status: 'passed', attempts: [] })).toBeNull()
  expect(failureOf({ ...blank, status: 'skipped', attempts: [failed('no')] })).toBeNull()
})

test.each([
  ['junit/surefire.xml', 'flaky', 'first time'],
  ['junit/nextest.xml', 'tests::flaky', 'panicked at src/main.rs:21:9:'],
  ['junit/gotestsum-rerun.xml', 'TestFlaky', 'money_test.go:5: first time'],
  ['vitest.json', 'settles at last', 'at /home/dev/shop/shop.test.js'],
  ['playwright.json', 'settles at last', 'at /home/dev/shop/shop.spec.js'],
])('%s tells where a retried test failed', async (sample, name, place) => {
  const { cases } = await readSample(sample)
  const retried = cases.find((one) => one.name === name && one.status === 'passed')
  const { message, stack } = (retried && failureOf(retried)) ?? failure({})
  expect(`${message}\n${stack}`).toContain(place)
})
