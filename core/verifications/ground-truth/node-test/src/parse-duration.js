const seconds = { d: 86_400, h: 3_600, m: 60, s: 1 }

/** `1h30m` as seconds. */
export function parseDuration(text) {
  const match = /^(?:\d+[dhms])+$/.exec(text)
  if (!match) throw new RangeError(`not a duration: "${text}"`)
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+)([dhms])/g)) total += Number(amount) * seconds[unit]
  return total
}
