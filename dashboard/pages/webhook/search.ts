import type { DeliveryStatus } from '../../../core/webhooks/schema.ts'
import { type Given, numberParam, oneOfParam, textParam } from '../../search-params.ts'

export const deliveryStatuses = [
  'pending',
  'in_flight',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies readonly DeliveryStatus[]

/** The filters of the deliveries and the selected delivery. */
export interface DeliverySearch {
  status?: DeliveryStatus | undefined
  event?: string | undefined
  offset?: number | undefined
  delivery?: string | undefined
}

export const deliverySearch = ({ status, event, offset, delivery }: Given): DeliverySearch => ({
  status: oneOfParam(status, deliveryStatuses),
  event: textParam(event),
  offset: numberParam(offset),
  delivery: textParam(delivery),
})
