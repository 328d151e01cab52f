/** Converts seconds to milliseconds. Some tools write thousands or decimals with commas, and some write `NaN`. */
export function durationOf(time: string | undefined): number | null {
  if (time === undefined) return null
  const text = time.trim()
  const seconds = text.includes(',') ? withComma(text) : Number(text)
  if (text === '' || !Number.isFinite(seconds) || seconds < 0) return null
  const milliseconds = Math.round(seconds * 1_000_000) / 1000
  return Number.isFinite(milliseconds) ? milliseconds : null
}

/** In a number without a dot, one comma is the decimal separator of a locale. */
function withComma(text: string): number {
  return Number(/^\d+,\d+$/.test(text) ? text.replace(',', '.') : text.replaceAll(',', ''))
}
