const rates: Record<string, number> = { standard: 19, reduced: 7 }

export function rateOf(kind: string): number {
  const rate = rates[kind]
  if (rate === undefined) throw new RangeError(`there is no rate "${kind}"`)
  return rate
}
