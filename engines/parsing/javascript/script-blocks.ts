import type { JavaScriptDialect } from './parse-javascript.ts'

/** Each script of a component: where its content begins and ends, and the attributes of its tag. */
function* blocksOf(component: string): Generator<{ start: number; end: number; attributes: string }> {
  const opening = /<script\b([^>]*)/gi
  const closing = /<\/script\s*>/gi
  for (let open = opening.exec(component); open; open = opening.exec(component)) {
    const start = opening.lastIndex + 1
    closing.lastIndex = start
    const close = start > component.length ? null : closing.exec(component)
    // Without an end, no later block has one.
    if (!close) return
    yield { start, end: close.index, attributes: open[1] ?? '' }
    opening.lastIndex = closing.lastIndex
  }
}

/**
 * The script of a Vue or Svelte component with everything else blanked out, so that lines stay where they are.
 * Undefined when there is none.
 */
export function scriptOf(component: string): { source: string; dialect: JavaScriptDialect } | undefined {
  let source = ''
  let end = 0
  let typescript = false
  for (const block of blocksOf(component)) {
    const { start, attributes } = block
    if (/\bsrc\s*=/.test(attributes)) continue
    typescript ||= /\blang\s*=\s*["']?tsx?\b/.test(attributes)
    source += blank(component.slice(end, start)) + component.slice(start, block.end)
    end = block.end
  }
  if (end === 0) return undefined
  return { source, dialect: typescript ? 'tsx' : 'jsx' }
}

function blank(text: string): string {
  return text.replace(/[^\n]+/g, '')
}
