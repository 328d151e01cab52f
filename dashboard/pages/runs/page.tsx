import { Page } from '../../parts/page.tsx'

export function RunsPage() {
  return <Page title="Runs">{undefined}</Page>
}
