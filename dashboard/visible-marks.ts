import { options } from 'preact'
import { visibleText } from './parts/visible-text.ts'

/** Attributes whose text people read or hear. */
const readAttributes = ['title', 'aria-label', 'placeholder', 'label'] as const

/**
 * Makes control characters and direction marks visible in all text of the pages, so that no name, message or path can
 * read differently than it is, whichever page shows it.
 */
export function showMarks(): void {
  const before = options.vnode?.bind(options)
  options.vnode = (vnode) => {
    // The props of a text are the text itself.
    if (typeof vnode.props === 'string') vnode.props = visibleText(vnode.props) as never
    else if (typeof vnode.type === 'string') showMarksOf(vnode.props)
    before?.(vnode)
  }
}

function showMarksOf(props: Record<string, unknown>): void {
  for (const name of readAttributes) {
    const value = props[name]
    if (typeof value === 'string') props[name] = visibleText(value)
  }
}
