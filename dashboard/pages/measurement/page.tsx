import { Page } from '../../parts/page.tsx'

export function MeasurementPage() {
  return <Page title="Measurement">{undefined}</Page>
}
