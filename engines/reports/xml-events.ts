import { SaxesParser } from 'saxes'
import { ReportError } from './report.ts'
import type { ReadOptions, ReportSource } from './report.ts'
import { decodedXml } from './xml-encoding.ts'

export type Attributes = Readonly<Record<string, string | undefined>>

export interface XmlHandlers {
  /** Returns whether the text directly inside is wanted; other text is not kept. `line` is where the tag ends. */
  open: (name: string, attributes: Attributes, line: number) => boolean
  /** Receives a text in pieces. */
  text: (text: string) => void
  close: (name: string) => void
}

const maxDepth = 200
/** The maximum length of one tag with its attributes, or of one kept text, which the parser holds completely. */
const maxHeld = 32 * 2 ** 20
const tooLong = `one text or one tag has more than ${maxHeld} characters`
/** The length after which the parser discards a skipped CDATA section. */
const maxUnwanted = 2 ** 20
const cdata = '<![CDATA['

const several = 'the file contains several documents, and all of them are read'
/** Errors of the parser that are only warnings here. The parser has no codes, so its messages are the keys. */
const tolerances: Record<string, string> = {
  'malformed character entity.': 'references to characters that XML forbids are read anyway',
  'undefined entity.': 'references to entities that XML does not define stay as they are',
  'the string "]]>" is disallowed in char data.': '"]]>" in a text is read anyway',
  'documents may contain only one root.': several,
  'an XML declaration must be at the start of the document.': several,
  'expected one of encoding, standalone': several,
  'expected one of standalone': several,
  'did not expect any more name/value pairs.': several,
  'the XML declaration must appear at the start of the document.': 'there is text before the XML declaration',
}

/** XML allows none of these even as a reference, but tools write terminal escape codes into messages. */
// oxlint-disable-next-line no-control-regex -- the pattern looks for them
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f]/g
/** Noncharacters, which Unicode reserves for internal use: they replace the 32 control characters inside the parser. */
const standIns = /[\uFDD0-\uFDEF]/g
const firstStandIn = 0xfdd0

/**
 * Calls the handlers with names without prefixes, and yields after each piece of the file. Holds one tag or one text at
 * a time. Entities other than the five of XML are never expanded; a document whose structure is in doubt is an error.
 */
export async function* xmlEvents(
  source: ReportSource,
  handlers: XmlHandlers,
  options: ReadOptions,
): AsyncGenerator<void, void, undefined> {
  const parser = new SaxesParser({ xmlns: false, forceXMLVersion: true, defaultXMLVersion: '1.0' })
  const warned = new Set<string>()
  const warnOnce = (message: string) => {
    if (!warned.has(message)) options.warn(`${source.name}: ${message}`)
    warned.add(message)
  }
  const malformed = (problem: string) => new ReportError('malformed', source.name, problem, parser.line)

  /** For each open element, whether its text is kept. */
  const wanted: boolean[] = []
  const position = new Position()
  let hasStandIns = false
  let hasUnreadReferences = false
  const restored = (text: string) => {
    const read = hasUnreadReferences ? text.replace(/&#(?:x([0-9a-f]+)|(\d+));/gi, characterOf) : text
    return hasStandIns ? read.replace(standIns, (one) => String.fromCharCode(one.charCodeAt(0) - firstStandIn)) : read
  }
  const onText = (text: string) => {
    if (wanted.at(-1) === true) handlers.text(restored(text))
    hasUnreadReferences = false
  }
  let hasTextHandler = false
  const endConstruct = () => {
    position.endConstruct(parser.position)
    // Without a handler, the parser does not keep the text.
    const isWanted = wanted.at(-1) === true
    if (isWanted === hasTextHandler) return
    hasTextHandler = isWanted
    if (isWanted) parser.on('text', onText)
    else parser.off('text')
  }

  // At most seven handlers: with eight, V8 turns the parser into a slow object, which doubles the time.
  parser.on('error', (error) => {
    const problem = error.message.replace(/^\d+:\d+: /, '')
    const tolerance = tolerances[problem]
    if (tolerance === undefined) throw malformed(explained(problem))
    if (problem === 'malformed character entity.') hasUnreadReferences = true
    warnOnce(tolerance)
  })
  parser.on('doctype', (doctype) => {
    if (doctype.includes('[')) throw malformed('the document type declares entities or elements, which no report needs')
    endConstruct()
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (wanted.length === maxDepth) throw malformed(`elements are nested more than ${maxDepth} deep`)
    if (hasStandIns || hasUnreadReferences) {
      for (const [key, value] of Object.entries(attributes)) attributes[key] = restored(value)
    }
    hasUnreadReferences = false
    wanted.push(handlers.open(localName(name), attributes, parser.line))
    endConstruct()
  })
  parser.on('closetag', ({ name }) => {
    hasUnreadReferences = false
    wanted.pop()
    handlers.close(localName(name))
    endConstruct()
  })
  parser.on('cdata', (text) => {
    onText(text)
    endConstruct()
  })
  parser.on('comment', endConstruct)

  const write = (piece: string) => {
    parser.write(piece)
    position.advance(piece)
  }
  for await (const piece of decodedXml(source, options.limits, warnOnce)) {
    const clean = piece.replace(forbidden, (one) => {
      hasStandIns = true
      return String.fromCharCode(firstStandIn + one.charCodeAt(0))
    })
    write(clean)
    const isWanted = wanted.at(-1) === true
    // Ends and reopens the section, unless that would split its end mark, a line end or a surrogate pair.
    if (!isWanted && position.isInCdata && position.held(isWanted) > maxUnwanted && !/[\]\r\uD800-\uDBFF]$/.test(clean))
      write(`]]>${cdata}`)
    if (position.held(isWanted) > maxHeld) throw new ReportError('too_large', source.name, tooLong, parser.line)
    yield
  }
  if (hasStandIns) warnOnce('the file has control characters, which XML forbids; they are read anyway')
  parser.close()
}

/** Tracks what the parser is reading from the end of the last tag, comment or section. */
class Position {
  #written = 0
  #textStart = 0
  /** The position at which the unfinished construct began. */
  #start: number | null = null
  #opening = ''
  /** The position at which the unfinished entity reference began. */
  #reference: number | null = null

  endConstruct(position: number): void {
    this.#textStart = position
    this.#start = this.#reference = null
    this.#opening = ''
  }

  advance(piece: string): void {
    if (this.#start === null) {
      const from = Math.max(0, this.#textStart - this.#written)
      const start = piece.indexOf('<', from)
      if (start === -1) this.#findReference(piece, from)
      else {
        this.#start = this.#written + start
        this.#opening = piece.slice(start, start + cdata.length)
      }
    } else if (this.#opening.length < cdata.length) {
      this.#opening += piece.slice(0, cdata.length - this.#opening.length)
    }
    this.#written += piece.length
  }

  get isInCdata(): boolean {
    return this.#opening === cdata
  }

  /** Returns the number of characters that the parser holds. */
  held(isTextWanted: boolean): number {
    const from = this.#start ?? (isTextWanted ? this.#textStart : this.#reference)
    return from === null ? 0 : this.#written - from
  }

  #findReference(piece: string, from: number): void {
    const end = piece.lastIndexOf(';')
    if (this.#reference !== null && end === -1) return
    const start = piece.indexOf('&', Math.max(from, end))
    this.#reference = start === -1 ? null : this.#written + start
  }
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
  if (text.startsWith('unclosed tag: ')) return `the file ends too early, in <${text.slice('unclosed tag: '.length)}>`
  if (text === 'unexpected end') return 'the file ends too early'
  return `not well-formed XML: ${text}`
}
