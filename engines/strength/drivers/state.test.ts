import { expect, test } from 'vitest'
import { decisions, openTrial } from './testing.ts'

const runners = {
  vitest: { imports: "import { test } from 'vitest'", call: 'test' },
  'node:test': { imports: "import { test } from 'node:test'", call: 'test' },
  mocha: { imports: '', call: 'it' },
  jest: { imports: '', call: 'test' },
}

/** Code that keeps its results, with tests that notice every change of it in a fresh process. */
function cachesFor(framework: keyof typeof runners) {
  const { imports, call } = runners[framework]
  const isCommon = framework === 'jest'
  const module = (text: string) =>
    isCommon
      ? text
          .replace(/import (.*) from '(.*)'/g, (_, names, from) => `const ${names} = require('${from}')`)
          .replace(/export function (\w+)/g, 'exports.$1 = $1\nfunction $1')
      : text
  return {
    'package.json': isCommon ? '{ "jest": { "transform": {} } }' : '{ "type": "module" }',
    'vitest.config.js': 'export default { test: { include: ["test/*.test.js"] } }',
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
`),
    'test/price.test.js': module(`${imports}
import assert from 'node:assert/strict'
import { price } from '../src/price.js'
${call}('prices', () => assert.deepEqual([price(10), price(9), price(11), price(10)], [25, 27, 28, 25]))
${call}('refuses', () => assert.throws(() => price(-1), RangeError))
`),
    'test/settings.test.js': module(`${imports}
import assert from 'node:assert/strict'
import { read } from '../src/settings.js'
${call}('reads once', () => {
  assert.deepEqual(read('loud'), { port: 80, isLoud: true })
  assert.equal(read('no').port, 80)
})
`),
  }
}

test.each([
  ['vitest', 'vitest.mjs', ['run']],
  ['node:test', 'node-test.mjs', ['node', '--test', 'test/*.test.js']],
  ['mocha', 'mocha.mjs', ['npx', 'mocha', 'test/*.test.js']],
  ['jest', 'jest.mjs', ['npx', 'jest']],
] as const)('%s does not take a result that the code keeps for one of the mutant', async (framework, driver, args) => {
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
  ])
})
