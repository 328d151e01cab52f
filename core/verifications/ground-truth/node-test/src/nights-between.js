const dayMs = 86_400_000

/** How many nights lie between two dates such as `2026-02-28`. */
export function nightsBetween(arrival, departure) {
  const [from, to] = [Date.parse(arrival), Date.parse(departure)]
  if (Number.isNaN(from) || Number.isNaN(to)) throw new TypeError('dates are written as 2026-02-28')
  if (to < from) throw new RangeError('nobody leaves before arriving')
  return (to - from) / dayMs
}
