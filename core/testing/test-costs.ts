import { readFileSync } from 'node:fs'

/** Seconds of processor time of test files, without those under one second. `npm run test:measure` writes them. */
export const costsFile = new URL('test-costs.json', import.meta.url)
export const testCosts = JSON.parse(readFileSync(costsFile, 'utf8')) as Readonly<Record<string, number>>

/** More than half of the files cost less, and together a thirtieth of the time of all. */
const slowSeconds = 2

/** Test files that start many processes: the whole product, repositories, sandboxes, verifications. `npm test` leaves them out. */
export const slowFiles: readonly string[] = Object.entries(testCosts).flatMap(([file, seconds]) =>
  seconds >= slowSeconds ? file : [],
)
