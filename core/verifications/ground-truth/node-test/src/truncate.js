/** At most `length` characters; what was cut off is told by a `…`, which is one of them. */
export function truncate(text, length) {
  if (length < 1) return ''
  if (text.length <= length) return text
  return `${text.slice(0, length - 1).trimEnd()}…`
}
