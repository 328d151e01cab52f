import { expect, test } from 'vitest'
import { brief, briefly, readWith, sample } from './json/testing.ts'
import { detectFormat } from './detect.ts'
import { readTap } from './tap.ts'

const cases = async (content: string) => (await readWith(readTap, content)).cases

test.each([
  [
    'node.tap',
    [
      'passed | basket | adds prices | -:-',
      'failed | basket | takes # members off | node.mjs:5',
      'skipped | basket | rounds to cents | -:-',
      'skipped | basket | knows currencies | -:-',
      'passed |  | alone | -:-',
    ],
  ],
  [
    'tap.tap',
    [
      'passed | basket | adds prices | -:-',
      'failed | basket | takes members off | tap.mjs:2',
      'skipped | basket | rounds | -:-',
      'passed |  | alone | -:-',
    ],
  ],
  [
    'perl.tap',
    [
      'passed |  | adds prices | -:-',
      'failed |  | takes members off | -:-',
      'skipped |  | test 3 | -:-',
      'skipped |  | knows currencies | -:-',
      'passed | shelf | one | -:-',
      'failed | shelf | two | -:-',
    ],
  ],
  [
    'bats.tap',
    ['passed |  | adds prices | -:-', 'failed |  | takes members off | -:-', 'skipped |  | rounds to cents | -:-'],
  ],
  [
    'vitest.tap',
    [
      'failed |  | broken.test.js | broken.test.js:1',
      'passed | shop.test.js > basket > total | adds prices | -:-',
      'failed | shop.test.js > basket > total | takes "members" off | shop.test.js:5',
      'skipped | shop.test.js > basket > total | rounds to cents | -:-',
      'skipped | shop.test.js > basket > total | knows currencies | -:-',
      'passed | shop.test.js | settles at last | -:-',
    ],
  ],
])('reads %s', async (name, expected) => {
  expect(await briefly(readTap, name)).toEqual(expected)
  expect((await readWith(readTap, await sample(name))).warnings).toEqual([])
})

test('reads the message from YAML or from the comments that follow', async () => {
  const messageOf = async (name: string) =>
    (await readWith(readTap, await sample(name))).cases.find(({ status }) => status === 'failed')?.message
  expect(await messageOf('node.tap')).toBe('90 == 80')
  expect(await messageOf('mocha.tap')).toBe('90 == 80')
  expect(await messageOf('bats.tap')).toMatch(/^\(in test file tap\/shop.bats, line 2\)/)
})

test('finds directives in any case, and no directive where the hash is escaped or just a hash', async () => {
  const tap = [
    '1..6',
    'ok 1 - a # SKIP why',
    'not ok 2 b # todo',
    'ok 3 - c \\# skip',
    'ok 4 fixes #5',
    'not ok # Skipped: x',
    'ok',
  ]
  expect((await cases(tap.join('\n') + '\n')).map(({ status, name, message }) => [status, name, message])).toEqual([
    ['skipped', 'a', 'why'],
    ['skipped', 'b', 'todo'],
    ['passed', 'c # skip', null],
    ['passed', 'fixes #5', null],
    ['skipped', 'test 5', 'x'],
    ['passed', 'test 6', null],
  ])
})

test.each([
  ['fewer than planned', '1..3\nok 1\n', 'The plan "1..3" announces 3 tests. Tests that ran: 1.'],
  ['more than planned', '1..1\nok 1\nok 2\n', 'The plan "1..1" announces 1 test. Tests that ran: 2.'],
  [
    'none of a thousand million',
    '1..1000000000\n',
    'The plan "1..1000000000" announces 1000000000 tests. Tests that ran: 0.',
  ],
  ['no plan', 'TAP version 13\nok 1\n', 'The report has no plan (such as "1..1"). Tests that ran: 1.'],
])('reports a plan that does not match as a failed case: %s', async (_, tap, message) => {
  expect((await cases(tap)).at(-1)).toMatchObject({ name: 'plan', status: 'failed', message })
})

test('reads a plan that does not begin at 1', async () => {
  const tests = 'ok 8 - a\nok 9\nok 10 - c\nok 11 - d\n'
  const first = await readWith(readTap, `8..11\n${tests}`)
  expect(first.cases.map(brief)).toEqual(['a', 'test 9', 'c', 'd'].map((name) => `passed |  | ${name} | -:-`))
  expect(first.warnings).toEqual([])
  expect((await cases(`${tests}8..11\n`)).filter(({ status }) => status === 'failed')).toEqual([])
  expect((await cases('8..11\nok 8\n')).at(-1)).toMatchObject({
    status: 'failed',
    message: 'The plan "8..11" announces 4 tests. Tests that ran: 1.',
  })
  expect((await cases('8..3\nok 8\n')).at(-1)).toMatchObject({ status: 'failed', name: 'plan' })
  expect(detectFormat('8..11\n', 'results')).toMatchObject({ format: 'tap' })
})

test('reads a plan of sub-tests that does not begin at 1, if the first sub-test has its number', async () => {
  expect((await cases('    8..9\n    ok 8 a\n    ok 9 b\nok 1 - x\n1..1\n')).map(brief)).toEqual(
    ['a', 'b'].map((name) => `passed |  | ${name} | -:-`),
  )
})

test('says why a range is not the plan', async () => {
  const message = (range: string) =>
    `The range "${range}" is not a plan of these tests, because the first test has the number 1. Tests that ran: 2.`
  for (const text of ['8..11\nok 1 a\nok 2 b\n', 'ok 1 a\nok 2 b\n8..11\n', 'ok a\nok b\n8..11\n'])
    expect((await cases(text)).at(-1)).toMatchObject({ status: 'failed', name: 'plan', message: message('8..11') })
  expect((await cases('    8..11\n    ok 1 a\n    ok 2 b\nok 1 - x\n1..1\n'))[2]).toMatchObject({
    message: message('8..11'),
  })
})

test('reads parts of a report that were joined, whose plans continue', async () => {
  expect((await cases('1..2\nok 1 a\nok 2 b\n3..4\nok 3 c\nok 4 d\n')).map(brief)).toEqual(
    ['a', 'b', 'c', 'd'].map((name) => `passed |  | ${name} | -:-`),
  )
})

test('a printed range does not replace the plan', async () => {
  const failed = async (text: string) => (await cases(text)).filter(({ status }) => status === 'failed')
  // A run that was aborted stays failed.
  const notThePlan = [{ message: expect.stringContaining('is not a plan of these tests') }]
  expect(await failed('ok 1 a\nok 2 b\n5..6\n')).toMatchObject(notThePlan)
  expect(await failed('8..9\nok 1 a\nok 2 b\n')).toMatchObject(notThePlan)
  expect(await failed('ok a\nok b\n5..6\n')).toMatchObject(notThePlan)
  // A run that passed stays passed.
  for (const text of [
    'ok 1 a\nok 2 b\n5..6\n1..2\n',
    '5..6\nok 1 a\nok 2 b\n1..2\n',
    'ok 1 a\n7..7 # something\n1..1\n',
  ]) {
    expect(await failed(text), text).toEqual([])
  }
  expect(await failed('11..8\nok 11\n')).toMatchObject([{ message: expect.stringContaining('"11..8"') }])
})

test('ignores a range of numbers that a test printed', async () => {
  expect(await cases('1..2\nok 1 a\n3..5\nok 2 b\n')).toHaveLength(2)
  expect(await cases('3..5\nok 1 a\n  3..5\nok 2 b\n1..2\n')).toHaveLength(2)
  expect(await cases('1..1\nnot ok 1 a\n3..5\n  ---\n  message: why\n  ...\n')).toMatchObject([{ message: 'why' }])
})

test('reads plans at the end, and joined reports', async () => {
  expect((await cases('ok 1 a\nok 2 b\n1..2\n')).map(brief)).toEqual(['passed |  | a | -:-', 'passed |  | b | -:-'])
  expect(await cases('1..1\nok 1 a\n1..2\nok 1 b\nok 2 c\n')).toHaveLength(3)
  expect(await cases('TAP version 14\n1..1\nok 1 a\nTAP version 14\n1..1\nok 1 b\n')).toHaveLength(2)
  await expect(cases('1..2\nok 1\n1..2\n')).rejects.toMatchObject({ code: 'malformed', line: 3 })
})

test('accepts a plan without tests, and gives its reason', async () => {
  expect(await readWith(readTap, '1..0 # SKIP no database\n')).toEqual({
    cases: [],
    warnings: ['report, line 1: all tests were skipped: no database'],
  })
})

test('reports a bail-out as a failed case', async () => {
  expect(await cases('1..5\nok 1 a\nBail out! no disk\nok 2 b\n')).toMatchObject([
    { name: 'a', status: 'passed' },
    { name: 'Bail out!', status: 'failed', message: 'no disk' },
  ])
})

test('counts a test that failed by itself beside its sub-tests, and one whose plan was cut', async () => {
  expect((await cases('# Subtest: outer\n    ok 1 - inner\n    1..1\nnot ok 1 - outer\n1..1\n')).map(brief)).toEqual([
    'passed | outer | inner | -:-',
    'failed |  | outer | -:-',
  ])
  const cut = await cases('1..1\n# Subtest: outer\n    ok 1 - inner\n    1..1\n')
  expect(cut.filter(({ status }) => status === 'failed')).not.toEqual([])
})

test('refuses what is no TAP, and sub-tests without end', async () => {
  await expect(cases('hello\nworld\n')).rejects.toMatchObject({ code: 'malformed' })
  const deep = Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth * 4)}# Subtest: x\n`).join('')
  await expect(cases(deep)).rejects.toMatchObject({ code: 'malformed' })
})

test('reads hostile YAML as text', async () => {
  const bomb = ['a: &a [x, x]', 'b: &b [*a, *a]', 'c: &c [*b, *b]', 'error: !!js/function "x"', 'd: *c']
  const blocks = [bomb.join('\n  '), '['.repeat(100_000), 'error: [', '__proto__:\n    polluted: yes']
  for (const block of blocks) {
    const found = await cases(`not ok 1 - a\n  ---\n  ${block}\n  ...\n1..1\n`)
    expect(found).toMatchObject([{ name: 'a', status: 'failed' }])
    expect(found[0]?.message?.length ?? 0).toBeLessThanOrEqual(4_000)
  }
  expect('polluted' in {}).toBe(false)
})
