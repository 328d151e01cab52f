/** Shares an amount in cents so that nothing is lost; whoever comes first pays the odd cents. */
export function splitBill(cents, people) {
  if (!Number.isInteger(people) || people < 1) throw new RangeError('a bill needs somebody who pays it')
  const share = Math.floor(cents / people)
  const odd = cents - share * people
  return Array.from({ length: people }, (_, index) => (index < odd ? share + 1 : share))
}
