import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../data/rates.json', import.meta.url)

export function rateOf(kind) {
  const rates = JSON.parse(readFileSync(file, 'utf8'))
  if (!(kind in rates)) throw new RangeError(`there is no rate "${kind}"`)
  return rates[kind]
}

export function setRate(kind, percent) {
  if (percent < 0 || percent > 100) throw new RangeError(`${percent} is no rate`)
  const rates = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...rates, [kind]: percent }))
}
