import { Page } from '../../parts/page.tsx'

export function SystemPage() {
  return <Page title="System">{undefined}</Page>
}
