import type { Webhook } from '../webhooks/health.tsx'

export interface ControlProps {
  webhook: Webhook
  onClose: () => void
}
