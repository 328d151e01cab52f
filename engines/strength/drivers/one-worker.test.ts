import { expect, test } from 'vitest'
import { decisions, openTrial } from './testing.ts'

const runners = {
  vitest: { imports: "import { test } from 'vitest'", call: 'test' },
  'node:test': { imports: "import { test } from 'node:test'", call: 'test' },
  mocha: { imports: '', call: 'it' },
  jest: { imports: '', call: 'test' },
}

/** Two test files that use the same folder, so that they cannot run at the same time. */
function shopFor(framework: keyof typeof runners, settings = '{}') {
  const { imports, call } = runners[framework]
  const isCommon = framework === 'jest'
  const module = (text: string) =>
    isCommon
      ? text.replace(/import (.*) from '(.*)'/g, (_, names, from) => `const ${names} = require('${from}')`)
      : text
  const testOf = (name: string) =>
    module(`${imports}
import { ${name} } from '../src/shop.js'
import { withLock } from './lock.js'
${call}('${name}', () => withLock(() => ${name}(1, 2)))
`)
  const lock = `import { mkdirSync, rmdirSync } from 'node:fs'
${isCommon ? 'exports.withLock =' : 'export const withLock ='} async (work) => {
  mkdirSync('lock')
  await new Promise((resolve) => setTimeout(resolve, 100))
  rmdirSync('lock')
  work()
}
`
  return {
    'package.json': isCommon ? `{ "jest": ${settings} }` : '{ "type": "module" }',
    'vitest.config.js': `export default { test: ${settings} }`,
    'src/shop.js': `function less(a, b) {
  return a < b
}
function more(a, b) {
  return a > b
}
${isCommon ? 'exports.less = less\nexports.more = more' : 'export { less, more }'}
`,
    'test/less.test.js': testOf('less'),
    'test/lock.js': module(lock),
    'test/more.test.js': testOf('more'),
  }
}

test.each([
  ['vitest', 'vitest.mjs', ['run'], '{ include: ["test/*.test.js"], maxWorkers: 1 }'],
  ['node:test', 'node-test.mjs', ['node', '--test', '--test-concurrency=1', 'test/*.test.js'], undefined],
  ['mocha', 'mocha.mjs', ['npx', 'mocha', 'test/*.test.js'], undefined],
  ['jest', 'jest.mjs', ['npx', 'jest', '-i'], '{ "transform": {} }'],
] as const)('%s runs tests at once only if the project does', async (framework, driver, args, settings) => {
  await using trial = await openTrial(shopFor(framework, settings))
  const events = await trial.drive(driver, args)
  const decided = decisions(trial, events)
  expect(decided).toHaveLength(4)
  expect(decided.filter((text) => !text.endsWith(': survived'))).toEqual([])
  expect(events.filter(({ kind }) => kind === 'unclean')).toEqual([])
})

const testOf = (name: string, body: string) => `
import { expect, test } from 'vitest'
import { add, sizes } from '../src/shop.js'
test('${name}', () => { ${body} })
`

test('vitest loads the code anew for each file, although the project does not', async () => {
  await using trial = await openTrial({
    'package.json': '{ "type": "module" }',
    'vitest.config.js':
      'export default { test: { include: ["test/*.test.js"], isolate: false, fileParallelism: false } }',
    'src/shop.js': 'export const sizes = { large: 2 * 4 }\nexport const add = (a, b) => a + b\n',
    'test/a.test.js': testOf('adds', 'expect(add(1, 2)).toBe(3)'),
    'test/b.test.js': testOf('has a size', 'expect(sizes.large).toBe(8)'),
  })
  const events = await trial.drive('vitest.mjs', ['run'])
  const loads = events.filter(({ kind }) => kind === 'load').map(({ probes }) => probes.length > 0)
  expect(loads).toEqual([true, true])
  expect(decisions(trial, events)).toEqual(['2 * 4 -> 2 / 4: noticed', 'a + b -> a - b: noticed'])
})
