/** What the document says before its routes. */
export const about = `Self-hosted test automation for coding agents. This document describes the REST routes. The typed RPC layer at \`/trpc\` offers everything else.

Calls carry an API token (\`Authorization: Bearer svc_...\`) or the session cookie. A token needs the scope that a route names.

Ids are ULIDs, times ISO 8601 in UTC. A route ignores unknown fields and parameters. A record that belongs to another user answers like one that does not exist.

Within \`/api/v1\` fields may be added, never removed or retyped. A deprecated route answers with the headers \`Deprecation\` and \`Sunset\` for at least six months.`
