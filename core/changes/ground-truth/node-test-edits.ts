import { append, replace } from './edits.ts'

export const roundTax = replace('src/price.js', 'Math.floor((cents', 'Math.round((cents')
export const closeInTime = replace('src/hours.js', 'now <= minutesOf(closes)', 'now < minutesOf(closes)')
export const refuseNegative = replace(
  'src/stock.js',
  '    const left = ',
  '    if (amount < 0) throw new RangeError(`${amount} is no amount`)\n    const left = ',
)
export const taxTest = append(
  'test/price.test.js',
  `
test('rounds the tax to the nearest cent', () => {
  assert.equal(withTax(999, 19), 1189)
  assert.equal(withTax(101, 7), 108)
})
`,
)
export const negativeTest = append(
  'test/stock.test.js',
  `
test('refuses to take a negative amount', () => {
  const stock = stocked()
  assert.throws(() => stock.take('cup', -1), { name: 'RangeError', message: '-1 is no amount' })
  stock.take('cup', 0)
  assert.equal(stock.amountOf('cup'), 3)
})
`,
)
export const timeOf = `/** Writes minutes since midnight as a time. */
export function timeOf(minutes) {
  if (minutes < 0 || minutes >= 24 * 60) {
    const day = 24 * 60
    const rest = minutes % day
    return timeOf(rest < 0 ? rest + day : rest)
  }
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0')
  return \`\${hours}:\${String(minutes % 60).padStart(2, '0')}\`
}
`
