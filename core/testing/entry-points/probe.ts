/** The ids of a tenant that a call can contain. */
export interface Ids {
  project: string
  analysis: string
  run: string
  organization: string
  slug: string
  member: string
  token: string
  session: string
  webhook: string
  delivery: string
  verification: string
  change: string
  measurement: string
  suggestion: string
  generatedTest: string
  snapshot: string
  quarantine: string
  confirmation: string
  gate: string
}

export interface Probe {
  /** The path of a route with its ids. */
  path?: (ids: Ids) => string
  /** The request body; the second ids are the caller's own. */
  input?: (ids: Ids, own: Ids) => Record<string, unknown>
  /** Sent as a form instead of JSON. */
  form?: true
  /** The response to other users; 404 unless another status reveals as little. */
  status?: number
}

/** Why an entry point takes no id of a tenant. */
export const reasons = {
  own: 'takes no id and concerns only the caller',
  secret: 'takes a secret, which is not an id',
  signed: 'accepts signed bodies and needs no credential',
  open: 'takes no id and needs no credential',
  sameAnswer: 'takes an address, and gives the same answer for each address',
}

export const someTestId = '00000000-0000-4000-8000-000000000000'
