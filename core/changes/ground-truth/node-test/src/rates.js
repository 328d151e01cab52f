import { readFileSync } from 'node:fs'

const rates = JSON.parse(readFileSync(new URL('../data/rates.json', import.meta.url), 'utf8'))

/** Returns the tax of a kind of article in percent. */
export function rateOf(kind) {
  return rates[kind] ?? rates.other
}
