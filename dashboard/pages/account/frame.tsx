import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'

const pages = [
  { to: '/settings', text: 'Account' },
  { to: '/settings/tokens', text: 'Tokens' },
  { to: '/settings/sessions', text: 'Sessions' },
  { to: '/settings/audit', text: 'Audit log' },
] as const

interface FrameProps {
  title: string
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** The navigation between the pages of the account, around each of them. */
export function AccountFrame({ title, lead, actions, children }: FrameProps) {
  return (
    <Page title={title} lead={lead} actions={actions}>
      <Tabs label="Account">
        {pages.map(({ to, text }) => (
          <Link key={to} to={to} className="tab" activeOptions={{ exact: true, includeSearch: false }}>
            {text}
          </Link>
        ))}
      </Tabs>
      {children}
    </Page>
  )
}
