const maxLineLength = 300
const maxListed = 3

export const times = (count: number) => (count === 1 ? 'once' : `${count} times`)

/** Lists names for a sentence, and counts those beyond the limit. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, maxListed).map((name) => `\`${name.slice(0, maxLineLength)}\``)
  const more = names.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

/** The first lines of a diff are not useful alone. */
const diffBegins = /^(?:[+-] |@@|[[{(]$|\.\.\.)/

/** Returns the most important line of a failure message as a sentence. */
export function quotedLine(message: string): string {
  const lines = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  // Go prints the name of the package above the errors of the compiler.
  if (lines.length > 1 && lines[0]?.startsWith('# ')) lines.shift()
  const [first = ''] = lines
  // The assertions of Node print the values below.
  if (first.endsWith(':')) {
    const values = lines.slice(1, 3)
    const diffAt = values.findIndex((line) => diffBegins.test(line))
    const said = [first, ...(diffAt < 0 ? values : values.slice(0, diffAt))].join(' ').slice(0, maxLineLength)
    return sentence(said.replace(/:$/, ''))
  }
  // Matchers print the call first, and then the difference.
  const rest = /^(?:Error: )?(?:expect|assert[.(])/.test(first)
    ? lines.filter((line) => /^(?:Expected|Received|\d)/.test(line))
    : []
  const text = [first, ...rest.slice(0, 2)].join(' ').slice(0, maxLineLength)
  return sentence(text)
}

export const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)
