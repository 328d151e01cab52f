import type { Writable } from 'node:stream'
import { WriteStream } from 'node:tty'
import { styleText } from 'node:util'
import stringWidth from 'string-width'
import { cleanText, escapeHidden } from '../client/sanitize.ts'

type Format = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Text with its format on a terminal that has colors. */
export type Part = string | { text: string; format: Format }

const styled =
  (format: Format) =>
  (text: string): Part => ({ text, format })

export const bold = styled('bold')
export const dim = styled('dim')
export const red = styled('red')
export const green = styled('green')
export const yellow = styled('yellow')
export const cyan = styled('cyan')

export interface Terminal extends Writable {
  isTTY?: boolean
  columns?: number
}

/**
 * Prints everything that a command prints, and cleans it, so that our own colors are the only escape sequences that
 * reach a terminal.
 */
export interface Output {
  /** The user wants one JSON document on stdout, and nothing else. */
  readonly json: boolean
  /** Stdout is a terminal, which gets aligned columns. */
  readonly isTerminal: boolean
  /** Stderr is a terminal, which gets progress. */
  readonly watched: boolean
  /** Prints the answer of a command: the document as JSON, or else what `write` prints. */
  answer: (document: unknown, write: () => void) => void
  /** Prints a line of the answer. Prints nothing in JSON mode. */
  line: (...parts: Part[]) => void
  /** Prints text of several lines, such as code. */
  block: (text: string) => void
  /** Prints name and value pairs, one per line, and omits null values. */
  facts: (facts: readonly (readonly [name: string, fact: Part | null])[]) => void
  /** Prints rows below headings on a terminal; prints rows with tabs between the cells to a pipe. */
  table: (headings: readonly string[], rows: readonly (readonly Part[])[]) => void
  /** Says how to get the next page. */
  pageEnd: (shown: number, page: { total: number; offset: number }) => void
  /** Says what to do next, on a terminal only. */
  hint: (text: string) => void
  /** Prints a warning to stderr, whether or not it is a terminal. */
  warn: (text: string) => void
  /** Shows progress in a line that the next output replaces, on a terminal only. */
  progress: (text: string) => void
  /**
   * Shows progress of work that takes minutes: as `progress` on a terminal, else as a line on stderr for the log of a CI
   * job. Prints nothing in JSON mode, and no text twice in a row.
   */
  milestone: (text: string) => void
}

export interface OutputOptions {
  json: boolean
  stdout: Terminal
  stderr: Terminal
  /** NO_COLOR, FORCE_COLOR and TERM decide about colors. */
  env: Readonly<NodeJS.ProcessEnv>
}

/** The last column is cut to the width of the terminal, but not below this. */
const minColumns = 20

/** Terminals whose last line is progress. Several outputs may share a terminal. */
const showsProgress = new WeakSet<Terminal>()

const lineStart = '\r\u001b[K'

/** Returns the width of a terminal. One that was opened by a program without a window has the width 0, which is unknown. */
export const columnsOf = ({ columns = 0 }: Terminal): number | undefined => (columns > 0 ? columns : undefined)

export function createOutput({ json, stdout, stderr, env }: OutputOptions): Output {
  const paint = (stream: Terminal, part: Part) =>
    typeof part === 'string' || part.text === '' || !hasColors(stream, env)
      ? cleanText(textOf(part))
      : styleText(part.format, cleanText(part.text), { validateStream: false })
  const endProgress = () => {
    if (showsProgress.delete(stderr)) stderr.write(lineStart)
  }
  const print = (stream: Terminal, parts: readonly Part[]) => {
    endProgress()
    stream.write(`${parts.map((part) => paint(stream, part)).join('')}\n`)
  }
  const aligned = (rows: readonly (readonly Part[])[]) => {
    const widths: number[] = []
    for (const row of rows) {
      row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, widthOf(cell))))
    }
    const last = widths.length - 1
    const room = (columnsOf(stdout) ?? Infinity) - widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0)
    for (const row of rows) {
      output.line(
        ...row.flatMap((cell, column) =>
          column === last
            ? [changed(cell, (text) => cut(text, Math.max(room, minColumns)))]
            : [cell, ' '.repeat((widths[column] ?? 0) - widthOf(cell) + 2)],
        ),
      )
    }
  }
  const isTerminal = stdout.isTTY === true
  let lastMilestone: string | undefined

  const output: Output = {
    json,
    isTerminal,
    watched: stderr.isTTY === true,
    answer: (document, write) => {
      endProgress()
      if (json) stdout.write(`${escapeHidden(JSON.stringify(document, null, 2))}\n`)
      else write()
    },
    line: (...parts) => {
      if (!json) print(stdout, parts.map(withoutBreaks))
    },
    table: (headings, rows) => {
      if (rows.length === 0) return
      const cells = rows.map((row) => row.map(inOneLine))
      if (isTerminal) aligned([headings.map(dim), ...cells])
      else for (const row of cells) output.line(row.map(textOf).join('\t'))
    },
    facts: (facts) => {
      const rows = facts.flatMap(([name, fact]) => (fact === null ? [] : [[dim(name), inOneLine(fact)]]))
      if (isTerminal) aligned(rows)
      else for (const row of rows) output.line(row.map(textOf).join('\t'))
    },
    block: (text) => {
      if (!json) print(stdout, [text.replace(/(?<!\n)\n+$/, '')])
    },
    pageEnd: (shown, { total, offset }) => {
      const next = offset + shown
      if (shown > 0 && next < total)
        output.hint(`Showing ${offset + 1}-${next} of ${total}. Use --offset ${next} for the next page.`)
    },
    hint: (text) => {
      if (stderr.isTTY) print(stderr, [dim(text)])
    },
    warn: (text) => print(stderr, [text]),
    progress: (text) => {
      if (!stderr.isTTY) return
      const line = cut(textOf(inOneLine(text)), (columnsOf(stderr) ?? 80) - 1)
      stderr.write(`${lineStart}${paint(stderr, dim(line))}`)
      showsProgress.add(stderr)
    },
    milestone: (text) => {
      if (stderr.isTTY) return output.progress(text)
      if (json || text === lastMilestone) return
      lastMilestone = text
      print(stderr, [withoutBreaks(text)])
    },
  }
  return output
}

/** `styleText` itself would read the environment of the process. */
const hasColors = ({ isTTY }: Terminal, env: NodeJS.ProcessEnv) =>
  (isTTY === true || env['FORCE_COLOR'] !== undefined) && WriteStream.prototype.getColorDepth(env) > 2

const textOf = (part: Part) => (typeof part === 'string' ? part : part.text)

const widthOf = (part: Part) => stringWidth(textOf(part))

const changed = (part: Part, change: (text: string) => string): Part =>
  typeof part === 'string' ? change(part) : { ...part, text: change(part.text) }

/** Removes the tabs and newlines that would separate cells. */
const inOneLine = (part: Part) => changed(part, (text) => cleanText(text).replaceAll(/\s+/g, ' '))

/** Removes newlines, so that foreign text cannot imitate a line of ours. */
const withoutBreaks = (part: Part) => changed(part, (text) => cleanText(text).replaceAll('\n', ' '))

/** Cuts text to a number of columns. */
function cut(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) > columns - 1) break
    kept += segment
  }
  return `${kept}…`
}
