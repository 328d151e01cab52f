/** Adds a tax in percent and rounds to cents. */
export function withTax(cents, percent) {
  return Math.floor((cents * (100 + percent)) / 100)
}

/** Takes a discount in percent off. */
export function discounted(cents, percent) {
  if (percent < 0 || percent > 100) throw new RangeError(`${percent} percent is no discount`)
  return cents - Math.round((cents * percent) / 100)
}
