import type { ReactNode } from 'react'

/** Links to the parts of a page. Give each link the class `tab`; the router marks the active one. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className="tabs" aria-label={label}>
      {children}
    </nav>
  )
}
