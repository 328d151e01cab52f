import { Page } from '../../parts/page.tsx'

export function CoveragePage() {
  return <Page title="Coverage">{undefined}</Page>
}
