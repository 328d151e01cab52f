import type { JavaScriptDialect } from './parse-javascript.ts'

const block = /<script\b([^>]*)>([^]*?)<\/script\s*>/gi

/**
 * The script of a Vue or Svelte component with everything else blanked out, so that lines stay where they are.
 * Undefined when there is none.
 */
export function scriptOf(component: string): { source: string; dialect: JavaScriptDialect } | undefined {
  let source = ''
  let end = 0
  let typescript = false
  for (const match of component.matchAll(block)) {
    const attributes = match[1] ?? ''
    const content = match[2] ?? ''
    if (/\bsrc\s*=/.test(attributes)) continue
    typescript ||= /\blang\s*=\s*["']?tsx?\b/.test(attributes)
    const start = match.index + match[0].indexOf('>', '<script'.length + attributes.length) + 1
    source += blank(component.slice(end, start)) + content
    end = start + content.length
  }
  if (end === 0) return undefined
  return { source, dialect: typescript ? 'tsx' : 'jsx' }
}

function blank(text: string): string {
  return text.replace(/[^\n]+/g, '')
}
