import { storableJson } from '../base/storable-json.ts'

export const maxBodyBytes = 256 * 1_024
/** For the delivery's id and the organization, which come later. */
const reservedBytes = 2_048

/**
 * The envelope as JSON that can be stored and is not too large to send. Who emits keeps data small; where a text of
 * strangers makes it larger all the same, its longest texts are cut, since nobody's change may fail for what it says.
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
