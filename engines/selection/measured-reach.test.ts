import { expect, test } from 'vitest'
import { selectionFor, told, vitestProject } from './testing.ts'

const commitSha = 'a'.repeat(40)
const source = (two: string) => `export function one() {
  const value = 1
  return value
}

export function two() {
  const value = ${two}
  return value
}
`
const testOf = (name: string) =>
  `import { expect, test } from 'vitest'\nimport { ${name} } from '../src/numbers.ts'\ntest('is', () => expect(${name}()).toBeTruthy())\n`
const project = {
  ...vitestProject(),
  'src/numbers.ts': source('2'),
  'test/one.test.ts': testOf('one'),
  'test/two.test.ts': testOf('two'),
  'test/far.test.ts': "import { test } from 'vitest'\ntest('starts a program', () => {})\n",
}
const one: [number, number] = [2, 3]
const two: [number, number] = [7, 8]
const reachOf = (file: string, called: [number, number][] | null, isComplete = true) => ({
  file,
  files: new Map([['src/numbers.ts', called]]),
  isComplete,
})
const watched = new Map([['src/numbers.ts', [one, two]]])
const reach = {
  commitSha,
  watched,
  tests: [reachOf('test/one.test.ts', [one]), reachOf('test/two.test.ts', [two]), reachOf('test/far.test.ts', [two])],
}

test('leaves out tests that did not run the changed function, and finds those that ran it unseen', async () => {
  const selection = await selectionFor(project, { 'src/numbers.ts': source('3') }, { reach })
  expect(told(selection)).toEqual([
    'test/far.test.ts ran changed code of src/numbers.ts when it was measured at aaaaaaa',
    'test/two.test.ts uses src/numbers.ts',
    'not test/one.test.ts: did not run the changed code of src/numbers.ts when it was measured at aaaaaaa',
  ])
  expect(selection.measuredShare).toBe(1)
})

test('runs the nearest test of a changed file, although none ran what changed', async () => {
  const missed = { ...reach, tests: [reachOf('test/one.test.ts', []), reachOf('test/two.test.ts', [])] }
  const selection = await selectionFor(project, { 'src/numbers.ts': source('3') }, { reach: missed })
  expect(told(selection)).toEqual([
    'test/one.test.ts uses src/numbers.ts',
    'not test/far.test.ts: uses nothing that changed',
    'not test/two.test.ts: did not run the changed code of src/numbers.ts when it was measured at aaaaaaa',
  ])
})

test('trusts no measurement of code outside of functions, and none that is incomplete', async () => {
  const outside = `${source('2')}\nexport const three = 3\n`
  expect(told(await selectionFor(project, { 'src/numbers.ts': outside }, { reach })).join()).not.toContain(
    'not test/one',
  )
  for (const seen of [reachOf('test/one.test.ts', [one], false), reachOf('test/one.test.ts', null)]) {
    const partly = { commitSha, watched, tests: [seen] }
    const selection = await selectionFor(project, { 'src/numbers.ts': source('3') }, { reach: partly })
    expect(told(selection)).toContain('test/one.test.ts uses src/numbers.ts')
  }
})

test('trusts no measurement for files that it leaves out', async () => {
  const files = {
    ...project,
    'test/support.ts': 'export const zero = () => 0\n',
    'test/one.test.ts': `import './support.ts'\n${testOf('one')}`,
  }
  const change = { 'src/numbers.ts': source('3'), 'test/support.ts': 'export const zero = () => 1\n' }
  expect(told(await selectionFor(files, change, { reach })).join()).toContain('test/one.test.ts uses')
})

test('says which share of the measured tests is within the budget', async () => {
  const durations = new Map(['one', 'two', 'far'].map((name) => [`test/${name}.test.ts`, 10]))
  const selection = await selectionFor(
    project,
    { 'src/numbers.ts': source('3') },
    { reach, durations, budgetSeconds: 15 },
  )
  expect(selection.measuredShare).toBe(0.5)
  expect(selection.counts).toEqual({ all: 3, selected: 1, skipped: 1, cut: 1 })
})
