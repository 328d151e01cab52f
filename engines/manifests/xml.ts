import { Parser } from 'saxen'
import { UnreadableManifest } from './manifest.ts'

const mostElements = 50_000

/** Names are without namespace prefix. Entities that a document declares itself are not expanded. */
export interface XmlElement {
  name: string
  attributes: Map<string, string>
  text: string
  children: XmlElement[]
}

/** The root element. A document that breaks off is kept as far as it goes. */
export function parseXml(source: string): XmlElement {
  const document: XmlElement = { name: '', attributes: new Map(), text: '', children: [] }
  const open = [document]
  let count = 0
  const parser = new Parser()
  parser.on('openTag', (name, attributes, decode) => {
    const pairs = Object.entries(attributes()).map(([key, value]): [string, string] => [localName(key), decode(value)])
    const element: XmlElement = { name: localName(name), attributes: new Map(pairs), text: '', children: [] }
    open.at(-1)?.children.push(element)
    open.push(element)
    if (++count > mostElements) parser.stop()
  })
  parser.on('closeTag', () => {
    if (open.length > 1) open.pop()
  })
  const addText = (text: string) => {
    const element = open.at(-1)
    if (element && element.text.length < 10_000) element.text += text
  }
  parser.on('text', (text, decode) => addText(decode(text)))
  parser.on('cdata', addText)
  // Without a listener the first mistake throws; what stands before it is still worth having.
  let mistake: Error | undefined
  parser.on('error', (error) => {
    mistake ??= error
  })
  parser.parse(source)
  const root = document.children[0]
  if (!root) throw new UnreadableManifest(mistake ? `is not XML: ${mistake.message}` : 'is not XML')
  return root
}

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
