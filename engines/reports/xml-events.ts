import { SaxesParser } from 'saxes'
import { ReportError } from './report.ts'
import type { ReadOptions, ReportSource } from './report.ts'
import { decodedXml } from './xml-encoding.ts'

export type Attributes = Readonly<Record<string, string | undefined>>

export interface XmlHandlers {
  /** What it answers is whether the text directly inside matters; other text is not kept. `line` is where the tag ends. */
  open: (name: string, attributes: Attributes, line: number) => boolean
  /** Comes in pieces. */
  text: (text: string) => void
  close: (name: string) => void
}

const maxDepth = 200
/** Characters of one tag with its attributes, or of one text that matters: what has to be held at once. */
const maxPiece = 32 * 2 ** 20
const tooLong = `has more than ${maxPiece} characters in one text or one tag`
const maxUnwanted = 2 ** 20
/** The parser's numbers for being in text, in a reference within text, and in or at the end of CDATA. */
const textStates: ReadonlySet<unknown> = new Set([13, 20, 21, 22])

const several = 'holds several documents, one after the other; all are read'
/** What the parser complains of and we only warn about, by its words, since it knows no codes. */
const tolerances: Record<string, string> = {
  'malformed character entity.': 'has references to characters that XML forbids; they are read all the same',
  'undefined entity.': 'has references to entities that XML does not know; they are left as they are',
  'the string "]]>" is disallowed in char data.': 'has "]]>" in a text; it is read all the same',
  'documents may contain only one root.': several,
  'an XML declaration must be at the start of the document.': several,
  'expected one of encoding, standalone': several,
  'expected one of standalone': several,
  'did not expect any more name/value pairs.': several,
  'the XML declaration must appear at the start of the document.': 'has text before its XML declaration',
}

/** XML allows none of these even as a reference, yet tools write the escape codes of terminals into messages. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f]/g
/** The code points that Unicode keeps for a program's own use: the 32 control characters stand in them while the parser has them. */
const standIns = /[\uFDD0-\uFDEF]/g
const firstStandIn = 0xfdd0

/**
 * Calls the handlers with local names, so without prefixes, and yields after each piece of the file. Holds no more than
 * one tag or one text. Entities are never expanded beyond the five of XML; whatever leaves the structure in doubt is an
 * error.
 */
export async function* xmlEvents(
  source: ReportSource,
  handlers: XmlHandlers,
  options: ReadOptions,
): AsyncGenerator<void, void, undefined> {
  const parser = new SaxesParser({ xmlns: false, forceXMLVersion: true, defaultXMLVersion: '1.0' })
  const warned = new Set<string>()
  const warnOnce = (message: string) => {
    if (!warned.has(message)) options.warn(`${source.name} ${message}`)
    warned.add(message)
  }
  const malformed = (problem: string) => new ReportError('malformed', source.name, problem, parser.line)

  const matters: boolean[] = []
  let held = 0
  let hasStandIns = false
  let hasUnreadReferences = false
  const restored = (text: string) => {
    const read = hasUnreadReferences ? text.replace(/&#(?:x([0-9a-f]+)|(\d+));/gi, characterOf) : text
    return hasStandIns ? read.replace(standIns, (one) => String.fromCharCode(one.charCodeAt(0) - firstStandIn)) : read
  }

  parser.on('error', (error) => {
    const problem = error.message.replace(/^\d+:\d+: /, '')
    const tolerance = tolerances[problem]
    if (tolerance === undefined) throw malformed(explained(problem))
    if (problem === 'malformed character entity.') hasUnreadReferences = true
    warnOnce(tolerance)
  })
  parser.on('doctype', (doctype) => {
    if (doctype.includes('['))
      throw malformed('declares entities or elements of its own, which a test report needs not')
  })
  parser.on('opentag', ({ name, attributes }) => {
    held = 0
    if (matters.length === maxDepth) throw malformed(`elements stand in one another more than ${maxDepth} deep`)
    if (hasStandIns || hasUnreadReferences) {
      for (const [key, value] of Object.entries(attributes)) attributes[key] = restored(value)
    }
    hasUnreadReferences = false
    matters.push(handlers.open(localName(name), attributes, parser.line))
  })
  const onText = (text: string) => {
    held = 0
    if (matters.at(-1) === true) handlers.text(restored(text))
    hasUnreadReferences = false
  }
  parser.on('text', onText)
  parser.on('cdata', onText)
  parser.on('comment', () => (held = 0))
  parser.on('closetag', ({ name }) => {
    held = 0
    matters.pop()
    handlers.close(localName(name))
  })

  for await (const piece of decodedXml(source, options.limits, warnOnce)) {
    held += piece.length
    const tame = piece.replace(forbidden, (one) => {
      hasStandIns = true
      return String.fromCharCode(firstStandIn + one.charCodeAt(0))
    })
    parser.write(tame)
    // Output of tests may be longer than anything that is held: what the parser gathered of it is let go.
    if (held > maxUnwanted && matters.at(-1) === false && textStates.has(parser['state'])) {
      parser['text'] = ''
      held = 0
    }
    if (held > maxPiece) throw new ReportError('too_large', source.name, tooLong, parser.line)
    yield
  }
  if (hasStandIns) warnOnce('has control characters, which XML forbids; they are read all the same')
  parser.close()
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function characterOf(reference: string, hex: string | undefined, decimal: string | undefined): string {
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  return code <= 0x10ffff ? String.fromCodePoint(code) : reference
}

function explained(problem: string): string {
  const text = problem.replace(/\.$/, '')
  if (text.startsWith('unclosed tag: ')) return `ends too early, in <${text.slice('unclosed tag: '.length)}>`
  if (text === 'unexpected end') return 'ends too early'
  return `is no well-formed XML: ${text}`
}
