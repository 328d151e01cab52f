import { appendFileSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect } from 'vitest'

/** Notes how much processor time this process and its ended children use for a test file (Linux). */
const file = process.env['TEST_COSTS'] ?? ''

/** Hundredths of a second, as the kernel counts them. */
function ticks(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}

let before = 0
beforeAll(() => {
  before = ticks()
})
afterAll(() => {
  const cost = { path: expect.getState().testPath, seconds: (ticks() - before) / 100 }
  appendFileSync(file, `${JSON.stringify(cost)}\n`)
})
