const numerals: [number, string][] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
]

export function toRoman(number: number): string {
  if (!Number.isInteger(number) || number < 1 || number > 3_999) throw new RangeError(`no Roman numeral for ${number}`)
  let [left, text] = [number, '']
  for (const [value, numeral] of numerals) {
    while (left >= value) {
      text += numeral
      left -= value
    }
  }
  return text
}
