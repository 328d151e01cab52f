import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createVerificationScene, type VerificationScene } from '../testing/scene.ts'

vi.setConfig({ testTimeout: 60_000 })

let scene: VerificationScene
beforeAll(async () => void (scene = await createVerificationScene()))
afterAll(() => scene[Symbol.asyncDispose]())

const manifest = JSON.stringify({ type: 'module', scripts: { test: 'node --test' } })
const importing = (name: string) => `import { test } from 'node:test'
import assert from 'node:assert'
import { total } from '${name}'
test('adds up', () => assert.equal(total(2, 3), 5))
`
const files = {
  'package.json': manifest,
  'cart.js': 'export const total = (a, b) => a + b\n',
  'cart.test.js': importing('./cart.js'),
}
const code = importing('./cart.js')
const briefly = { repeats: 2, mutants: 0 }

test('rejects a path that is a folder or below a file of the repository', async () => {
  const { id } = await scene.project({ ...files, 'pages/cart.test.js/index.js': 'export {}\n' })
  for (const [path, words] of [
    ['cart.js/total.test.js', 'cart.js is a file of the repository, so the path cannot be below it'],
    ['cart.test.js/deep/total.test.js', 'cart.test.js is a file of the repository, so the path cannot be below it'],
    ['pages/cart.test.js', 'pages/cart.test.js is a folder of the repository'],
    ['pages', 'pages is a folder of the repository'],
  ] as const) {
    const { status, verdict, error } = await scene.verify(id, { filePath: path, code }, briefly)
    expect({ status, verdict, code: error?.code }).toEqual({ status: 'failed', verdict: null, code: 'invalid' })
    expect(error?.message).toContain(words)
  }
})

test('rejects a test that the command of the project does not run, before it installs anything', async () => {
  const { id } = await scene.project({
    ...files,
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test checks/*.mjs' } }),
    'checks/cart.mjs': importing('../cart.js'),
  })
  const { status, verdict, error } = await scene.verify(id, { filePath: 'tests/total.test.js', code }, briefly)
  expect({ status, verdict, code: error?.code }).toEqual({ status: 'failed', verdict: null, code: 'invalid' })
  expect(error?.message).toBe(
    'The command `node --test checks/cart.mjs` of this project does not run tests/total.test.js. It runs checks/*.mjs. Use such a path for the test.',
  )
})

test('proves a test that a pattern of the command finds, whatever its name is', async () => {
  const { id } = await scene.project({
    ...files,
    'cart.js':
      'export const total = (a, b) => {\n  if (a < 0) {\n    throw new RangeError("no")\n  }\n  return a + b\n}\n',
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test checks/*.mjs' } }),
    'checks/cart.mjs': importing('../cart.js'),
  })
  const throwing = importing('../cart.js').replace(
    /test\('.*$/m,
    "test('refuses', () => assert.throws(() => total(-1, 3), RangeError))",
  )
  const { verdict, error } = await scene.verify(
    id,
    { filePath: 'checks/more.mjs', code: throwing },
    { repeats: 2, mutants: 3 },
  )
  expect({ verdict, error }).toEqual({ verdict: 'accepted', error: null })
})

test('proves a test beside the only file that the command runs, and says to add it to the command', async () => {
  const { id } = await scene.project({
    ...files,
    'cart.js':
      'export const total = (a, b) => {\n  if (a < 0) {\n    throw new RangeError("no")\n  }\n  return a + b\n}\n',
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test cart.test.js' } }),
  })
  const throwing = code.replace(/test\('.*$/m, "test('refuses', () => assert.throws(() => total(-1, 3), RangeError))")
  const { verdict, evidence } = await scene.verify(
    id,
    { filePath: 'total.test.js', code: throwing },
    { repeats: 2, mutants: 3 },
  )
  expect(verdict).toBe('accepted')
  expect(evidence?.warnings.join()).toContain('`node --test cart.test.js` runs only cart.test.js. Add total.test.js')
})

test('quotes both ends of the output of a failed install without any part of a secret', async () => {
  const secret = `squeamish-${'ossifrage-'.repeat(20)}end`
  // The secret lies across the place where the beginning is cut off, and across that where the end begins.
  const printing = [
    'const { KEY } = process.env',
    "console.log('npm error the cause'.padEnd(900, '.') + KEY)",
    "console.log('x'.repeat(300_000))",
    "console.log(KEY + ','.repeat(900) + 'npm error the end')",
    'process.exitCode = 1',
  ]
  const { id } = await scene.project(
    { ...files, 'install.js': printing.join('\n') },
    { installCommand: 'node install.js', environment: { KEY: secret } },
  )
  const { status, error } = await scene.verify(id, { filePath: 'total.test.js', code }, briefly)
  expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'install_failed' })
  const message = error?.message ?? ''
  expect(message).toContain('The output was:\nnpm error the cause')
  expect(message).toMatch(/\*\*\*[^]*\[[\d,]+ characters are omitted here\][^]*npm error the end$/)
  expect(message).not.toMatch(/squeamish|ossifrage|end,/)
  expect(message.length).toBeLessThan(2_400)
})

test('quotes a short output of a failed install completely, as plain text', async () => {
  const printing = "process.stdout.write('one\\0\\n\\x1b[31mtwo\\x1b[0m\\n', () => process.exit(3))"
  const { id } = await scene.project({ ...files, 'install.js': printing }, { installCommand: 'node install.js' })
  const { error } = await scene.verify(id, { filePath: 'total.test.js', code }, briefly)
  expect(error?.message).toMatch(/exit code 3\. The output was:\none\ntwo$/)
})
