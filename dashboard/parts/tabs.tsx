import type { ReactNode } from 'react'
import { useActiveInView } from './scroll-bar.ts'

/** Links to the parts of a page. Give each link the class `tab`; the router marks the active one. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  const bar = useActiveInView<HTMLElement>()
  return (
    <nav ref={bar} className="tabs scroll-bar" aria-label={label}>
      {children}
    </nav>
  )
}
