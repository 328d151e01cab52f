/** `npm run docs`: writes the generated parts of the pages. */
import { readFile, writeFile } from 'node:fs/promises'
import { withEventReference } from './event-reference.ts'
import { toolReference } from './tool-reference.ts'

const webhooks = new URL('webhooks.md', import.meta.url)
await writeFile(new URL('mcp-tools.md', import.meta.url), toolReference())
await writeFile(webhooks, withEventReference(await readFile(webhooks, 'utf8')))
