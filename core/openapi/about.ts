/** What the document says before its routes. */
export const about = `Self-hosted test automation for coding agents. This is the REST side; the typed RPC layer at \`/trpc\` does the rest.

Calls carry an API token (\`Authorization: Bearer svc_...\`) or the session cookie. A token needs the scope that a route names.

Ids are ULIDs, times ISO 8601 in UTC. Fields and parameters that a route does not name are ignored. A record that belongs to somebody else answers as one that does not exist.

Within \`/api/v1\` fields may be added, never removed or retyped. A deprecated route answers with the headers \`Deprecation\` and \`Sunset\` for at least six months.`
