import { expect, test } from 'vitest'
import { decisions, knownBy, openTrial } from './testing.ts'

const imports = {
  vitest: "import { test } from 'vitest'",
  'node:test': "import { test } from 'node:test'",
  mocha: '',
  jest: '',
}
const call = { vitest: 'test', 'node:test': 'test', mocha: 'it', jest: 'test' }

/** Two test files: one for each function. */
function shopFor(framework: keyof typeof imports) {
  const testOf = (name: string, body: string) => `${imports[framework]}
import assert from 'node:assert/strict'
import { add, less } from '../src/shop.js'
${call[framework]}('${name}', () => { ${body} })
`
  const common = framework === 'jest'
  const module = (text: string) =>
    common ? text.replace(/import (.*) from '(.*)'/g, (_, names, from) => `const ${names} = require('${from}')`) : text
  const source = 'function add(a, b) {\n  return a + b\n}\nfunction less(a, b) {\n  return a < b\n}\n'
  return {
    'package.json': common ? '{ "jest": { "transform": {} } }' : '{ "type": "module" }',
    'vitest.config.js': 'export default { test: { include: ["test/*.test.js"] } }',
    'src/shop.js': source + (common ? 'Object.assign(exports, { add, less })\n' : 'export { add, less }\n'),
    'test/add.test.js': module(testOf('adds', 'assert.equal(add(1, 2), 3)')),
    'test/less.test.js': module(testOf('is less', 'assert.equal(less(1, 2), true)')),
  }
}

test.each([
  ['vitest', 'vitest.mjs', ['run']],
  ['node:test', 'node-test.mjs', ['node', '--test', 'test/*.test.js']],
  ['mocha', 'mocha.mjs', ['npx', 'mocha', 'test/*.test.js']],
  ['jest', 'jest.mjs', ['npx', 'jest']],
] as const)('%s runs no file to see what is known of it', async (framework, driver, args) => {
  await using trial = await openTrial(shopFor(framework))
  const first = await trial.drive(driver, args)
  const all = knownBy(first)
  expect(Object.keys(all).toSorted()).toEqual(['test/add.test.js', 'test/less.test.js'])
  const ofAdd = { 'test/add.test.js': all['test/add.test.js'] ?? [] }
  for (const known of [ofAdd, all]) {
    const events = await trial.drive(driver, args, { known })
    const reached = events.filter(({ kind }) => kind === 'reach').map(({ test: name }) => name)
    expect(reached.toSorted()).toEqual(['adds', 'is less'])
    expect(events.filter(({ kind }) => kind === 'ready')).toMatchObject([
      { tests: 2, failed: 0, kept: Object.keys(known).length, isComplete: true },
    ])
    expect(decisions(trial, events)).toEqual(decisions(trial, first))
  }
  // It would have another name if the file had run.
  const renamed = ofAdd['test/add.test.js'].map((one) => ({ ...one, test: one.test && 'another name' }))
  const events = await trial.drive(driver, args, { known: { ...all, 'test/add.test.js': renamed } })
  const names = events.filter(({ kind }) => kind === 'reach').map(({ test: name }) => name)
  expect(names.toSorted()).toEqual(['another name', 'is less'])
})
