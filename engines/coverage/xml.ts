import { reportLimits, type ReportSource } from '../reports/report.ts'
import { type Attributes, xmlEvents } from '../reports/xml-events.ts'
import type { ReportRecord } from './record.ts'

export interface ElementHandlers {
  open: (name: string, attributes: Attributes) => void
  /** Gets the text directly inside, for elements named in `withText`. */
  close: (name: string, text: string) => void
  withText?: readonly string[]
}

/** Reads an XML report. Never fetches its DTD. */
export async function eachElement(
  source: ReportSource,
  record: ReportRecord,
  { open, close, withText = [] }: ElementHandlers,
): Promise<void> {
  let text = ''
  const handlers = {
    open(name: string, attributes: Attributes, line: number) {
      record.at = line
      text = ''
      open(name, attributes)
      return withText.includes(name)
    },
    text(piece: string) {
      text += piece
    },
    close(name: string) {
      close(name, text)
      text = ''
    },
  }
  const options = {
    roots: [],
    // The collector has its own limit of bytes and checks it before.
    limits: { ...reportLimits, maxBytes: Infinity },
    warn: (message: string) => record.warn(withoutName(message, source.name)),
  }
  // The handlers do the work.
  for await (const _ of xmlEvents(source, handlers, options)) record.at ??= 1
}

function withoutName(message: string, name: string): string {
  return message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message
}

/** Reads a whole number from 0. Counts may be too large to be exact. */
export function readCount(value: string | undefined, what: string, record: ReportRecord): number {
  const text = value?.trim() ?? ''
  if (/^\d{1,40}$/.test(text)) return Number(text)
  if (/^-\d{1,40}$/.test(text)) {
    record.warn(`a negative ${what} is read as 0`)
    return 0
  }
  return record.fail(value === undefined ? `the ${what} is missing` : `"${text.slice(0, 40)}" is not a ${what}`)
}

/** Makes identities for formats that only count the branches of a line: the first `covered` are the taken ones. */
export function* countedBranches(covered: number, total: number, record: ReportRecord): Generator<[string, boolean]> {
  if (total > 10_000 || covered > total) record.fail(`${covered} of ${total} branches of one line is not possible`)
  for (let number = 0; number < total; number++) yield [String(number), number < covered]
}
