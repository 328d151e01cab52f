import { type ReactNode, useEffect } from 'react'
import { visibleText } from './visible-text.ts'

interface PageProps {
  /** The heading, and the title of the tab unless `documentTitle` is given. */
  title: ReactNode
  documentTitle?: string
  /** Buttons and links at the right of the heading. */
  actions?: ReactNode
  /** One line below the heading. */
  lead?: ReactNode
  children: ReactNode
}

/** The frame of a page: its heading, its actions, its content. */
export function Page({ title, documentTitle, actions, lead, children }: PageProps) {
  const text = documentTitle ?? (typeof title === 'string' ? title : undefined)
  useEffect(() => {
    if (text !== undefined) document.title = `${visibleText(text)} – Assay`
  }, [text])
  return (
    <>
      <header className="page-head">
        <h1 tabIndex={-1} id="page-title">
          {title}
        </h1>
        {actions ? <div className="actions">{actions}</div> : undefined}
        {lead ? <p className="lead">{lead}</p> : undefined}
      </header>
      {children}
    </>
  )
}

interface SectionProps {
  title: string
  id?: string
  actions?: ReactNode
  children: ReactNode
}

export function Section({
  title,
  id = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
  actions,
  children,
}: SectionProps) {
  return (
    <section className="section" aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{title}</h2>
        {actions ? <div className="actions">{actions}</div> : undefined}
      </div>
      {children}
    </section>
  )
}

/** Figures with their names, as a list of definitions. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode] | undefined | false)[] }) {
  return (
    <dl className="facts">
      {of.map((fact) =>
        fact ? (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        ) : undefined,
      )}
    </dl>
  )
}

/** What an empty page shows: what would be here, and the next step. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  )
}
