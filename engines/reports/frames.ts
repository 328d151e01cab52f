/** Splits an error text into the message and the stack, at the first line of a stack. */
export function splitStack(text: string): { message: string; stack: string | null } {
  const start = /^[ \t]{1,100}at .+/m.exec(text)
  if (start === null) return { message: text.trim(), stack: null }
  return { message: text.slice(0, start.index).trim(), stack: text.slice(start.index).trimEnd().replace(/^\n+/, '') }
}
