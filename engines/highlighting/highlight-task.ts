import { detectLanguage } from '../languages/detect.ts'
import type { HighlightWork } from './highlight.ts'
import type { Node } from './grammars.ts'
import { createLineWriter, type LineWriter } from './lines.ts'

const maxHighlightedBytes = 2 * 2 ** 20
const maxHighlightedLines = 50_000

const work: HighlightWork = async ({ path, content, isPlain }) => {
  if (content === null) return { kind: 'too_large', language: detectLanguage(path, null) }
  // Structured clones of buffers are plain arrays of bytes.
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const language = detectLanguage(path, bytes)
  if (language === 'Binary' || bytes.includes(0)) return { kind: 'binary', language }
  const text = bytes.toString('utf8')
  const small = bytes.length <= maxHighlightedBytes && countLines(text) <= maxHighlightedLines
  const highlighted = !isPlain && small ? await highlightedLines(text, language) : undefined
  const lines = highlighted ?? plainLines(text)
  return { kind: 'text', language, isHighlighted: highlighted !== undefined, ...lines }
}
export default work

function plainLines(text: string) {
  const writer = createLineWriter()
  writer.add(text, null)
  return writer.finish()
}

/** Returns undefined for a language without a grammar. */
async function highlightedLines(text: string, language: string) {
  const { grammarOf, lowlight } = await import('./grammars.ts')
  const grammar = grammarOf(language)
  if (grammar === undefined) return undefined
  const writer = createLineWriter()
  for (const node of lowlight.highlight(grammar, text).children) addNode(writer, node, null)
  return writer.finish()
}

/** The kind of the innermost node counts. */
function addNode(writer: LineWriter, node: Node, kind: string | null): void {
  if (node.type === 'text') writer.add(node.value, kind)
  else if (node.type === 'element') {
    const own = kindOf(node.properties.className) ?? kind
    for (const child of node.children) addNode(writer, child, own)
  }
}

/** `hljs-title function_` is `title.function`. A node without the prefix only marks text in another language. */
function kindOf(classes: unknown): string | undefined {
  if (!Array.isArray(classes)) return undefined
  const [first = '', ...others] = classes.map(String)
  if (!first.startsWith('hljs-')) return undefined
  return [first.slice('hljs-'.length), ...others.map((one) => (one.endsWith('_') ? one.slice(0, -1) : one))].join('.')
}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
