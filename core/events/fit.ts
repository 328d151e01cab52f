import { storableJson } from '../base/storable-json.ts'

export const maxBodyBytes = 256 * 1_024
/** Reserved for the delivery's id and the organization, which are added later. */
const reservedBytes = 2_048

/**
 * Serializes an envelope to JSON that can be stored and is small enough to send. Emitters keep their data small. If
 * user-provided text is too large anyway, the longest texts are cut, because an event must never make a change fail.
 */
export function fitEnvelope(envelope: object): string {
  let json = storableJson(envelope)
  for (let limit = 65_536; limit >= 64 && Buffer.byteLength(json) > maxBodyBytes - reservedBytes; limit /= 4) {
    json = storableJson(cutTexts(envelope, limit))
  }
  return json
}

const cutTexts = (value: object, limit: number): unknown =>
  JSON.parse(JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? cutText(inner, limit) : inner)))

function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text
  return `${text.slice(0, limit)}… (${text.length - limit} more characters)`
}
