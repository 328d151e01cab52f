import { expect, test } from 'vitest'
import { decisions, openTrial } from './testing.ts'

const runners = {
  vitest: { imports: "import { test } from 'vitest'", call: 'test' },
  'node:test': { imports: "import { test } from 'node:test'", call: 'test' },
  mocha: { imports: '', call: 'it' },
  jest: { imports: '', call: 'test' },
}

/** Tests that are slow once, as on a busy machine: one that then fails, and one that has to be ended from outside. */
function shopFor(framework: keyof typeof runners) {
  const { imports, call } = runners[framework]
  const isCommon = framework === 'jest'
  const module = (text: string) =>
    isCommon
      ? text.replace(/import (.*) from '(.*)'/g, (_, names, from) => `const ${names} = require('${from}')`)
      : text
  const testOf = (name: string, original: boolean, ms: number) =>
    module(`${imports}
import { existsSync, writeFileSync } from 'node:fs'
import { ${name} } from '../src/shop.js'
const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
${call}('${name}', () => {
  if (${name}(2, 2) === ${original} || existsSync('${name}')) return
  writeFileSync('${name}', '')
  sleep(${ms})
  throw new Error('too slow')
})
`)
  return {
    'package.json': isCommon ? '{ "jest": { "transform": {} } }' : '{ "type": "module" }',
    'vitest.config.js': 'export default { test: { include: ["test/*.test.js"] } }',
    'src/shop.js': `function less(a, b) {
  return a < b
}
function more(a, b) {
  return a > b
}
${isCommon ? 'exports.less = less\nexports.more = more' : 'export { less, more }'}
`,
    'test/less.test.js': testOf('less', false, 3_000),
    'test/more.test.js': testOf('more', false, 600_000),
  }
}

test.each([
  ['vitest', 'vitest.mjs', ['run']],
  ['node:test', 'node-test.mjs', ['node', '--test', 'test/*.test.js']],
  ['mocha', 'mocha.mjs', ['npx', 'mocha', 'test/*.test.js']],
  ['jest', 'jest.mjs', ['npx', 'jest']],
] as const)('%s tries a mutant that took too long once more, alone', async (framework, driver, args) => {
  await using trial = await openTrial(shopFor(framework))
  const events = await trial.drive(driver, args)
  expect(events.filter(({ kind }) => kind === 'tried').map(({ outcome }) => outcome)).toContain('timed_out')
  const decided = decisions(trial, events)
  expect(decided).toHaveLength(4)
  expect(decided.filter((text) => !text.endsWith(': survived'))).toEqual([])
})
