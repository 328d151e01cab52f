import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readGoJson } from './go-json.ts'
import { readCtrf } from './json/ctrf.ts'
import { readJestJson } from './json/jest.ts'
import { readMochaJson } from './json/mocha.ts'
import { readPlaywrightJson } from './json/playwright.ts'
import { readRspecJson } from './json/rspec.ts'
import { readWith, sample } from './json/testing.ts'
import { readLibtest } from './libtest.ts'
import { ReportError, type ReportReader } from './report.ts'
import { readTap } from './tap.ts'

const samples: [string, ReportReader][] = [
  ['jest.json', readJestJson],
  ['vitest.json', readJestJson],
  ['playwright.json', readPlaywrightJson],
  ['mocha.json', readMochaJson],
  ['rspec.json', readRspecJson],
  ['ctrf-jest.json', readCtrf],
  ['go.json', readGoJson],
  ['node.tap', readTap],
  ['vitest.tap', readTap],
  ['tap.tap', readTap],
  ['bats.tap', readTap],
  ['cargo.txt', readLibtest],
]

test.each(samples)('reads the same from %s in pieces of any size and with other line ends', async (name, reader) => {
  const bytes = await sample(name)
  const whole = await readWith(reader, bytes)
  const pieces = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(pieces, async (sizes) => {
      expect(await readWith(reader, bytes, { pieces: sizes })).toEqual(whole)
    }),
    { numRuns: 15 },
  )
  expect(await readWith(reader, bytes.toString().replaceAll('\n', '\r\n'))).toEqual(whole)
  expect(await readWith(reader, Buffer.from(`\ufeff${bytes.toString()}`, 'utf16le'))).toEqual(whole)
})

test.each(samples)('notices wherever %s was cut', async (name, reader) => {
  const bytes = await sample(name)
  const whole = await readWith(reader, bytes)
  const failedNames = new Set(whole.cases.filter(({ status }) => status === 'failed').map(({ name }) => name))
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: bytes.length - 1 }), async (end) => {
      const part = bytes.subarray(0, end)
      const found = await readWith(reader, part).catch((error: unknown) => error)
      if (found instanceof ReportError || canNotTell(name, part.toString())) return
      const { cases, warnings } = found as Awaited<ReturnType<typeof readWith>>
      if (cases.length === whole.cases.length && cases.every(({ name }, index) => name === whole.cases[index]?.name))
        return
      const tellsOfTheCut = cases.some(({ status, name }) => status === 'failed' && !failedNames.has(name))
      const notEnded = cases.some(({ message }) => message?.includes('did not end'))
      expect([end, tellsOfTheCut || notEnded || warnings.length > 0]).toEqual([end, true])
    }),
    { numRuns: 150 },
  )
})

/** Programs of cargo, and packages of go, follow one another without a word about how many there are. */
function canNotTell(name: string, part: string): boolean {
  if (name === 'cargo.txt') return /finished in \d+\.\d+s\n(?:(?!\n(?:running|test ))[^]){0,200}$/.test(part)
  return (
    name === 'go.json' && /"Action":"(?:fail|skip)","Package":"[^"]*","Elapsed":[\d.]+\}?\s*(?:\n\{[^}]*)?$/.test(part)
  )
}
