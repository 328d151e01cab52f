/**
 * Texts that the author of a repository chose, such as paths and names of tests, in comments and summaries. The code
 * hosts would read them as Markdown, HTML, mentions, references to issues and commits, links, or quick actions.
 */

/** A character without width: `@name` with it mentions nobody. As an entity, so that it is visible in the source. */
const apart = '&#8203;'

/** Returns the text as code in a line. Code hosts neither link nor interpret what is inside. */
export function codeSpan(text: string): string {
  const line = oneLine(text)
  if (line === '') return '` `'
  const fence = '`'.repeat(longestRun(line, '`') + 1)
  // Code that begins or ends with a backtick needs spaces, which are not shown.
  const padding = line.startsWith('`') || line.endsWith('`') || /^ .* $/.test(line) ? ' ' : ''
  return `${fence}${padding}${line}${padding}${fence}`
}

/** Returns the text as code in a cell of a table, where `|` ends the cell even inside of code. */
export const codeCell = (text: string): string => codeSpan(text.replaceAll('|', '\u2502'))

/** Returns the text as a block of code. The language must be a constant. */
export function codeBlock(text: string, language = ''): string {
  const lines = text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(invisible, '\ufffd')
  const fence = '`'.repeat(Math.max(3, longestRun(lines, '`') + 1))
  return `${fence}${language}\n${lines.replace(/\n$/, '')}\n${fence}`
}

/** Returns the text as prose in a line or a cell. It shows all characters as they are. */
export function plainText(text: string): string {
  return (
    oneLine(text)
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll(/[\\`*_{}[\]()+\-.=/|"']/g, '\\$&')
      // GitHub: @user #1 GH-1. GitLab: !1 $1 %1 ~label ^1 and :emoji:.
      .replaceAll(/[@#!$%~^:]/g, `$&${apart}`)
      .replaceAll(/\b(gh)(?=\\-\d)/gi, `$1${apart}`)
      .replaceAll(/\b(www)(?=\\\.)/gi, `$1${apart}`)
      // Seven or more hexadecimal digits may be a commit.
      .replaceAll(/(?<![0-9a-z])([0-9a-f]{3})(?=[0-9a-f]{4})/gi, `$1${apart}`)
  )
}

/** Control characters except the newline and the tab, and characters that reorder the text around them. */
// oxlint-disable-next-line no-control-regex
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\t\n\r\u0085\u2028\u2029]/g, ' ')
    .replaceAll(invisible, '\ufffd')
    .trim()
}

function longestRun(text: string, character: string): number {
  let longest = 0
  let current = 0
  for (const each of text) {
    current = each === character ? current + 1 : 0
    longest = Math.max(longest, current)
  }
  return longest
}
