import { expect, test } from 'vitest'
import { decisions, openTrial } from './testing.ts'

const runners = {
  vitest: { imports: "import { afterAll, test } from 'vitest'", call: 'test', after: 'afterAll' },
  'node:test': { imports: "import { after, test } from 'node:test'", call: 'test', after: 'after' },
  mocha: { imports: '', call: 'it', after: 'after' },
  jest: { imports: '', call: 'test', after: 'afterAll' },
}

const isCommonJs = (framework: keyof typeof runners) => framework === 'jest'

const moduleOf = (framework: keyof typeof runners) => (text: string) =>
  isCommonJs(framework)
    ? text
        .replace(/import (.*) from '(.*)'/g, (_, names, from) => `const ${names} = require('${from}')`)
        .replace(/export function (\w+)/g, 'exports.$1 = $1\nfunction $1')
        .replace(/export class (\w+)/g, 'const $1 = exports.$1 = class')
    : text

const settingsFor = (framework: keyof typeof runners) => ({
  'package.json': isCommonJs(framework) ? '{ "jest": { "transform": {} } }' : '{ "type": "module" }',
  'vitest.config.js': 'export default { test: { include: ["test/*.test.js"] } }',
})

/** Code that keeps its results, with tests that notice every change of it in a fresh process. */
function cachesFor(framework: keyof typeof runners) {
  const { imports, call } = runners[framework]
  const module = moduleOf(framework)
  return {
    ...settingsFor(framework),
    'src/price.js': module(`const known = new Map()
export function price(n) {
  if (known.has(n)) return known.get(n)
  let sum = n * 3
  if (sum >= 30) sum = sum - 5
  if (n < 0) throw new RangeError('negative')
  known.set(n, sum)
  return sum
}
`),
    'src/settings.js': module(`let settings
export function read(text) {
  if (settings) return settings
  settings = { port: text.length > 2 ? 80 : 90, isLoud: text === 'loud' }
  return settings
}
let table
export function at(n) {
  if (!table) {
    table = []
    for (let i = 0; i < 4; i++) table.push(i * 3)
  }
  return table[n] ?? -1
}
`),
    'test/price.test.js': module(`${imports}
import assert from 'node:assert/strict'
import { price } from '../src/price.js'
${call}('prices', () => assert.deepEqual([price(10), price(9), price(11), price(10)], [25, 27, 28, 25]))
${call}('refuses', () => assert.throws(() => price(-1), RangeError))
`),
    'test/settings.test.js': module(`${imports}
import assert from 'node:assert/strict'
import { at, read } from '../src/settings.js'
${call}('reads once', () => {
  assert.deepEqual(read('loud'), { port: 80, isLoud: true })
  assert.equal(read('no').port, 80)
})
${call}('makes a table once', () => assert.deepEqual([at(0), at(3), at(4)], [0, 9, -1]))
`),
  }
}

const runs = [
  ['vitest', 'vitest.mjs', ['run']],
  ['node:test', 'node-test.mjs', ['node', '--test', 'test/*.test.js']],
  ['mocha', 'mocha.mjs', ['npx', 'mocha', 'test/*.test.js']],
  ['jest', 'jest.mjs', ['npx', 'jest']],
] as const

test.each(runs)(
  '%s does not take a result that the code keeps for one of the mutant',
  async (framework, driver, args) => {
    await using trial = await openTrial(cachesFor(framework))
    // In fresh processes, with each mutant in the text of its source, the results are the same.
    expect(decisions(trial, await trial.drive(driver, args))).toEqual([
      'known.has(n) -> !known.has(n): noticed',
      'known.get(n) -> null: noticed',
      'n * 3 -> n / 3: noticed',
      'sum >= 30 -> sum < 30: noticed',
      'sum >= 30 -> sum > 30: noticed',
      'sum - 5 -> sum + 5: noticed',
      'n < 0 -> n >= 0: noticed',
      'n < 0 -> n <= 0: survived',
      "throw new RangeError('negative') -> ;: noticed",
      'known.set(n, sum) -> ;: survived',
      'sum -> null: noticed',
      'settings -> !settings: noticed',
      'settings -> null: noticed',
      'text.length > 2 -> text.length <= 2: noticed',
      'text.length > 2 -> text.length >= 2: survived',
      "text === 'loud' -> text !== 'loud': noticed",
      'settings -> null: noticed',
      '!table -> table: noticed',
      '0 -> 1: noticed',
      'i < 4 -> false: noticed',
      'i < 4 -> i <= 4: noticed',
      'table.push(i * 3) -> ;: noticed',
      'i * 3 -> i / 3: noticed',
      'table[n] ?? -1 -> table[n]: noticed',
    ])
  },
)

/** Tests that only notice changes together, and with the hook after them. */
function storeFor(framework: keyof typeof runners) {
  const { imports, call, after } = runners[framework]
  return {
    ...settingsFor(framework),
    'src/store.js': moduleOf(framework)(`export class Store {
  constructor() { this.total = 0 }
  add(n) { this.total += n }
}
export function twice(n) {
  return n * 2
}
`),
    'test/store.test.js': moduleOf(framework)(`${imports}
import assert from 'node:assert/strict'
import { Store, twice } from '../src/store.js'
const store = new Store()
const seen = []
${call}('adds', () => { store.add(3); store.add(4) })
${call}('has a total', () => assert.equal(store.total, 7))
${call}('doubles', () => { seen.push(twice(4)) })
${after}(() => assert.deepEqual(seen, [8]))
`),
  }
}

test.each(runs)(
  '%s tries mutants with all of a file whose tests depend on each other',
  async (framework, driver, args) => {
    await using trial = await openTrial(storeFor(framework))
    expect(decisions(trial, await trial.drive(driver, args, { dependent: ['test/store.test.js'] }))).toEqual([
      'this.total += n -> this.total -= n: noticed',
      'n * 2 -> n / 2: noticed',
    ])
  },
)
