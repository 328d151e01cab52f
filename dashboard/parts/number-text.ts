/** `1,234,567`: in English, as the pages and all other numbers are. */
export const formatCount = (count: number) => String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',')

export function formatPercent(percent: number): string {
  // 99.96 must not read as 100: then nothing would seem to be missing.
  const rounded = percent < 100 && percent > 99.9 ? 99.9 : percent
  return `${rounded.toFixed(rounded === 100 || rounded === 0 ? 0 : 1)} %`
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  const units = ['KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length)
  return `${(bytes / 1_024 ** power).toFixed(1)} ${units[power - 1]}`
}

/** `1 test`, `2 tests`. */
export const plural = (count: number, noun: string, many = `${noun}s`) =>
  `${formatCount(count)} ${count === 1 ? noun : many}`
