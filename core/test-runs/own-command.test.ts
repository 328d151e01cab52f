import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createRunScene, type RunScene } from './testing/scene.ts'

vi.setConfig({ testTimeout: 120_000 })

let scene: RunScene
beforeAll(async () => void (scene = await createRunScene()))
afterAll(() => scene[Symbol.asyncDispose]())

const sums = `exports.add = (a, b) => {
  if (a > 5) {
    return 0
  }
  return a + b
}
`
/** Prints TAP, as tape does. */
const checks = `const { add } = require('../sums.js')
const { built } = require('../built.json')
const results = [['adds', add(1, 1) === 2 && built], ['adds more', add(1, 2) === 4]]
console.log('TAP version 13')
results.forEach(([name, ok], at) => console.log(\`\${ok ? 'ok' : 'not ok'} \${at + 1} - \${name}\`))
console.log('1..' + results.length)
process.exitCode = results.every(([, ok]) => ok) ? 0 : 1
`

test('runs a script as the project wrote it: builds, pipes, and reports what its own program prints', async () => {
  const { id } = await scene.project({
    'package.json': JSON.stringify({ scripts: { test: 'node build.js; node checks/all.js | node show.js' } }),
    'build.js': "require('node:fs').writeFileSync('built.json', '{\"built\":true}')\n",
    'show.js': "process.stdin.resume().on('end', () => console.log('shown'))\nprocess.stdin.on('data', () => {})\n",
    'sums.js': sums,
    'checks/all.js': checks,
  })
  const run = await scene.run(id)
  const log = await scene.log(run.id)
  expect(run, log).toMatchObject({ reportedStatus: 'FAILED', error: null, totalTests: 2, failedTests: 1 })
  expect(run.plan).toMatchObject([{ framework: null, steps: [{ command: 'npm test' }] }])
  expect(log).toContain('shown')
  // Four lines with code, of which one does not run, and all lines of the other programs.
  expect(run.coverage).toBeGreaterThan(80)
  expect(run.coverage).toBeLessThan(100)
})

test('does not change a run that it cannot measure', async () => {
  const { id } = await scene.project({
    'package.json': JSON.stringify({ scripts: { test: 'node checks/all.js || exit 7' } }),
    'built.json': '{"built":true}',
    'sums.js': sums,
    // What is left in the folder of the measurement is no coverage.
    'checks/all.js': `require('node:fs').writeFileSync(process.env.NODE_V8_COVERAGE + '/a.json', '[')\n${checks}`,
  })
  const run = await scene.run(id)
  const log = await scene.log(run.id)
  expect(run, log).toMatchObject({ reportedStatus: 'FAILED', error: null, totalTests: 2, failedTests: 1 })
  expect(log).toContain('exit code 7')
  expect(log).toContain('# Coverage: the coverage of a process is incomplete.')
})
