export type Cell = string | number | boolean | null | undefined

/** Spreadsheets run cells that begin with these as formulas, and names of tests are untrusted. */
const formula = /^[\s\uFEFF]*[=+\-@＝＋－＠]|^[\t\r\n]/

function escapeCell(cell: Cell): string {
  const text = String(cell ?? '')
  const safe = typeof cell === 'string' && formula.test(text) ? `'${text}` : text
  // Some spreadsheets also split at semicolons and tabs.
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Writes rows as CSV (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => row.map(escapeCell).join(',')).join('\r\n') + '\r\n'
}

/** Offers content as a download. Spreadsheets read CSV as UTF-8 only with a byte order mark. */
export function download(name: string, content: string | Blob, type = 'text/csv;charset=utf-8'): void {
  const url = URL.createObjectURL(typeof content === 'string' ? new Blob(['\uFEFF', content], { type }) : content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
