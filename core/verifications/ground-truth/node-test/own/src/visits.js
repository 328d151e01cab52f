import { appendFileSync, readFileSync } from 'node:fs'

const file = new URL('../visits.log', import.meta.url)

/** Notes a visit and says how many there were. */
export function noteVisit(name) {
  appendFileSync(file, `${name}\n`)
  return readFileSync(file, 'utf8').trimEnd().split('\n').length
}
