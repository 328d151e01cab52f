/** `npm run docs`: writes the pages that are made from the code. */
import { writeFile } from 'node:fs/promises'
import { toolReference } from './tool-reference.ts'

await writeFile(new URL('mcp-tools.md', import.meta.url), toolReference())
