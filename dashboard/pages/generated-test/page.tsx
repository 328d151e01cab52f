import { Page } from '../../parts/page.tsx'

export function GeneratedTestPage() {
  return <Page title="Generated test">{undefined}</Page>
}
