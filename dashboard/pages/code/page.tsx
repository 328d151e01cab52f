import { Page } from '../../parts/page.tsx'

export function CodePage() {
  return <Page title="Code">{undefined}</Page>
}
