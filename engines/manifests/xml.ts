import { SaxesParser } from 'saxes'
import { UnreadableManifest } from './manifest.ts'

const maxElements = 50_000
const maxTextLength = 10_000
/** Undefined entities and the like do not stop the parser. Each costs an error object, and hostile files hold a million. */
const maxMistakes = 100

/** Names are without namespace prefix. Entities that a document declares itself are not expanded. */
export interface XmlElement {
  name: string
  attributes: Map<string, string>
  text: string
  children: XmlElement[]
}

/** Returns the root element. A document that breaks off, or is not XML from some point on, is kept up to there. */
export function parseXml(source: string): XmlElement {
  const document: XmlElement = { name: '', attributes: new Map(), text: '', children: [] }
  const open = [document]
  const mistakes: Error[] = []
  let count = 0
  const parser = new SaxesParser({ xmlns: false })
  parser.on('opentag', ({ name, attributes }) => {
    if (++count > maxElements) throw new LimitReached()
    const pairs = Object.entries(attributes).map(([key, value]): [string, string] => [localName(key), value])
    const element: XmlElement = { name: localName(name), attributes: new Map(pairs), text: '', children: [] }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('closetag', () => {
    open.pop()
  })
  const addText = (text: string) => {
    const element = open.at(-1)
    if (element && element.text.length < maxTextLength) element.text += text
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('error', (error) => {
    if (mistakes.push(error) === maxMistakes) throw new LimitReached()
  })
  try {
    parser.write(source).close()
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error
  }
  const [root] = document.children
  if (root) return root
  const [mistake] = mistakes
  throw new UnreadableManifest(mistake ? `is not XML: ${mistake.message.replace(/\.$/, '')}` : 'is not XML')
}

class LimitReached extends Error {}

export function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((candidate) => candidate.name === name)
}

export function children(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((candidate) => candidate.name === name) ?? []
}

export function childText(element: XmlElement | undefined, name: string): string | undefined {
  return child(element, name)?.text.trim() || undefined
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
