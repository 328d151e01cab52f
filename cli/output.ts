import type { Writable } from 'node:stream'
import { WriteStream } from 'node:tty'
import { styleText } from 'node:util'
import stringWidth from 'string-width'
import { cleanText, escapeHidden } from '../client/sanitize.ts'

type Format = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Text, and what it looks like on a terminal that has colours. */
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
 * All that a command prints. Text is cleaned here, wherever it comes from, so that only our own colours are ever escape
 * sequences on somebody's terminal.
 */
export interface Output {
  /** One JSON document is wanted on stdout, and nothing beside it. */
  readonly json: boolean
  /** A person reads stdout, and sees colours and aligned columns. */
  readonly isTerminal: boolean
  /** A person reads stderr, and sees how far things are. */
  readonly watched: boolean
  /** A command's answer: the document where JSON is wanted, else what `write` writes. */
  answer: (document: unknown, write: () => void) => void
  /** A line of the answer. Nothing where JSON is wanted. */
  line: (...parts: Part[]) => void
  /** Text of several lines, such as code. */
  block: (text: string) => void
  /** Names and what they stand for, one to a line; those that are null are left out. */
  facts: (facts: readonly (readonly [name: string, fact: Part | null])[]) => void
  /** Rows below their headings; for programs that read a pipe, only rows, with tabs between the cells. */
  table: (headings: readonly string[], rows: readonly (readonly Part[])[]) => void
  /** Says how to get the rest where a page is not the last. */
  pageEnd: (shown: number, page: { total: number; offset: number }) => void
  /** What to do next, for a person at a terminal. */
  hint: (text: string) => void
  /** Something that has to be known, wherever stderr goes. */
  warn: (text: string) => void
  /** One line that shows how far something is, and is replaced by the next; for a person at a terminal. */
  progress: (text: string) => void
  /**
   * Progress of work that takes minutes: as `progress` on a terminal, else a line on stderr, so that the log of a CI job
   * does not end in silence. Nothing where JSON is wanted, nor for the same text twice.
   */
  milestone: (text: string) => void
}

export interface OutputOptions {
  json: boolean
  stdout: Terminal
  stderr: Terminal
  /** Decides about colours: NO_COLOR, FORCE_COLOR, TERM. */
  env: Readonly<NodeJS.ProcessEnv>
}

/** Of a last column that does not fit, at least so much is shown. */
const leastColumns = 20

/** Where a line of progress stands, whoever has written it and whoever writes next. */
const showsProgress = new WeakSet<Terminal>()

const lineStart = '\r\u001b[K'

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
    const room = (stdout.columns ?? Infinity) - widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0)
    for (const row of rows) {
      output.line(
        ...row.flatMap((cell, column) =>
          column === last
            ? [changed(cell, (text) => cut(text, Math.max(room, leastColumns)))]
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
      if (!json) print(stdout, [text.replace(/\n+$/, '')])
    },
    pageEnd: (shown, { total, offset }) => {
      const next = offset + shown
      if (shown > 0 && next < total) output.hint(`${offset + 1}-${next} of ${total}. Go on with --offset ${next}.`)
    },
    hint: (text) => {
      if (stderr.isTTY) print(stderr, [dim(text)])
    },
    warn: (text) => print(stderr, [text]),
    progress: (text) => {
      if (!stderr.isTTY) return
      const line = cut(textOf(inOneLine(text)), (stderr.columns ?? 80) - 1)
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

/** A cell has neither the tabs nor the lines that separate cells. */
const inOneLine = (part: Part) => changed(part, (text) => cleanText(text).replaceAll(/\s+/g, ' '))

/** No text makes a line of its own, which would look like ours. */
const withoutBreaks = (part: Part) => changed(part, (text) => cleanText(text).replaceAll('\n', ' '))

/** As much of the text as fits into so many columns. */
function cut(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) > columns - 1) break
    kept += segment
  }
  return `${kept}…`
}
