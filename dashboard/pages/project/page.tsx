import { Page } from '../../parts/page.tsx'

export function ProjectPage() {
  return <Page title="Overview">{undefined}</Page>
}
