import { expect, test } from 'vitest'
import { brief, briefly, readWith, sample } from './json/testing.ts'
import { readLibtest } from './libtest.ts'

test('reads cargo test: unit tests, a test program, and documentation', async () => {
  expect(await briefly(readLibtest, 'cargo.txt')).toEqual([
    'passed | shop | tests::total::adds | -:-',
    'skipped | shop | tests::total::rounds | -:-',
    'passed | shop | tests::total::panics | -:-',
    'failed | shop | tests::answers | -:-',
    'failed | shop | tests::total::does_not_panic | src/lib.rs:40',
    'failed | shop | tests::total::takes_members_off | src/lib.rs:28',
    'passed | whole | whole | tests/whole.rs:-',
    'passed | shop doc-tests | add | src/lib.rs:3',
    'failed | shop doc-tests | wrong | src/lib.rs:12',
  ])
  const { cases, warnings } = await readWith(readLibtest, await sample('cargo.txt'))
  expect(warnings).toEqual([])
  const off = cases.find(({ name }) => name.endsWith('members_off'))
  expect(off?.message).toMatch(/^counting\n\nthread 'tests::total::takes_members_off'.*panicked at src\/lib.rs:28:13:/)
  expect(off?.stack).toMatch(/^stack backtrace:/)
  expect(cases[1]?.message).toBe('no cents yet')
})

test('finds results fast among much output of tests', async () => {
  expect((await briefly(readLibtest, 'cargo-nocapture.txt')).toSorted()).toEqual([
    'failed | shop | tests::answers | -:-',
    'failed | shop | tests::total::does_not_panic | src/lib.rs:40',
    'failed | shop | tests::total::takes_members_off | src/lib.rs:28',
    'passed | shop | tests::total::adds | -:-',
    'passed | shop | tests::total::panics | -:-',
    'skipped | shop | tests::total::rounds | -:-',
  ])
  const one = 'running 2 tests\ntest a ... printed\nok\ntest b ... more\nFAILED\n\nfailures:\n\nfailures:\n    b\n\n'
  const result = 'test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n'
  expect((await readWith(readLibtest, one + result)).cases.map(brief)).toEqual([
    'passed |  | a | -:-',
    'failed |  | b | -:-',
  ])
})

test('reports a test program that dies as a failed test, with the signal', async () => {
  const { cases } = await readWith(readLibtest, await sample('cargo-abort.txt'))
  expect(cases).toMatchObject([
    { name: 'a_fine', status: 'passed' },
    { name: 'b_aborts', status: 'failed', message: expect.stringContaining('SIGABRT') },
  ])
})

test('reports a failed build as a failed case, with the first error', async () => {
  const { cases } = await readWith(readLibtest, await sample('cargo-error.txt'))
  expect(cases.map(brief)).toEqual(['failed | bad | build | src/lib.rs:1'])
  expect(cases[0]?.message).toMatch(/^error\[E0308\]: mismatched types/)
})

test('reads benchmarks, times, and no tests at all', async () => {
  const tail = '0 ignored; 1 measured; 0 filtered out; finished in 0.00s\n'
  const bench = `running 2 tests\ntest b ... bench:  1,234 ns/iter (+/- 5)\ntest t ... ok <0.250s>\n\ntest result: ok. 1 passed; 0 failed; ${tail}`
  const { cases } = await readWith(readLibtest, bench)
  expect(cases).toMatchObject([
    { name: 'b', status: 'passed' },
    { name: 't', durationMs: 250 },
  ])
  const none = 'running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n'
  expect(await readWith(readLibtest, none)).toEqual({ cases: [], warnings: [] })
})

test('reports announced failures that have no test', async () => {
  const text =
    'running 3 tests\ntest a ... ok\n\ntest result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n'
  const { cases, warnings } = await readWith(readLibtest, text)
  expect(cases).toMatchObject([{ name: 'a' }, { name: 'failed tests', status: 'failed' }])
  expect(warnings).toEqual(['report: 1 tests of a program are missing, because other output hides their results'])
})

test('refuses what is not from cargo, and a report that ends with the announcement', async () => {
  const start = '     Running tests/whole.rs (target/debug/deps/whole-caf4c2aed8f93934)\n'
  const { warnings } = await readWith(readLibtest, `${(await sample('cargo-nocapture.txt')).toString()}${start}`)
  expect(warnings).toEqual(['report: the report ends before any result of whole'])
  await expect(readWith(readLibtest, 'hello\n')).rejects.toMatchObject({ code: 'malformed' })
  expect((await readWith(readLibtest, 'running 1000000000 tests\n')).cases).toMatchObject([
    { name: 'program', status: 'failed', message: 'The tests did not end.' },
  ])
})
