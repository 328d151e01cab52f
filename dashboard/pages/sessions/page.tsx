import { Page } from '../../parts/page.tsx'

export function SessionsPage() {
  return <Page title="Sessions">{undefined}</Page>
}
