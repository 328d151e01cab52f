/** For sentences to users: `1.5 s`. */
export function seconds(milliseconds: number): string {
  return `${count(milliseconds / 1000)} s`
}

/** For sentences to users: `2,048 MB`. */
export function megabytes(bytes: number): string {
  return `${count(bytes / (1024 * 1024))} MB`
}

/** For sentences to users: `1,024`. */
export function count(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 })
}
